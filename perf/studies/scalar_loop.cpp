#include "scalar_loop.hpp"

#include <kubature/detail/sampling/strata.hpp>
#include <kubature/philox.hpp>

#include <cmath>
#include <vector>

namespace kubature::perf {

LoopEstimate scalar_loop(std::uint64_t evaluations, std::uint64_t seed, std::uint32_t iteration) {
  constexpr int d = 5, bins = 500;
  detail::Strata<d> const strata(d, evaluations);
  std::vector<double> edges(bins + 1);
  for (int k = 0; k <= bins; ++k)
    edges[static_cast<std::size_t>(k)] = static_cast<double>(k) / bins;

  double means = 0, squares = 0;
  auto const p = static_cast<double>(strata.samples);
  for (std::uint64_t cube = 0; cube < strata.cubes; ++cube) {
    double sum = 0, sum2 = 0, first = 0;
    for (std::uint64_t s = 0; s < strata.samples; ++s) {
      std::uint64_t const sample = cube * strata.samples + s;
      double jacobian = 1, distance = 0;
      std::uint64_t index = cube;
      Kokkos::Array<std::uint32_t, 4> words{};
      for (int i = 0; i < d; ++i) {
        if (i % 4 == 0)
          words = philox<7>({static_cast<std::uint32_t>(sample), static_cast<std::uint32_t>(sample >> 32), iteration,
                             static_cast<std::uint32_t>(i / 4)},
                            {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
        auto const parts = static_cast<std::uint64_t>(strata.counts[i]);
        double const y = (static_cast<double>(index % parts) + uniform<double>(words[i % 4])) *
                         (static_cast<double>(bins) / static_cast<double>(parts));
        index /= parts;
        auto const k = static_cast<std::size_t>(y);
        double const width = edges[k + 1] - edges[k];
        jacobian *= width * bins;
        double const x = edges[k] + (y - static_cast<double>(k)) * width;
        distance += (x - 0.5) * (x - 0.5);
      }
      double const f = std::exp(-625 * distance) * jacobian;
      if (s == 0)
        first = f;
      sum += f - first;
      sum2 += (f - first) * (f - first);
    }
    means += first + sum / p;
    squares += sum2 - sum * sum / p;
  }
  auto const m = static_cast<double>(strata.cubes);
  return {means / m, std::sqrt(squares / (p * (p - 1))) / m, strata.cubes * strata.samples};
}

} // namespace kubature::perf

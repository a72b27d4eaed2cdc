#include <kubature/detail/vegas/strata.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kubature::detail {

CountedStrata even_strata(int dimension, std::uint64_t evaluations) {
  std::uint64_t const most = std::max<std::uint64_t>(1, evaluations / 2);
  auto const power = [&](std::uint64_t g) {
    long double product = 1;
    for (int i = 0; i < dimension; ++i)
      product *= static_cast<long double>(g);
    return product;
  };
  auto g = static_cast<std::uint64_t>(std::pow(static_cast<double>(most), 1.0 / dimension));
  while (g > 1 && power(g) > static_cast<long double>(most))
    --g;
  while (power(g + 1) <= static_cast<long double>(most))
    ++g;
  g = std::min<std::uint64_t>(g, std::uint64_t{1} << 30);
  CountedStrata result{std::vector<int>(static_cast<std::size_t>(dimension), static_cast<int>(g))};
  for (int i = 0; i < dimension; ++i)
    result.cubes *= g;
  for (int& count : result.counts) {
    if (result.cubes / g * (g + 1) > most || g == std::uint64_t{1} << 30)
      break;
    result.cubes = result.cubes / g * (g + 1);
    ++count;
  }
  result.samples = std::max<std::uint64_t>(2, evaluations / result.cubes);
  return result;
}

CountedStrata shaped_strata(int dimension, std::uint64_t evaluations, std::span<double const> weights) {
  auto result = even_strata(dimension, evaluations);
  double const most = static_cast<double>(std::max<std::uint64_t>(1, evaluations / 2));
  double const largest = weights.empty() ? 0 : *std::max_element(weights.begin(), weights.end());
  if (!(largest > 0))
    return result;
  auto const along = [&](double weight, double scale) { return std::max(1.0, std::floor(scale * (weight / largest))); };
  auto const of_axes = weights.first(static_cast<std::size_t>(dimension));
  double low = 1, high = std::min(most, 0x1p30) + 1; // the largest integer scale that does not give too many cubes
  while (high - low > 1) {
    double const middle = std::floor((low + high) / 2);
    double product = 1;
    for (double const weight : of_axes)
      product *= along(weight, middle);
    (product <= most ? low : high) = middle;
  }
  result.cubes = 1;
  result.counts.clear();
  for (double const weight : of_axes) {
    result.counts.push_back(static_cast<int>(along(weight, low)));
    result.cubes *= static_cast<std::uint64_t>(result.counts.back());
  }
  result.samples = std::max<std::uint64_t>(2, evaluations / result.cubes);
  return result;
}

} // namespace kubature::detail

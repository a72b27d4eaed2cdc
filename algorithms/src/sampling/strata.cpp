#include <kubature/detail/sampling/strata.hpp>

#include <cmath>

namespace kubature::detail {
namespace {

/// Maximum number of parts along an axis.
constexpr std::uint64_t most_per_axis = std::uint64_t{1} << 30;

} // namespace

Strata<dynamic>::Strata(int dimension, std::uint64_t evaluations) {
  int const axes = cut_axes(dimension);
  std::uint64_t const most = std::max<std::uint64_t>(1, evaluations / 2);
  auto const power = [&](std::uint64_t g) {
    long double product = 1;
    for (int i = 0; i < axes; ++i)
      product *= static_cast<long double>(g);
    return product;
  };
  auto g = static_cast<std::uint64_t>(std::pow(static_cast<double>(most), 1.0 / axes));
  while (g > 1 && power(g) > static_cast<long double>(most))
    --g;
  while (power(g + 1) <= static_cast<long double>(most))
    ++g;
  g = std::min(g, most_per_axis);
  for (int i = 0; i < axes; ++i) {
    counts[i] = static_cast<int>(g);
    cubes *= g;
  }
  for (int i = 0; i < axes && cubes / g * (g + 1) <= most && g < most_per_axis; ++i) {
    cubes = cubes / g * (g + 1);
    ++counts[i];
  }
  samples = std::max<std::uint64_t>(2, evaluations / cubes);
}

Strata<dynamic>::Strata(int dimension, std::uint64_t evaluations, std::span<double const> weights)
    : Strata(dimension, evaluations) {
  int const axes = cut_axes(dimension);
  weights = weights.first(std::min(weights.size(), static_cast<std::size_t>(axes)));
  double const largest = weights.empty() ? 0 : *std::max_element(weights.begin(), weights.end());
  if (!(largest > 0))
    return;
  double const most = static_cast<double>(std::max<std::uint64_t>(1, evaluations / 2));
  auto const along = [&](int i, double scale) {
    return std::max(1.0, std::floor(scale * (weights[static_cast<std::size_t>(i)] / largest)));
  };
  double low = 1, high = std::min(most, static_cast<double>(most_per_axis)) + 1; // the largest integer scale that fits
  while (high - low > 1) {
    double const middle = std::floor((low + high) / 2);
    double product = 1;
    for (int i = 0; i < axes; ++i)
      product *= along(i, middle);
    (product <= most ? low : high) = middle;
  }
  cubes = 1;
  for (int i = 0; i < axes; ++i) {
    counts[i] = static_cast<int>(along(i, low));
    cubes *= static_cast<std::uint64_t>(counts[i]);
  }
  samples = std::max<std::uint64_t>(2, evaluations / cubes);
}

} // namespace kubature::detail

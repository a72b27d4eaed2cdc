#include <kubature/detail/quasi_monte_carlo/rotation.hpp>
#include <kubature/detail/symmetric.hpp>

#include <kubature/detail/policies/qmc_policy.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>

namespace kubature::detail {
namespace {

/// The sum of variances without the largest few, as a fraction of the sum of all.
double rest(std::vector<double> variances, std::size_t few) {
  std::sort(variances.begin(), variances.end(), std::greater<>());
  auto const end = variances.end();
  double const all = std::accumulate(variances.begin(), end, 0.0);
  return all > 0 ? std::accumulate(variances.begin() + static_cast<std::ptrdiff_t>(few), end, 0.0) / all : 0;
}

} // namespace

Directions principal_directions(std::vector<double> const& products, int d) {
  auto const axes = static_cast<std::size_t>(d);
  Matrix matrix(axes, axes);
  for (std::size_t i = 0; i < axes; ++i)
    for (std::size_t j = 0; j < axes; ++j)
      matrix(i, j) = products[i * axes + j];
  auto const found = eigen(std::move(matrix));
  std::vector<std::size_t> order(axes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t k) { return found.values[k]; });
  Directions result{std::vector<double>(axes * axes), std::vector<double>(axes)};
  for (std::size_t k = 0; k < axes; ++k) {
    result.variances[k] = found.values[order[k]];
    for (std::size_t i = 0; i < axes; ++i)
      result.matrix[i * axes + k] = found.vectors(i, order[k]);
  }
  return result;
}

bool few_directions(std::vector<double> const& products, std::vector<double> const& variances) {
  auto const& by = policy<QmcPolicy>();
  auto const few = static_cast<std::size_t>(by.few_directions);
  auto const axes = variances.size();
  if (axes <= few)
    return false;
  std::vector<double> along_axes;
  for (std::size_t i = 0; i < axes; ++i)
    along_axes.push_back(products[i * (axes + 1)]);
  return rest(variances, few) <= by.most_left && rest(along_axes, few) >= by.least_left_by_axes;
}

} // namespace kubature::detail

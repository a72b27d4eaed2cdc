#include <kubature/detail/audit/tail_shape.hpp>

#include <kubature/detail/policies/call_policy.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>

namespace kubature::detail {

namespace {

/// Hill's estimator from the largest `count` of weights in descending order.
double hill(std::vector<double> const& weights, std::size_t count) {
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k)
    sum += std::log(weights[k] / weights[count]);
  return sum / static_cast<double>(count);
}

/// The number of equal weights that would scatter as much: (sum of w)^2 / sum of w^2.
double effective_number(std::vector<double> const& weights, double largest) {
  double sum = 0, squares = 0;
  for (double const weight : weights) {
    sum += weight / largest;
    squares += weight / largest * (weight / largest);
  }
  return sum * sum / squares;
}

} // namespace

double tail_shape(std::vector<double> weights) {
  auto const& by = policy<CallPolicy>();
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  auto const n = static_cast<double>(weights.size());
  auto const most = static_cast<std::size_t>(std::min(n / 5, 3 * std::sqrt(n)));
  if (most < 5)
    return unknown;
  for (double& weight : weights)
    weight = std::isfinite(weight) ? std::abs(weight) : 0;
  auto const cut = weights.begin() + static_cast<std::ptrdiff_t>(most) + 1;
  std::nth_element(weights.begin(), cut - 1, weights.end(), std::greater<>());
  double const threshold = *(cut - 1), largest = *std::max_element(weights.begin(), cut);
  std::vector<double> above; // in units of the largest excess
  for (auto weight = weights.begin(); weight != cut; ++weight)
    if (*weight > threshold)
      above.push_back((*weight - threshold) / (largest - threshold));
  if (above.size() < 5 || threshold == 0)
    return unknown;
  std::sort(above.begin(), above.end());
  auto const count = static_cast<double>(above.size());
  auto const mean_log = [&](double theta) {
    double sum = 0;
    for (double const x : above)
      sum += std::log1p(-theta * x);
    return sum / count;
  };
  auto const grid = 20 + static_cast<int>(std::sqrt(count));
  double const quartile = above[static_cast<std::size_t>(count / 4 + 0.5) - 1];
  std::vector<double> theta, likelihood;
  for (int j = 1; j <= grid; ++j) {
    double const at = 1 + (1 - std::sqrt(grid / (j - 0.5))) / (3 * quartile);
    double const k = mean_log(at);
    theta.push_back(at);
    likelihood.push_back(count * (std::log(-at / k) - k - 1));
  }
  double const best = *std::max_element(likelihood.begin(), likelihood.end());
  double sum = 0, mean = 0;
  for (std::size_t j = 0; j < theta.size(); ++j) {
    double const weight = std::exp(likelihood[j] - best);
    sum += weight;
    mean += weight * theta[j];
  }
  constexpr double prior = 10, centre = 0.5;
  double const shape = (count * mean_log(mean / sum) + prior * centre) / (count + prior);
  double const effective = effective_number(weights, largest);
  std::sort(weights.begin(), cut, std::greater<>());
  double const tail =
      std::min({shape, hill(weights, most), hill(weights, std::min<std::size_t>(most, by.top_weights))});
  return tail > by.no_integral && effective < static_cast<double>(by.top_weights) ? unknown : tail;
}

} // namespace kubature::detail

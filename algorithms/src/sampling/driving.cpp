#include <kubature/detail/sampling/driving.hpp>

#include <kubature/detail/policies/vegas_policy.hpp>

#include <cmath>
#include <utility>

namespace kubature::detail {

ComponentWeights::ComponentWeights(int driver, int components)
    : balanced_(driver == static_cast<int>(Driver::balanced)),
      of_(static_cast<std::size_t>(components), driver < 0 ? 1.0 : 0.0) {
  if (driver >= 0)
    of_[static_cast<std::size_t>(driver)] = 1;
}

double ComponentWeights::learn(std::span<double const> magnitudes) {
  if (!balanced_)
    return 1;
  double largest = 0;
  std::vector<double> weights(of_.size(), 0.0);
  for (std::size_t c = 0; c < of_.size(); ++c)
    if (magnitudes[c] > 0 && std::isfinite(1 / magnitudes[c])) {
      weights[c] = 1 / magnitudes[c];
      largest = std::max(largest, weights[c]);
    }
  if (largest == 0)
    return 1;
  double growth = 0;
  for (std::size_t c = 0; c < of_.size(); ++c) {
    weights[c] = weights[c] > 0 ? weights[c] : largest;
    growth = magnitudes[c] > 0 ? std::max(growth, weights[c] / of_[c]) : growth;
  }
  of_ = std::move(weights);
  return growth;
}

double driving(std::span<double const> values, ComponentWeights const& weights) {
  double norm = 0;
  for (std::size_t c = 0; c < std::min(values.size(), weights.values().size()); ++c)
    if (double const weight = weights.values()[c]; weight > 0)
      norm = std::hypot(norm, weight * values[c]);
  return norm;
}

bool resolved(Iteration<std::vector<double>> const& iteration, ComponentWeights const& weights) {
  return driving(iteration.error, weights) < policy<VegasPolicy>().resolved * driving(iteration.value, weights);
}

} // namespace kubature::detail

#include <kubature/detail/quasi_monte_carlo/peak.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace kubature::detail {
namespace {

double effective(std::vector<double> const& weights) {
  double sum = 0, squares = 0;
  for (double const w : weights) {
    sum += w;
    squares += w * w;
  }
  return sum * sum / squares;
}

/// Weights to a power, in units of the largest.
std::vector<double> powers(std::vector<double> const& weights, double power) {
  double const largest = *std::max_element(weights.begin(), weights.end());
  std::vector<double> result;
  for (double const w : weights)
    result.push_back(w > 0 ? std::pow(w / largest, power) : 0);
  return result;
}

/// The largest power, up to 1, that leaves at least `least` effective points, if any does.
double tempering(std::vector<double> const& weights, double least) {
  if (effective(weights) >= least)
    return 1;
  double low = 0, high = 1;
  for (int halving = 0; halving < 20; ++halving) {
    double const middle = (low + high) / 2;
    (effective(powers(weights, middle)) >= least ? low : high) = middle;
  }
  return low;
}

} // namespace

Peak find_peak(std::vector<double> const& points, std::vector<double> const& weights, int d) {
  auto const axes = static_cast<std::size_t>(d);
  double const power = tempering(weights, Peak::least(d));
  auto const tempered = powers(weights, power);
  double all = 0;
  std::vector<double> mean(axes), covariance(axes * axes);
  for (std::size_t k = 0; k < tempered.size(); ++k) {
    all += tempered[k];
    for (std::size_t i = 0; i < axes; ++i)
      mean[i] += tempered[k] * points[k * axes + i];
  }
  for (double& coordinate : mean)
    coordinate /= all;
  for (std::size_t k = 0; k < tempered.size(); ++k) {
    auto const offset = [&](std::size_t i) { return points[k * axes + i] - mean[i]; };
    for (std::size_t i = 0; i < axes && tempered[k] > 0; ++i)
      for (std::size_t j = 0; j < axes; ++j)
        covariance[i * axes + j] += tempered[k] / all * offset(i) * offset(j);
  }
  auto axes_of = principal_directions(covariance, d);
  for (double& variance : axes_of.variances) // of very few points, rounding may make one negative
    variance = std::max(variance, 0.0);
  return {std::move(axes_of), mean, effective(weights), power < 1};
}

bool out_of_reach(Peak const& peak, double const* point) {
  using Map = PeakMap<Kokkos::DefaultHostExecutionSpace>;
  double const z = policy<QmcPolicy>().peak_reach, most = Map::wider * z * (1 + Map::tails * z * z);
  auto const axes = peak.centre.size();
  for (std::size_t k = 0; k < axes; ++k) {
    double along = 0;
    for (std::size_t i = 0; i < axes; ++i)
      along += peak.axes.matrix[i * axes + k] * (point[i] - peak.centre[i]);
    if (along * along > most * most * peak.axes.variances[k])
      return true;
  }
  return false;
}

} // namespace kubature::detail

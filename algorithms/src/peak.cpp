#include <kubature/detail/quasi_monte_carlo/coordinate_map.hpp>
#include <kubature/detail/quasi_monte_carlo/normal.hpp>
#include <kubature/detail/quasi_monte_carlo/peak.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace kubature::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

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

/// The largest power, up to 1, that leaves so many effective points, if any does.
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

Peak find_peak(std::vector<double> const& z, std::vector<double> const& weights, int d) {
  auto const axes = static_cast<std::size_t>(d);
  double const power = tempering(weights, Peak::least(d));
  auto const tempered = powers(weights, power);
  double all = 0;
  std::vector<double> mean(axes), covariance(axes * axes);
  for (std::size_t k = 0; k < tempered.size(); ++k) {
    all += tempered[k];
    for (std::size_t i = 0; i < axes; ++i)
      mean[i] += tempered[k] * z[k * axes + i];
  }
  for (double& coordinate : mean)
    coordinate /= all;
  for (std::size_t k = 0; k < tempered.size(); ++k)
    for (std::size_t i = 0; i < axes; ++i)
      for (std::size_t j = 0; j < axes; ++j)
        covariance[i * axes + j] += tempered[k] / all * (z[k * axes + i] - mean[i]) * (z[k * axes + j] - mean[j]);
  Peak peak{active_directions(covariance, d), std::vector<double>(axes), effective(weights), power < 1};
  for (std::size_t k = 0; k < axes; ++k)
    for (std::size_t i = 0; i < axes; ++i)
      peak.centre[k] += peak.axes.matrix[i * axes + k] * mean[i];
  return peak;
}

std::vector<double> peak_at_knots(Peak const& peak) {
  constexpr double wider = 1.1, tails = 0.05;
  std::vector<double> z, x;
  for (double const y : GeometricKnots::all())
    z.push_back(y > 0 && y < 1 ? normal_quantile(y) : y < 1 ? -infinity : infinity);
  for (std::size_t k = 0; k < peak.centre.size(); ++k) {
    double const deviation = wider * std::sqrt(peak.axes.variances[k]);
    for (double const at : z)
      x.push_back(normal_probability(peak.centre[k] + deviation * at * (1 + tails * at * at)));
  }
  return x;
}

} // namespace kubature::detail

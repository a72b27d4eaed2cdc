#include <kubature/detail/probing/probed.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace kubature::detail {

void Probed::scale(double factor) {
  mean *= factor;
  squares *= factor * factor;
  magnitude *= factor;
  gradient *= factor;
}

void Probed::add(Probed const& other) {
  points = std::max(points, other.points);
  non_finite = std::max(non_finite, other.non_finite);
  mean += other.mean;
  squares += other.squares;
  magnitude += other.magnitude;
  gradient = std::hypot(gradient, other.gradient);
}

PrecisionChoice Probed::describe(int operations) const {
  PrecisionChoice result;
  auto const n = static_cast<double>(points);
  result.points = points;
  result.non_finite = non_finite;
  result.mean = mean;
  result.average = points > 0 ? magnitude / n : 0;
  result.variance = points > 1 ? squares / (n - 1) : 0;
  result.gradient = gradient;
  result.operations = operations;
  for (Format const format : {Format::binary16, Format::binary32, Format::binary64})
    result.predicted[static_cast<int>(format)] = predicted_error(format, result);
  auto const observe = [&](Format format, Deviations const& seen) {
    double const infinite = std::numeric_limits<double>::infinity();
    bool const usable = seen.failed == 0 && points > 1;
    double const average = seen.sum / n;
    double const spread = std::sqrt(std::max(0.0, (seen.squares - n * average * average) / (n - 1)) / n);
    result.observed[static_cast<int>(format)] = usable ? average : infinite;
    result.bias[static_cast<int>(format)] = usable ? seen.bias / n : infinite;
    result.bound[static_cast<int>(format)] = usable ? average + 3 * spread : infinite;
  };
  observe(Format::binary32, single);
  if (has_half)
    observe(Format::binary16, half);
  if (has_half && non_finite > 0)
    result.bound[0] = std::numeric_limits<double>::infinity(); // rounding moves the boundary of the undefined region
  if (!has_half)
    result.observed[0] = result.bias[0] = result.bound[0] = std::numeric_limits<double>::quiet_NaN();
  if (only_double)
    result.observed[1] = result.bias[1] = result.bound[1] = std::numeric_limits<double>::quiet_NaN();
  return result;
}

std::vector<Probed> joined(std::vector<Probed> parts, std::vector<double> const& weights) {
  std::vector<Probed> cells;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::size_t const part = i % weights.size();
    if (weights[part] != 1)
      parts[i].scale(weights[part]);
    if (part == 0)
      cells.push_back(parts[i]);
    else
      cells.back().add(parts[i]);
  }
  return cells;
}

} // namespace kubature::detail

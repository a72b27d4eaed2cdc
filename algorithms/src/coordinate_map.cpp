#include <kubature/detail/quasi_monte_carlo/coordinate_map.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kubature::detail {
namespace {

/// The slope at the end of an interpolant from those of its first two pieces (the three-point formula), kept between a
/// quarter and three times the first one, so that x rises all the way.
double end_slope(double h0, double h1, double slope0, double slope1) {
  return std::clamp(((2 * h0 + h1) * slope0 - h0 * slope1) / (h0 + h1), slope0 / 4, 3 * slope0);
}

double inner_slope(double h0, double h1, double slope0, double slope1) {
  double const w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
  return slope0 > 0 && slope1 > 0 ? (w0 + w1) / (w0 / slope0 + w1 / slope1) : 0;
}

/// The cubic polynomials through points (y, x).
void append_spline(std::vector<double> const& y, std::vector<double> const& x, std::vector<double>& pieces) {
  auto const n = y.size() - 1;
  std::vector<double> h(n), secant(n), slope(n + 1);
  for (std::size_t k = 0; k < n; ++k) {
    h[k] = y[k + 1] - y[k];
    secant[k] = (x[k + 1] - x[k]) / h[k];
  }
  slope[0] = end_slope(h[0], h[1], secant[0], secant[1]);
  slope[n] = end_slope(h[n - 1], h[n - 2], secant[n - 1], secant[n - 2]);
  for (std::size_t k = 1; k < n; ++k)
    slope[k] = inner_slope(h[k - 1], h[k], secant[k - 1], secant[k]);
  for (std::size_t k = 0; k < n; ++k)
    for (double const number : {y[k], x[k], slope[k], (3 * secant[k] - 2 * slope[k] - slope[k + 1]) / h[k],
                                (slope[k] + slope[k + 1] - 2 * secant[k]) / (h[k] * h[k])})
      pieces.push_back(number);
}

} // namespace

PiecewiseCubic linear_map(std::vector<double> const& edges, int axes) {
  PiecewiseCubic map;
  auto const nodes = edges.size() / static_cast<std::size_t>(axes), bins = nodes - 1;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(axes); ++axis)
    for (std::size_t k = 0; k < bins; ++k) {
      double const left = edges[axis * nodes + k], width = edges[axis * nodes + k + 1] - left;
      for (double const number :
           {static_cast<double>(k) / static_cast<double>(bins), left, width * static_cast<double>(bins), 0.0, 0.0})
        map.pieces.push_back(number);
    }
  for (std::size_t k = 0; k < bins; ++k)
    map.first.push_back(static_cast<std::uint16_t>(k));
  return map;
}

PiecewiseCubic smooth_map(std::vector<double> const& edges, int axes, int pieces) {
  PiecewiseCubic map;
  auto const nodes = edges.size() / static_cast<std::size_t>(axes), bins = nodes - 1;
  auto const count = static_cast<std::size_t>(pieces);
  std::vector<double> y(count + 1), x(count + 1);
  for (std::size_t k = 0; k <= count; ++k)
    y[k] = k == count ? 1 : (1 - std::cos(std::numbers::pi * static_cast<double>(k) / pieces)) / 2;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(axes); ++axis) {
    double const* const edge = edges.data() + axis * nodes;
    for (std::size_t k = 0; k <= count; ++k) {
      double const place = y[k] * static_cast<double>(bins);
      auto const bin = std::min(static_cast<std::size_t>(place), bins - 1);
      x[k] = k == count ? 1 : edge[bin] + (place - static_cast<double>(bin)) * (edge[bin + 1] - edge[bin]);
    }
    append_spline(y, x, map.pieces);
  }
  std::size_t cells = 1; // narrower than the narrowest piece
  while (static_cast<double>(cells) * y[1] <= 1)
    cells *= 2;
  for (std::size_t cell = 0, k = 0; cell < cells; ++cell) {
    while (y[k + 1] * static_cast<double>(cells) <= static_cast<double>(cell))
      ++k;
    map.first.push_back(static_cast<std::uint16_t>(k));
  }
  return map;
}

} // namespace kubature::detail

#include <kubature/detail/quasi_monte_carlo/coordinate_map.hpp>

#include <kubature/detail/policies/qmc_policy.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace kubature::detail {
namespace {

/// The slope at the end of an interpolant, from those of its first two pieces (the three-point formula), kept between a
/// quarter of the first one and three times it, so that x increases throughout.
double end_slope(double h0, double h1, double slope0, double slope1) {
  return std::clamp(((2 * h0 + h1) * slope0 - h0 * slope1) / (h0 + h1), slope0 / 4, 3 * slope0);
}

double inner_slope(double h0, double h1, double slope0, double slope1) {
  double const w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
  return slope0 > 0 && slope1 > 0 ? (w0 + w1) / (w0 / slope0 + w1 / slope1) : 0;
}

std::vector<double> secants(std::vector<double> const& y, std::vector<double> const& x) {
  std::vector<double> result;
  for (std::size_t k = 0; k + 1 < y.size(); ++k)
    result.push_back((x[k + 1] - x[k]) / (y[k + 1] - y[k]));
  return result;
}

/// Slopes at the points with which the cubic interpolant is monotone.
std::vector<double> monotone_slopes(std::vector<double> const& y, std::vector<double> const& x) {
  auto const n = y.size() - 1;
  auto const secant = secants(y, x);
  auto const h = [&](std::size_t k) { return y[k + 1] - y[k]; };
  std::vector<double> slope{end_slope(h(0), h(1), secant[0], secant[1])};
  for (std::size_t k = 1; k < n; ++k)
    slope.push_back(inner_slope(h(k - 1), h(k), secant[k - 1], secant[k]));
  slope.push_back(end_slope(h(n - 1), h(n - 2), secant[n - 1], secant[n - 2]));
  return slope;
}

/// The weights of the derivative at a point of the polynomial through it and its two neighbours on either side: the
/// derivative is the sum of the weights, from left to right, times the differences of x from its value at the point.
using FivePoints = std::array<double, 5>;

FivePoints five_points(std::vector<double> const& y, std::size_t k) {
  FivePoints weights{};
  for (std::size_t j = k - 2; j <= k + 2; ++j) {
    double weight = j == k ? 0 : 1 / (y[j] - y[k]);
    for (std::size_t l = k - 2; l <= k + 2; ++l)
      if (l != j && l != k)
        weight *= (y[k] - y[l]) / (y[j] - y[l]);
    weights[j + 2 - k] = weight;
  }
  return weights;
}

/// Points between which cubic polynomials interpolate, and the weights at those with two neighbours on either side.
struct Knots {
  std::vector<double> y;
  std::vector<FivePoints> weights;

  explicit Knots(std::vector<double> points) : y(std::move(points)) {
    for (std::size_t k = 2; k + 2 < y.size(); ++k)
      weights.push_back(five_points(y, k));
  }
};

/// The same, from five points if the polynomials stay monotone with them: of fourth order instead of second.
std::vector<double> sharp_slopes(Knots const& knots, std::vector<double> const& x) {
  auto const secant = secants(knots.y, x);
  auto slope = monotone_slopes(knots.y, x);
  for (std::size_t k = 2; k + 2 < x.size(); ++k) {
    double sharp = 0;
    for (std::size_t j = 0; j < 5; ++j)
      sharp += (x[k + j - 2] - x[k]) * knots.weights[k - 2][j];
    double const least = std::min(secant[k - 1], secant[k]);
    if (sharp > 0.3 * least && sharp < 2.5 * least)
      slope[k] = sharp;
  }
  return slope;
}

using Piece = std::array<double, 4>;

/// The cubic polynomials between points: their coefficients are x and its derivatives at the beginning of a piece,
/// divided by 0!, 1!, 2! and 3!.
std::vector<Piece> spline(std::vector<double> const& y, std::vector<double> const& x,
                          std::vector<double> const& slope) {
  auto const secant = secants(y, x);
  std::vector<Piece> pieces;
  for (std::size_t k = 0; k < secant.size(); ++k) {
    double const h = y[k + 1] - y[k];
    pieces.push_back({x[k], slope[k], (3 * secant[k] - 2 * slope[k] - slope[k + 1]) / h,
                      (slope[k] + slope[k + 1] - 2 * secant[k]) / (h * h)});
  }
  return pieces;
}

/// The value of x at y by the polynomials of spline(); the first and the last piece are extrapolated.
/// @param begins the beginnings of the pieces, and the end of the last one
double interpolate(std::vector<double> const& begins, std::vector<Piece> const& pieces, double y) {
  auto const next = std::upper_bound(begins.begin() + 1, begins.end() - 1, y);
  auto const k = static_cast<std::size_t>(next - begins.begin()) - 1;
  auto const& c = pieces[k];
  double const s = y - begins[k];
  return c[0] + s * (c[1] + s * (c[2] + s * c[3]));
}

void add_axis(PiecewiseCubic& map, std::vector<Piece> const& pieces) {
  for (auto const& c : pieces)
    map.terms.push_back({c[0], c[1]});
  for (auto const& c : pieces)
    map.terms.push_back({c[2], c[3]});
}

/// The same points as seen from the upper end of the unit interval.
std::vector<double> mirrored(std::vector<double> x) {
  std::reverse(x.begin(), x.end());
  for (double& number : x)
    number = 1 - number;
  return x;
}

/// The points at which the integral from 0 is y, for the knots y up to 1/2: by a spline of x over the logarithm of the
/// integral, which is a straight line for an exponential tail. In the first piece the tail is extrapolated, or the
/// integrand is constant, whichever is nearer: most of a peak's mass in that piece is at its end. There is one mass per
/// piece; if there are fewer masses, the first one is that of all pieces up to the first end.
void equalize_half(std::vector<double> const& y, std::vector<double> const& x, std::vector<double> const& masses,
                   std::vector<double>& moved) {
  std::size_t const joined = (x.size() - 1 - masses.size()) / 2; // with the first piece, and with the last
  std::vector<double> logarithms{std::log(masses[0])}, ends{x[joined + 1]};
  double integral = masses[0];
  for (std::size_t k = 1; k < masses.size(); ++k)
    if (double const logarithm = std::log(integral += masses[k]); logarithm > logarithms.back() + 1e-9) {
      logarithms.push_back(logarithm);
      ends.push_back(k + 1 < masses.size() ? x[joined + k + 1] : x.back());
    }
  auto const pieces = spline(logarithms, ends, monotone_slopes(logarithms, ends));
  for (std::size_t k = 1; k <= GeometricKnots::half; ++k)
    moved[k] = y[k] > masses[0]
                   ? interpolate(logarithms, pieces, std::log(y[k]))
                   : std::max(ends[0] * (y[k] / masses[0]), ends[0] + pieces[0][1] * std::log(y[k] / masses[0]));
}

constexpr auto knots = static_cast<std::size_t>(GeometricKnots::pieces) + 1;

std::vector<double> of_axis(std::vector<double> const& x, std::size_t axis) {
  auto const begin = x.begin() + static_cast<std::ptrdiff_t>(axis * knots);
  return {begin, begin + static_cast<std::ptrdiff_t>(knots)};
}

/// The masses of each axis as densities over y, 1 on average; empty for an axis whose masses are all zero.
std::vector<std::vector<double>> densities(std::vector<double> const& masses, std::vector<double> const& y) {
  std::vector<std::vector<double>> result;
  std::size_t const pieces = y.size() - 1;
  for (auto at = masses.begin(); at != masses.end(); at += static_cast<std::ptrdiff_t>(pieces)) {
    double const all = std::accumulate(at, at + static_cast<std::ptrdiff_t>(pieces), 0.0);
    auto& density = result.emplace_back();
    for (std::size_t k = 0; k < pieces && all > 0 && std::isfinite(all); ++k)
      density.push_back(at[static_cast<std::ptrdiff_t>(k)] / all / (y[k + 1] - y[k]));
  }
  return result;
}

/// The knots for this many masses.
std::vector<double> knots_of(std::vector<double> const& masses, int axes) {
  int const half = static_cast<int>(masses.size()) / axes / 2;
  return GeometricKnots::all(1 + (half - 1) / GeometricKnots::per_octave);
}

/// Raises densities where adjacent pieces hold next to nothing, so that these together keep a part of the unit
/// interval, unless they are narrower than any jump leaves them: then they are the end of a tail.
void keep_empty(std::vector<double>& density, std::vector<double> const& y, double part) {
  auto const& by = policy<QmcPolicy>();
  for (std::size_t k = 0, end = 0; k < density.size(); k = end + 1) {
    for (end = k; end < density.size() && density[end] < by.empty_density; ++end) {
    }
    double const width = y[end] - y[k];
    for (std::size_t j = k; j < end && width > by.least_empty_width; ++j)
      density[j] = std::max(density[j], part / width);
  }
}

} // namespace

std::vector<double> GeometricKnots::all(int octaves) {
  std::vector<double> y;
  int width = 0;
  for (int k = 0; k < count(octaves); ++k)
    y.push_back(std::ldexp(static_cast<double>(begin(k, width, octaves)), -63));
  y.push_back(1);
  return y;
}

PiecewiseCubic linear_map(std::vector<double> const& edges, int axes) {
  PiecewiseCubic map;
  auto const nodes = edges.size() / static_cast<std::size_t>(axes), bins = nodes - 1;
  for (std::size_t k = 0; k < bins; ++k)
    map.begins.push_back(static_cast<double>(k) / static_cast<double>(bins));
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(axes); ++axis) {
    std::vector<Piece> pieces;
    for (std::size_t k = 0; k < bins; ++k) {
      double const left = edges[axis * nodes + k], width = edges[axis * nodes + k + 1] - left;
      pieces.push_back({left, width * static_cast<double>(bins), 0, 0});
    }
    add_axis(map, pieces);
  }
  return map;
}

std::vector<double> at_knots(std::vector<double> const& edges, int axes) {
  int const pieces = policy<QmcPolicy>().trained_pieces;
  auto const nodes = edges.size() / static_cast<std::size_t>(axes), bins = nodes - 1;
  auto const y = GeometricKnots::all();
  std::vector<double> x;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(axes); ++axis) {
    double const* const edge = edges.data() + axis * nodes;
    std::vector<double> few_y{0}, few_x{0};
    for (int k = 1; k < pieces; ++k) {
      few_y.push_back((1 - std::cos(std::numbers::pi * k / pieces)) / 2);
      double const place = few_y.back() * static_cast<double>(bins);
      auto const bin = std::min(static_cast<std::size_t>(place), bins - 1);
      few_x.push_back(edge[bin] + (place - static_cast<double>(bin)) * (edge[bin + 1] - edge[bin]));
    }
    few_y.push_back(1);
    few_x.push_back(1);
    auto const few = spline(few_y, few_x, monotone_slopes(few_y, few_x));
    for (std::size_t k = 0; k < knots; ++k)
      x.push_back(k == 0 || k == knots - 1 ? y[k] : interpolate(few_y, few, y[k]));
  }
  return x;
}

PiecewiseCubic smooth_map(std::vector<double> const& x, int axes) {
  PiecewiseCubic map;
  map.geometric = true;
  static Knots const of_half = [] { // the other half mirrors it; with the knots on which slopes in it depend
    auto y = GeometricKnots::all();
    y.resize(GeometricKnots::half + 4);
    return Knots(std::move(y));
  }();
  auto const& y = of_half.y;
  for (int part = 0; part < 2; ++part)
    map.begins.insert(map.begins.end(), y.begin(), y.begin() + GeometricKnots::half);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(axes); ++axis) {
    std::vector<Piece> pieces;
    for (auto of : {of_axis(x, axis), mirrored(of_axis(x, axis))}) {
      of.resize(y.size());
      auto const half = spline(y, of, sharp_slopes(of_half, of));
      pieces.insert(pieces.end(), half.begin(), half.begin() + GeometricKnots::half);
    }
    add_axis(map, pieces);
  }
  return map;
}

void equalize(std::vector<double>& x, std::vector<double> const& masses, int axes, double least) {
  auto const& by = policy<QmcPolicy>();
  auto const all_y = GeometricKnots::all(), y = knots_of(masses, axes);
  std::size_t axis = 0;
  for (auto& mass : densities(masses, y)) {
    double* const moved = x.data() + knots * axis;
    auto const old = of_axis(x, axis++);
    if (mass.empty())
      continue;
    for (double& density : mass)
      density = std::max(density, by.least_density);
    keep_empty(mass, y, least);
    for (std::size_t k = 1; k < mass.size(); ++k)
      mass[k] = std::max(mass[k], by.least_of_neighbour * mass[k - 1]);
    for (std::size_t k = mass.size() - 1; k > 0; --k)
      mass[k - 1] = std::max(mass[k - 1], by.least_of_neighbour * mass[k]);
    for (std::size_t k = 0; k < mass.size(); ++k)
      mass[k] *= y[k + 1] - y[k];
    double const total = std::accumulate(mass.begin(), mass.end(), 0.0);
    for (double& part : mass)
      part /= total;
    std::vector<double> low(knots), high(knots);
    equalize_half(all_y, old, mass, low);
    std::reverse(mass.begin(), mass.end());
    equalize_half(all_y, mirrored(old), mass, high);
    for (std::size_t k = 1; k < knots - 1; ++k)
      moved[k] = k <= GeometricKnots::half ? low[k] : 1 - high[knots - 1 - k];
  }
}

double mismatch(std::vector<double> const& masses, int axes) {
  auto const y = knots_of(masses, axes);
  double most = 0;
  for (auto const& density : densities(masses, y)) {
    double sum = density.empty() ? 2 : 0;
    for (std::size_t k = 0; k < density.size(); ++k)
      sum += std::abs(density[k] - 1) * (y[k + 1] - y[k]);
    most = std::max(most, sum / 2);
  }
  return most;
}

} // namespace kubature::detail

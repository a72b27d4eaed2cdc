#include <kubature/detail/symmetric.hpp>
#include <kubature/detail/transform.hpp>
#include <kubature/peaks.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

namespace kubature::detail {
namespace {

/// One side of a box, as it is mapped.
struct MappedSide {
  Transform<double, 1> transform;

  explicit MappedSide(Side side) : transform(Box<1>{side}, CoordinateFormat::of<double>()) {}

  /// x(t) and dx/dt.
  std::pair<double, double> at(double t) const {
    Point<double, 1> x;
    x[0] = transform.place(0, t);
    double const slope = transform.infinite() ? transform.map<double>(x) : transform.volume();
    return {x[0], slope};
  }
};

} // namespace

double place_in_cube(Side const& side, double x) {
  MappedSide const mapped(side);
  double below = 0, above = 1;
  for (int n = 0; n < std::numeric_limits<double>::digits; ++n) {
    double const middle = (below + above) / 2;
    (mapped.at(middle).first <= x ? below : above) = middle;
  }
  return (below + above) / 2;
}

std::vector<kubature::Peak> peaks_in_box(std::vector<Mode> const& modes, Box<dynamic_many> const& box) {
  auto const d = static_cast<std::size_t>(box.dimension());
  std::vector<MappedSide> sides;
  for (int i = 0; i < box.dimension(); ++i)
    sides.emplace_back(box[i]);
  std::vector<kubature::Peak> peaks;
  for (auto const& mode : modes) {
    kubature::Peak peak{std::vector<double>(d), mode.height, std::vector<double>(d * d)};
    std::vector<double> slope(d);
    for (std::size_t i = 0; i < d; ++i)
      std::tie(peak.at[i], slope[i]) = sides[i].at(mode.at[i]);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j)
        peak.covariance[i * d + j] = mode.covariance(i, j) * (slope[i] * slope[j]);
    peaks.push_back(std::move(peak));
  }
  return peaks;
}

} // namespace kubature::detail

namespace kubature {

double log_integral(Peak const& peak) {
  auto const d = peak.at.size();
  double result = peak.log_height + static_cast<double>(d) * std::log(2 * std::numbers::pi) / 2;
  std::vector<double> deviation;
  for (std::size_t i = 0; i < d; ++i) {
    deviation.push_back(std::sqrt(peak.covariance[i * d + i]));
    result += std::log(deviation[i]);
  }
  detail::Matrix correlation(d, d); // whose determinant does not depend on units
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j)
      correlation(i, j) = i == j ? 1 : peak.covariance[i * d + j] / (deviation[i] * deviation[j]);
  for (double const each : detail::eigen(correlation).values)
    result += std::log(std::max(each, std::numeric_limits<double>::epsilon())) / 2; // rounding may make it negative
  return result;
}

} // namespace kubature

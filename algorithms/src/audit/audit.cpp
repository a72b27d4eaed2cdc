#include "audit/even_points.hpp"

#include <kubature/detail/audit/audit.hpp>
#include <kubature/detail/audit/tail_shape.hpp>
#include <kubature/detail/policies/call_policy.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

namespace kubature::detail {
namespace {

/// The distances from an end at which f is evaluated: where rounding ends, and 2^8 times that, but near the end; where
/// samples end; 2^8 times that in corners, and a 2^8th of that, if it is not rounded, at single sides; and, for these,
/// some more up to the middle, evenly on a logarithmic scale.
struct Distances {
  static constexpr int rounded = 0, above_rounded = 1, drawn = 2, above_drawn = 3, closer = 3, count = 4;
  static constexpr int octaves = 8, on_the_way = 12;
  static constexpr double farthest = 0x1p-10; ///< maximum distance at which samples end
  static constexpr double near = 0x1p-4;      ///< closer than this to an end, a smooth f hardly changes
};

double reached(Reach::End const& end, bool by_samples) {
  return std::min(by_samples ? std::max(end.drawn, end.rounded) : end.rounded, Distances::farthest);
}

/// Towards a pole |f| grows like a power of the distance, to within this from octave to octave. What sets in just
/// before an end does not.
constexpr double same_power = 0.3;

/// The power of the distance of which these masses are, `octaves` apart; those that are zero farther away have
/// one of minus infinity.
double power_of(double near, double far, double octaves) {
  return far > 0 ? std::log2(far / near) / octaves : -std::numeric_limits<double>::infinity();
}

/// The integral over the logarithm of the distance, by trapezoids.
double over_distances(std::vector<double> const& mass, std::vector<double> const& distance) {
  double sum = 0;
  for (std::size_t j = 1; j < mass.size(); ++j)
    sum += (mass[j] + mass[j - 1]) / 2 * std::log(distance[j] / distance[j - 1]);
  return sum;
}

} // namespace

std::vector<int> examined_axes(int dimension) {
  int const count = std::min(dimension, max_dimension);
  std::vector<int> axes;
  for (int k = 0; k < count; ++k)
    axes.push_back(k * dimension / count);
  return axes;
}

AxisMap axis_map(std::vector<double> const& edges, int axes) {
  auto const nodes = edges.size() / static_cast<std::size_t>(axes);
  return [&edges, nodes, axes](int axis, double y, double& jacobian) {
    auto const bins = static_cast<double>(nodes - 1);
    auto const bin = std::min(static_cast<std::size_t>(y * bins), nodes - 2);
    double const* const edge = edges.data() + (axes > 1 ? static_cast<std::size_t>(axis) * nodes : 0) + bin;
    jacobian *= bins * (edge[1] - edge[0]);
    return edge[0] + (y * bins - static_cast<double>(bin)) * (edge[1] - edge[0]);
  };
}

void note_reach(std::vector<Reach>& reach, AxisMap const& map, double samples, double finest) {
  double const closest = std::max(1 / samples, finest);
  double unused = 1;
  for (std::size_t axis = 0; axis < reach.size(); ++axis) {
    reach[axis].lower.drawn = map(static_cast<int>(axis), closest, unused);
    reach[axis].upper.drawn = 1 - map(static_cast<int>(axis), 1 - closest, unused);
  }
}

DrawnPoints draw_through(AxisMap const& map, int dimension, std::uint64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  DrawnPoints result;
  for (std::uint64_t k = 0; k < count; ++k) {
    double factor = 1;
    for (int axis = 0; axis < dimension; ++axis)
      result.t.push_back(map(axis, (static_cast<double>(random() >> 12) + 0.5) * 0x1p-52, factor));
    result.factor.push_back(factor);
  }
  return result;
}

std::string Audit::End::name() const {
  std::string result;
  for (std::size_t i = 0; i < axes.size(); ++i)
    result += std::string(i == 0 ? "the " : " and the ") + (upper >> i & 1 ? "upper" : "lower") + " end of side " +
              std::to_string(axes[i] + 1);
  return result;
}

Audit::Audit(std::vector<Reach> const& reach, std::uint64_t most, DrawnPoints drawn_points)
    : dimension_(static_cast<int>(reach.size())), drawn_(std::move(drawn_points)) {
  auto const axes = examined_axes(dimension_);
  int const d = static_cast<int>(axes.size());
  auto const each = static_cast<std::uint64_t>(2 * d * (Distances::count + Distances::on_the_way));
  int const lines = static_cast<int>(std::clamp<std::uint64_t>(most / 2 / each, 1, policy<CallPolicy>().most_lines));
  for (int const axis : axes)
    for (unsigned upper = 0; upper < 2; ++upper)
      approach(reach, {axis}, upper, lines);
  auto const affordable = [&](double corners) {
    return corners * lines * Distances::count <= static_cast<double>(most) / 4;
  };
  if (d > 2 && affordable(2.0 * d * (d - 1)))
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < i; ++j)
        for (unsigned upper = 0; upper < 4; ++upper)
          approach(reach, {axes[static_cast<std::size_t>(j)], axes[static_cast<std::size_t>(i)]}, upper, lines);
  if (d > 1 && affordable(std::ldexp(1.0, d)))
    for (unsigned upper = 0; upper < 1u << d; ++upper)
      approach(reach, axes, upper, lines);
  first_drawn_ = points_.size() / static_cast<std::size_t>(dimension_);
  points_.insert(points_.end(), drawn_.t.begin(), drawn_.t.end());
}

void Audit::approach(std::vector<Reach> const& reach, std::vector<int> const& axes, unsigned upper, int lines) {
  End end{axes, upper, points_.size() / static_cast<std::size_t>(dimension_), lines, Distances::octaves, 0, {}};
  bool const single = axes.size() == 1;
  auto const end_of = [&](std::size_t i) -> Reach::End const& {
    auto const& along = reach[static_cast<std::size_t>(axes[i])];
    return (upper >> i & 1) != 0 ? along.upper : along.lower;
  };
  for (std::size_t i = 0; i < axes.size(); ++i)
    end.octaves = std::min(end.octaves, static_cast<int>(std::log2(Distances::near / reached(end_of(i), false))));
  if (single) {
    double const unseen = std::log2(reached(end_of(0), true) / reached(end_of(0), false));
    end.closer = std::min(Distances::octaves, static_cast<int>(std::min(unseen, 100.0)));
  }
  EvenPoints const even(dimension_), phase(1);
  for (int distance = 0; distance < Distances::count + (single ? Distances::on_the_way : 0); ++distance)
    for (int line = 0; line < lines; ++line) {
      std::vector<double> t;
      for (int axis = 0; axis < dimension_; ++axis)
        t.push_back(even(line, axis));
      double extent = 1;
      for (std::size_t i = 0; i < axes.size(); ++i) {
        bool const above = (upper >> i & 1) != 0;
        auto const& of = end_of(i);
        double off = reached(of, distance >= Distances::drawn);
        if (distance == Distances::above_rounded)
          off = std::ldexp(off, end.octaves);
        if (distance == Distances::above_drawn) // or closer
          off = std::ldexp(off, single ? -end.closer : Distances::octaves);
        if (distance >= Distances::count) { // up to 1/2
          double const from = reached(of, true);
          off = from * std::pow(0.5 / from, (distance - Distances::count + 0.5) / Distances::on_the_way);
        }
        // Each line has its own part of an octave, so that an oscillation has many phases, and a different one on each
        // axis of a corner.
        if (distance < Distances::count)
          off *= std::exp2(-(single ? phase(line, 0) : even(line, static_cast<int>(i))));
        extent *= off;
        t[static_cast<std::size_t>(axes[i])] = above ? 1 - off : off;
      }
      end.extent.push_back(extent);
      points_.insert(points_.end(), t.begin(), t.end());
    }
  ends_.push_back(std::move(end));
}

std::vector<double> Audit::masses(End const& end, int distance, std::vector<double> const& values, int components,
                                  int component) const {
  std::vector<double> result;
  for (int line = 0; line < end.lines; ++line) {
    auto const k = static_cast<std::size_t>(distance * end.lines + line);
    double const size =
        std::abs(values[(end.first + k) * static_cast<std::size_t>(components) + static_cast<std::size_t>(component)]);
    result.push_back(size * end.extent[k]);
  }
  return result;
}

Audit::Tail Audit::closer_than(End const& end, int distance, std::function<double(int)> const& mass) const {
  auto const axes = static_cast<double>(end.axes.size());
  bool const single = end.axes.size() == 1, rounded = distance == Distances::rounded;
  double const least_power = policy<CallPolicy>().least_end_power;
  int const last = Distances::count + (single ? Distances::on_the_way : 0) - 1;
  auto const octaves = [&](int from, int to) {
    auto const extent = [&](int k) { return end.extent[static_cast<std::size_t>(k * end.lines)]; };
    return std::log2(extent(to) / extent(from)) / axes;
  };
  double here = mass(distance);
  // If f overflows: what lies closer than the first distance at which it does not.
  for (int j = Distances::count; single && !std::isfinite(here) && j < last; ++j)
    if (here = mass(j); std::isfinite(here)) {
      double const power = power_of(here, mass(j + 1), octaves(j, j + 1));
      return here > 0 ? Tail{here / std::max(power, least_power), true, power < least_power} : Tail{};
    }
  if (!std::isfinite(here) || !(here > 0) || (single && !rounded && end.closer < 1))
    return {};
  // Mass ~ distance^power: the number of axes where f is smooth, less by a where |f| ~ distance^-a.
  double const power = rounded  ? power_of(here, mass(Distances::above_rounded), end.octaves)
                       : single ? power_of(mass(Distances::closer), here, end.closer)
                                : power_of(here, mass(Distances::above_drawn), Distances::octaves);
  if (power > (rounded ? axes - 0.1 : 0.55 * axes))
    return {};
  int outer = single ? Distances::count : Distances::above_drawn;
  while (outer < last && octaves(Distances::drawn, outer) < Distances::octaves)
    ++outer;
  bool const grows = power_of(here, mass(outer), octaves(distance, outer)) > power - same_power;
  return {axes * here / std::max(power, least_power), grows, (rounded || single) && grows && power < least_power};
}

Audit::Findings Audit::findings(std::vector<double> const& values, int components, int component) const {
  Findings result;
  double most = 0;
  auto const d = static_cast<std::size_t>(dimension_);
  std::vector<double> along(d), beyond_rounding(d), beyond_points(d);
  for (End const& end : ends_) {
    auto const of = [&](int distance) { return masses(end, distance, values, components, component); };
    auto const mean = [&](int distance) {
      auto const lines = of(distance);
      return std::accumulate(lines.begin(), lines.end(), 0.0) / end.lines;
    };
    auto const rounding = closer_than(end, Distances::rounded, mean);
    auto points = closer_than(end, Distances::drawn, mean);
    if (rounding.amount > points.amount)
      points = rounding;
    result.diverges = result.diverges || rounding.diverges || points.diverges;
    result.rounding.amount += rounding.amount;
    result.points.amount += points.amount;
    if (points.amount > most)
      result.where = end.name();
    most = std::max(most, points.amount);
    if (end.axes.size() > 1)
      continue;
    auto const axis = static_cast<std::size_t>(end.axes[0]);
    beyond_rounding[axis] += rounding.grows ? rounding.amount : 0;
    beyond_points[axis] += points.grows ? points.amount : 0;
    std::vector<std::vector<double>> mass(static_cast<std::size_t>(end.lines)), distance(mass.size());
    for (int j = Distances::count; j < Distances::count + Distances::on_the_way; ++j) {
      auto const of_lines = of(j);
      for (std::size_t line = 0; line < mass.size(); ++line) {
        mass[line].push_back(std::isfinite(of_lines[line]) ? of_lines[line] : 0);
        distance[line].push_back(end.extent[static_cast<std::size_t>(j) * mass.size() + line]);
      }
    }
    for (std::size_t line = 0; line < mass.size(); ++line)
      along[axis] += over_distances(mass[line], distance[line]) / end.lines;
  }
  for (std::size_t axis = 0; axis < d; ++axis) {
    result.rounding.add_share(along[axis], beyond_rounding[axis]);
    result.points.add_share(along[axis], beyond_points[axis]);
  }
  std::vector<double> weights;
  for (std::size_t k = 0; k < drawn_.factor.size(); ++k) {
    double const weight = std::abs(
        drawn_.factor[k] *
        values[(first_drawn_ + k) * static_cast<std::size_t>(components) + static_cast<std::size_t>(component)]);
    weights.push_back(std::isfinite(weight) ? weight : 0);
    result.largest = std::max(result.largest, weights.back());
  }
  result.weights = weights.size();
  if (!weights.empty())
    result.k_hat = tail_shape(std::move(weights));
  return result;
}

} // namespace kubature::detail

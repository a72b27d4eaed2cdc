#pragma once

#include <kubature/cubature_rule.hpp>
#include <kubature/point.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

/// A reference for comparisons: plain sequential C++, which shares nothing with the library but the rules' numbers.
namespace oracle {

struct CuhreResult {
  double value = 0;
  double error = 0;
  std::uint64_t evaluations = 0;
  /// At the end; together they make up the box.
  std::uint64_t regions = 0;
  bool converged = false;
};

/// Cuhre as published (Berntsen, Espelid and Genz, ACM TOMS 17 (1991) 437): a heap of regions, of which the one with
/// the largest error is bisected, one after the other, starting from the whole box. Value and error are sums over the
/// regions at the end, as those of Cuba's Cuhre with bit 2 of its flags set ("final").
template <class F>
class Cuhre {
public:
  Cuhre(F const& f, kubature::CubatureRule const& rule)
      : f_(f), rule_(rule), d_(static_cast<std::size_t>(rule.dimension())), x_(d_) {
    auto const& orbits = rule.orbits();
    while (axis_orbits_ + 1 < orbits.size() && orbits[axis_orbits_ + 1].generator.size() == 1)
      ++axis_orbits_;
    double const ratio = orbits[2].generator[0] / orbits[1].generator[0];
    ratio_ = ratio * ratio;
    for (auto const& orbit : orbits) {
      bool const few = orbit.generator.size() <= most_moved;
      first_.push_back(pairs_.size());
      if (orbit.generator.size() > 1 && few)
        for (auto const& offsets : rule.half_orbit(orbit))
          pairs_.push_back(pair(offsets));
    }
    first_.push_back(pairs_.size());
  }

  CuhreResult operator()(double relative, double absolute, std::uint64_t max_evaluations) {
    start();
    return go_on(relative, absolute, max_evaluations);
  }

  /// Evaluates the whole box.
  void start() {
    boxes_.assign(2 * d_, 0.5); // the centre, then half the sides
    regions_.assign(1, {});
    heap_.clear();
    evaluate(0);
    push(0);
    value_ = regions_[0].value;
    error_ = regions_[0].error;
    evaluations_ = rule_.points();
  }

  /// Bisects from where it has stopped: to tighter tolerances in turn it takes the course of a single call to the last.
  CuhreResult go_on(double relative, double absolute, std::uint64_t max_evaluations) {
    auto const met = [&] { return error_ <= std::max(relative * std::abs(value_), absolute); };
    for (;;) {
      bool const last = evaluations_ + 2 * rule_.points() > max_evaluations;
      if (met() || last) {
        add_up(); // rounding has accumulated in the differences of errors
        if (met() || last)
          return {value_, error_, evaluations_, regions_.size(), met()};
      }
      bisect_worst();
    }
  }

private:
  static constexpr std::size_t most_moved = 3;

  struct Region {
    double value = 0, error = 0;
    std::size_t axis = 0;
  };
  struct Entry {
    double error;
    std::size_t region;
    bool operator<(Entry const& other) const { return error < other.error; }
  };
  /// A point that differs from the centre along few axes, with its mirror image.
  struct Pair {
    std::size_t count;
    std::size_t axis[most_moved];
    double offset[most_moved]; ///< in units of half the side
  };

  static Pair pair(std::vector<double> const& offsets) {
    Pair result{0, {}, {}};
    for (std::size_t k = 0; k < offsets.size(); ++k)
      if (offsets[k] != 0) {
        result.axis[result.count] = k;
        result.offset[result.count++] = 2 * offsets[k];
      }
    return result;
  }

  void push(std::size_t region) {
    heap_.push_back({regions_[region].error, region});
    std::push_heap(heap_.begin(), heap_.end());
  }

  void add_up() {
    value_ = error_ = 0;
    for (auto const& region : regions_) {
      value_ += region.value;
      error_ += region.error;
    }
  }

  /// Bisects the region with the largest error.
  void bisect_worst() {
    std::pop_heap(heap_.begin(), heap_.end());
    auto const lower = heap_.back().region, upper = regions_.size();
    heap_.pop_back();
    Region const parent = regions_[lower];
    bisect(lower);
    evaluate(lower);
    evaluate(upper);
    evaluations_ += 2 * rule_.points();
    Region &a = regions_[lower], &b = regions_[upper];
    double const change = std::abs(a.value + b.value - parent.value) / 4;
    double const both = a.error + b.error;
    for (Region* child : {&a, &b})
      child->error = (both > 0 ? child->error * (1 + 2 * change / both) : 0) + change;
    value_ += a.value + b.value - parent.value;
    error_ += a.error + b.error - parent.error;
    push(lower);
    push(upper);
  }

  /// Turns a region into its lower half, and adds its upper half.
  void bisect(std::size_t region) {
    std::size_t const axis = regions_[region].axis;
    boxes_.resize(boxes_.size() + 2 * d_);
    double *const box = boxes_.data() + 2 * d_ * region, *const sibling = boxes_.data() + boxes_.size() - 2 * d_;
    box[d_ + axis] /= 2;
    std::copy(box, box + 2 * d_, sibling);
    box[axis] -= box[d_ + axis];
    sibling[axis] += box[d_ + axis];
    regions_.push_back({});
  }

  double at_x() const { return f_(static_cast<double const*>(x_.data())); }

  void evaluate(std::size_t region) {
    double const *const centre = boxes_.data() + 2 * d_ * region, *const half = centre + d_;
    std::copy(centre, half, x_.begin());
    auto const& orbits = rule_.orbits();
    double sum[kubature::CubatureRule::rules] = {};
    auto const add = [&](std::size_t orbit, double values) {
      for (std::size_t r = 0; r < kubature::CubatureRule::rules; ++r)
        sum[r] += orbits[orbit].weight[r] * values;
    };
    double const middle = at_x();
    add(0, middle);

    double largest = -1;
    for (std::size_t axis = 0; axis < d_; ++axis) {
      double values[2] = {};
      for (std::size_t o = 1; o <= axis_orbits_; ++o) {
        double const step = 2 * orbits[o].generator[0] * half[axis];
        x_[axis] = centre[axis] + step;
        double both = at_x();
        x_[axis] = centre[axis] - step;
        both += at_x();
        add(o, both);
        if (o <= 2)
          values[o - 1] = both;
      }
      x_[axis] = centre[axis];
      // The fourth difference, taken as zero if it is only rounding; among equal ones the longest side is split.
      double const difference = std::abs(ratio_ * (values[0] - 2 * middle) - (values[1] - 2 * middle));
      double const noise = 4 * std::numeric_limits<double>::epsilon() *
                           (std::abs(ratio_ * values[0]) + std::abs(values[1]) + 2 * std::abs(middle));
      double const size = difference > noise ? difference : 0;
      if (size > largest || (size == largest && half[axis] > half[regions_[region].axis])) {
        largest = size;
        regions_[region].axis = axis;
      }
    }

    for (std::size_t o = axis_orbits_ + 1; o < orbits.size(); ++o)
      add(o, orbits[o].generator.size() <= most_moved ? at_pairs(o, centre, half) : at_corners(o, centre, half));

    double volume = 1;
    for (std::size_t k = 0; k < d_; ++k)
      volume *= 2 * half[k];
    regions_[region].value = volume * sum[0];
    regions_[region].error = volume * error_of(sum);
  }

  double at_pairs(std::size_t orbit, double const* centre, double const* half) {
    double sum = 0;
    for (std::size_t p = first_[orbit]; p < first_[orbit + 1]; ++p) {
      Pair const& pair = pairs_[p];
      for (double const side : {1.0, -1.0}) {
        for (std::size_t m = 0; m < pair.count; ++m)
          x_[pair.axis[m]] = centre[pair.axis[m]] + side * pair.offset[m] * half[pair.axis[m]];
        sum += at_x();
      }
      for (std::size_t m = 0; m < pair.count; ++m)
        x_[pair.axis[m]] = centre[pair.axis[m]];
    }
    return sum;
  }

  /// Goes from corner to corner along edges, in the order of a Gray code.
  double at_corners(std::size_t orbit, double const* centre, double const* half) {
    double const offset = 2 * rule_.orbits()[orbit].generator[0];
    for (std::size_t k = 0; k < d_; ++k)
      x_[k] = centre[k] - offset * half[k];
    double sum = at_x();
    std::uint64_t above = 0;
    for (std::uint64_t count = 1; count < std::uint64_t{1} << d_; ++count) {
      std::size_t axis = 0;
      while ((count >> axis & 1) == 0)
        ++axis;
      above ^= std::uint64_t{1} << axis;
      x_[axis] = centre[axis] + ((above >> axis & 1) != 0 ? offset : -offset) * half[axis];
      sum += at_x();
    }
    std::copy(centre, centre + d_, x_.begin());
    return sum;
  }

  /// The error for unit volume, from the values of the null rules (loc. cit., section 4).
  double error_of(double const (&sum)[kubature::CubatureRule::rules]) const {
    double e[kubature::CubatureRule::null_rules - 1] = {};
    for (auto const& orbit : rule_.orbits())
      for (std::size_t r = 0; r < std::size(e); ++r)
        e[r] = std::max(e[r], std::abs(sum[r + 2] + orbit.scale[r] * sum[r + 1]) * orbit.norm[r]);
    auto const [trust, shrink, stretch] = rule_.error_coefficients();
    return trust * e[0] <= e[1] && trust * e[1] <= e[2] ? shrink * e[0] : stretch * std::max({e[0], e[1], e[2]});
  }

  F f_;
  kubature::CubatureRule const& rule_;
  std::size_t d_;
  std::size_t axis_orbits_ = 0;
  double ratio_;
  std::vector<Pair> pairs_;
  std::vector<std::size_t> first_; ///< first pair of each orbit
  std::vector<double> x_;          ///< the point, which is the centre between orbits
  std::vector<double> boxes_;
  std::vector<Region> regions_;
  std::vector<Entry> heap_;
  double value_ = 0, error_ = 0; ///< the sums over the regions, up to rounding
  std::uint64_t evaluations_ = 0;
};

/// The integral of f over the unit cube, until error <= max(relative |value|, absolute).
/// @param f takes the coordinates, a double const*; its values are finite
template <class F>
CuhreResult cuhre(F const& f, int dimension, kubature::Rule rule, double relative, double absolute,
                  std::uint64_t max_evaluations) {
  kubature::CubatureRule const cubature(rule, dimension);
  return Cuhre<F>(f, cubature)(relative, absolute, max_evaluations);
}

/// An integrand of the library as the oracle calls it.
template <int D, class F>
auto on_coordinates(F const& f) {
  return [f](double const* x) {
    kubature::Point<double, D> point;
    for (int k = 0; k < D; ++k)
      point[k] = x[k];
    return f(point);
  };
}

} // namespace oracle

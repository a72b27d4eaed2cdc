#pragma once

#include <kubature/box.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

/// \file
/// What samples cannot reveal about themselves. Iterations agree on what all of them see; what none of them sees, and
/// weights without a variance, have to be searched for (docs/design/audits.md).

namespace kubature::detail {

/// The smallest distances of points from the ends of a side, in units of the side (of the variable t on infinite sides,
/// see Box).
struct Reach {
  struct End {
    double rounded; ///< closer points cannot be distinguished from the end
    double drawn;   ///< at most about one point of a call is closer
  };
  End lower, upper;
};

/// For each side, where points are rounded to a format: about twice the distance that Transform keeps from the ends.
/// `drawn` stays 0.
template <int D>
std::vector<Reach> reach_of_rounding(Box<D> const& box, CoordinateFormat const& format) {
  std::vector<Reach> result;
  for (int i = 0; i < box.dimension(); ++i) {
    PlacedSide const placed(box[i], format);
    double const begin = placed.finite() ? box[i].lower : 0, end = placed.finite() ? box[i].upper : 1;
    auto const distance = [&](double off, double least) { return std::fmax(2 * off / (end - begin), least); };
    result.push_back({{distance(placed.begin - begin, 0x1p-1000), 0}, {distance(end - placed.end, format.epsilon), 0}});
  }
  return result;
}

/// The axes whose ends, and along which poles, are examined: all, or 20 of many, evenly spread.
std::vector<int> examined_axes(int dimension);

/// The map of an axis as a method draws through it: t(y), from the unit interval to itself, whose derivative multiplies
/// the jacobian.
using AxisMap = std::function<double(int axis, double y, double& jacobian)>;

/// Points that a method draws, with the factors by which it weighs their values.
struct DrawnPoints {
  std::vector<double> t;      ///< in the unit cube, [point][axis]
  std::vector<double> factor; ///< the Jacobian of the method's map
};

/// Draws points through a map.
DrawnPoints draw_through(AxisMap const& map, int dimension, std::uint64_t count, std::uint64_t seed);

/// A VEGAS map.
/// @param edges bins + 1 numbers from 0 to 1 for each axis, or of one axis for all; they must outlive the map
AxisMap axis_map(std::vector<double> const& edges, int axes);

/// Records how close to the ends this many samples through a map come.
/// @param finest the smallest number that a method draws
void note_reach(std::vector<Reach>& reach, AxisMap const& map, double samples, double finest);

/// The points at which an integrand is audited, and what its values there show.
class Audit {
public:
  /// @param most  maximum number of evaluations of the audit; a few are always made
  /// @param drawn their weights show whether a variance exists; may be empty
  Audit(std::vector<Reach> const& reach, std::uint64_t most, DrawnPoints drawn);

  /// Points in the unit cube, [point][axis].
  std::vector<double> const& points() const { return points_; }
  std::uint64_t count() const { return points_.size() / static_cast<std::size_t>(dimension_); }

  /// Of one component.
  struct Findings {
    /// The mass that may lie closer to the ends than points do: as a share of the integral, and as an integral of |f|.
    struct Beyond {
      double share = 0, amount = 0;
      double of(double value) const { return std::fmax(amount, share * std::abs(value)); }
      /// Of an axis, on which this much was seen; of several, as of a product: not more than all.
      void add_share(double seen, double beyond) {
        if (beyond > 0)
          share += (1 - share) * beyond / (seen + beyond);
      }
    };
    Beyond rounding;           ///< where coordinates are rounded
    Beyond points;             ///< or where there are hardly any points, poles within the sides included
    double largest = 0;        ///< the largest weight of a point
    std::uint64_t weights = 0; ///< points of the method that were examined
    double k_hat = std::numeric_limits<double>::quiet_NaN(); ///< tail_shape() of the weights
    bool diverges = false; ///< |f| grows so fast towards an end that its integral diverges, or nearly does
    std::string where;     ///< the end that matters most: "the upper end of side 2"

    /// Adds what lies closer to poles within the sides.
    void add_pole(double share, int axis) {
      if (share > points.share)
        where = "a pole within side " + std::to_string(axis + 1);
      points.share += share;
    }
  };
  /// @param values f times the volume at points(), [point][component]
  Findings findings(std::vector<double> const& values, int components, int component) const;

private:
  /// An end of a side, or a corner of several sides, that points approach, `lines` of them at each distance.
  struct End {
    std::vector<int> axes;
    unsigned upper;    ///< bit i: the upper end of axes[i]
    std::size_t first; ///< of its points, [distance][line]
    int lines;
    int octaves;                ///< between the first two distances
    int closer;                 ///< octaves, between that where samples end and the next, closer one, at single sides
    std::vector<double> extent; ///< the product of the distances along all axes, of each point
    std::string name() const;
  };
  /// What lies closer to an end than a distance.
  struct Tail {
    double amount = 0;  ///< the integral of |f| there
    bool grows = false; ///< like a power of the distance, which holds farther away, too: a share of the integral
    bool diverges = false;
  };
  /// @param mass the mean of |f| times the extent at a distance
  Tail closer_than(End const& end, int distance, std::function<double(int)> const& mass) const;
  void approach(std::vector<Reach> const& reach, std::vector<int> const& axes, unsigned upper, int lines);
  /// |f| times the extent, of each line.
  std::vector<double> masses(End const& end, int distance, std::vector<double> const& values, int components,
                             int component) const;

  int dimension_;
  std::vector<double> points_;
  std::vector<End> ends_; ///< first those of single sides, the lower and the upper one of each
  DrawnPoints drawn_;
  std::size_t first_drawn_ = 0;
};

} // namespace kubature::detail

#pragma once

#include <limits>

namespace kubature::detail {

/// The result of a few points in a form of the map.
struct MapTrial {
  double value = 0;
  double error = std::numeric_limits<double>::infinity(); ///< infinite: not tried
  double magnitude = 0;                                   ///< the root mean square of the values
  double unsure = 1;  ///< the standard error of the mean square of the values, in units of it
  bool gains = false; ///< whether lattices gain by their evenness

  /// Whether the error is this many times that of another trial, whose estimate agrees.
  bool exceeds(MapTrial const& other, double times) const;

  /// Whether another trial finds several times as much: the estimates of both are right on average, rarely several
  /// times too large, but too small wherever a peak is missed.
  bool overlooks(MapTrial const& other) const;

  /// Whether another trial is to be preferred: one that has a far smaller error, and agrees or finds more, or one that
  /// finds more by far more than the errors. If a map misses part of a peak, its error does not show it.
  bool yields(MapTrial const& other) const;
};

/// Chooses the form of the map whose estimates scatter least with a few points: none, or else a smooth one, even if it
/// does only about as well: without kinks the error falls faster with more points, if the lattice gains over random
/// points.
///
/// An estimate that is far from that in a smooth map has missed a peak, and so has one without a map with far smaller
/// values: maps do not increase the root mean square. A map in which a few points make up most of the mean square is
/// unreliable, since its tails may hold more than they show, unless values without it are far larger.
class MapChoice {
public:
  /// Smooth, as trained and as refined by slabs; linear in the trained bins; none.
  enum Form { trained, refined, by_bins, none, all };

  MapTrial trials[all];

  Form best() const;

  /// The best map if all are unreliable and would be better than none, which is used if they remain so; else `none`.
  Form best_unreliable() const;

  /// Whether a few points make up most of what was seen of a peak, in all maps that were tried, or in the best one.
  bool unreliable(Form best) const { return best == none ? best_unreliable() != none : unsure(best); }

  /// The map that a rotation to the axes of a peak may improve on, `none` if there is no peak or a refined map fits it.
  Form peaked(Form best) const;

  /// Four times as many other points in an unreliable map. If its tails hold no more than they should, these determine
  /// the mean square twice as well.
  void look_again(Form map, double unsure) { trials[map].unsure = 2 * unsure; }

private:
  static constexpr double never = std::numeric_limits<double>::infinity();

  bool tried(Form form) const { return trials[form].error < never; }
  bool unsure(Form form) const;
  Form reference() const;
  double scatter(Form form) const;
  double trusted(Form map) const { return unsure(map) && !missed() && !necessary() ? never : scatter(map); }
  double magnitude() const;
  bool missed() const;
  bool necessary() const;
};

} // namespace kubature::detail

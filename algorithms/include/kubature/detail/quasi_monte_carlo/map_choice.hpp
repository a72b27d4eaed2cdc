#pragma once

#include <limits>

namespace kubature::detail {

/// What a few points in a form of the map tell.
struct MapTrial {
  double value = 0;
  double error = std::numeric_limits<double>::infinity(); ///< infinite: it was not tried
  double magnitude = 0;                                   ///< the root mean square of the values
  double unsure = 1;  ///< the standard error of the mean square of the values, in units of it
  bool gains = false; ///< whether lattices gain anything by their evenness

  /// Whether the error is so many times that of another trial, whose estimate agrees.
  bool exceeds(MapTrial const& other, double times) const;

  /// Whether another trial finds several times as much: the estimates of both are right on average, and rarely too
  /// large by several times, but too small wherever a peak is missed.
  bool overlooks(MapTrial const& other) const;

  /// Whether another trial is to be preferred: one that has a far smaller error, and agrees or finds more, or one that
  /// finds more by far more than the errors. A map that misses part of a peak tells nothing of it in its error.
  bool yields(MapTrial const& other) const;
};

/// Chooses the form of the map whose estimates scatter least with a few points: none, or else a smooth one, already
/// where it does about as well: without kinks the error falls faster with more of them, if the lattice gains anything
/// over random points.
///
/// An estimate that is far off that in a smooth map has missed a peak, and so has one without a map from far smaller
/// values: maps make them no larger in the root mean square. A map that leaves most of the mean square to a few points
/// is doubted, since its tails may hold more than they tell, unless values without it are larger by far.
class MapChoice {
public:
  /// Smooth, as trained and as refined by slabs; linear in the trained bins; none.
  enum Form { trained, refined, by_bins, none, all };

  MapTrial trials[all];

  Form best() const;

  /// The best map where all are doubted and would be better than none, which is what is used if the doubts remain;
  /// else `none`.
  Form in_doubt() const;

  /// Whether a few points make up most of what was seen of a peak, in all maps that were tried, or in the best one.
  bool doubts(Form best) const { return best == none ? in_doubt() != none : unsure(best); }

  /// The map that a rotation to the axes of a peak may do better than, `none` if there is no peak or a refined map fits
  /// it.
  Form peaked(Form best) const;

  /// What four times as many other points tell of a map in doubt. Where tails hold no more than they should, these
  /// know the mean square twice as well.
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

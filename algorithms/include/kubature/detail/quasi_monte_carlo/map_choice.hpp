#pragma once

#include <algorithm>
#include <cmath>
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
  bool exceeds(MapTrial const& other, double times) const {
    return error > std::max(times * other.error, std::abs(other.value - value) / 4);
  }

  /// The largest uncertainty of the mean square with which an error can be trusted.
  static constexpr double most_unsure = 0.2;

  /// Whether another trial finds several times as much: the estimates of both are right on average, and rarely too
  /// large by several times, but too small wherever a peak is missed.
  bool overlooks(MapTrial const& other) const {
    return std::abs(other.value) > 4 * std::max(std::abs(value) + error, other.error);
  }

  /// Whether another trial is to be preferred: one that has a far smaller error, and agrees or finds more, or one that
  /// finds more by far more than the errors. A map that misses part of a peak tells nothing of it in its error.
  bool yields(MapTrial const& other) const {
    double const more = std::abs(other.value) - std::abs(value);
    if (more > 0)
      return error > 4 * other.error || more > 4 * (error + other.error);
    return other.unsure <= std::max(unsure, most_unsure) && exceeds(other, 4);
  }
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

  Form best() const {
    Form const smooth = trusted(refined) < trusted(trained) ? refined : trained;
    double const least = std::min({trusted(trained), trusted(refined), trusted(by_bins), scatter(none)});
    if (tried(none) && !(scatter(none) > 2 * least))
      return none;
    return trusted(smooth) <= (trials[smooth].gains ? 2 : 1.25) * least ? smooth : by_bins;
  }

  /// The best map where all are doubted and would be better than none, which is what is used if the doubts remain;
  /// else `none`.
  Form in_doubt() const {
    Form result = trained;
    for (Form const map : {trained, refined, by_bins}) {
      if (trusted(map) < never)
        return none;
      if (scatter(map) < scatter(result))
        result = map;
    }
    return scatter(none) > 2 * scatter(result) ? result : none;
  }

  /// Whether a few points make up most of what was seen of a peak, in all maps that were tried, or in the best one.
  bool doubts(Form best) const { return best == none ? in_doubt() != none : unsure(best); }

  /// The map that a rotation to the axes of a peak may do better than, `none` if there is no peak or a refined map fits
  /// it.
  Form peaked(Form best) const {
    if (best == none)
      best = in_doubt() == none && unsure(none) ? trained : in_doubt();
    return best == refined && !unsure(refined) ? none : best;
  }

  /// What four times as many other points tell of a map in doubt. Where tails hold no more than they should, these
  /// know the mean square twice as well.
  void look_again(Form map, double unsure) { trials[map].unsure = 2 * unsure; }

private:
  static constexpr double never = std::numeric_limits<double>::infinity();
  /// By which factor values without a map in doubt have to be larger, in the root mean square, for it to be used
  /// nevertheless.
  static constexpr double most_doubted = 5;

  bool tried(Form form) const { return trials[form].error < never; }
  bool unsure(Form form) const { return trials[form].unsure > MapTrial::most_unsure; }

  /// The smooth map of which estimates should not be far off: the trained one, unless it knows less than the other.
  Form reference() const { return tried(refined) && unsure(trained) && !unsure(refined) ? refined : trained; }

  double scatter(Form form) const {
    if (!tried(form) || (form == none && missed()))
      return never;
    return std::max(trials[form].error, std::abs(trials[form].value - trials[reference()].value) / 4);
  }
  double trusted(Form map) const { return unsure(map) && !missed() && !necessary() ? never : scatter(map); }

  /// The root mean square through the better one of the smooth maps.
  double magnitude() const { return trials[scatter(refined) < scatter(trained) ? refined : trained].magnitude; }
  bool missed() const {
    return trials[none].magnitude < magnitude() / 4 || trials[none].overlooks(trials[reference()]);
  }
  bool necessary() const { return trials[none].magnitude >= most_doubted * magnitude(); }
};

} // namespace kubature::detail

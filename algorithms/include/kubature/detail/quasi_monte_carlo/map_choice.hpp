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

  /// What four times as many other points tell of a map in doubt. Where tails hold no more than they should, these
  /// know the mean square twice as well.
  void look_again(Form map, double unsure) { trials[map].unsure = 2 * unsure; }

private:
  static constexpr double never = std::numeric_limits<double>::infinity();
  /// How uncertain the mean square may be in a map, and by which factor values without it have to be larger, in the
  /// root mean square, for it to be used nevertheless.
  static constexpr double most_unsure = 0.2, most_doubted = 5;

  bool tried(Form form) const { return trials[form].error < never; }
  bool unsure(Form form) const { return trials[form].unsure > most_unsure; }

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
  bool missed() const { return trials[none].magnitude < magnitude() / 4; }
  bool necessary() const { return trials[none].magnitude >= most_doubted * magnitude(); }
};

} // namespace kubature::detail

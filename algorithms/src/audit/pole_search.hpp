#pragma once

#include <kubature/detail/audit/audit.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubature::detail {

/// Searches for poles within the sides: along lines parallel to an axis, by closing in on the largest |f|. Where |f|
/// grows like |x - u|^-a all the way, samples hardly resolve what lies close to u.
class PoleSearch {
public:
  /// @param map     of the method
  /// @param samples of the call so far
  /// @param most    evaluations of the first round
  PoleSearch(AxisMap const& map, std::vector<Reach> const& reach, double samples, std::uint64_t most,
             std::uint64_t seed);

  /// Points of the next round in the unit cube, [point][axis]; empty at the end of the search.
  std::vector<double> points() const;
  /// Reads the values there. @param values f times the volume, [point][component]
  void take(std::vector<double> const& values, int components, int component);

  /// The fraction of the integral that lies closer to poles than samples do.
  double share() const;
  /// The axis along which that is largest.
  int axis() const;

private:
  struct Line {
    int axis;
    std::vector<double> t; ///< the point, except for this axis
    double begin, end;     ///< where the largest |f| lies
    double least = 0;      ///< the distance from the pole that samples reach
    double largest = 0, first = 0;
    double total = 0;  ///< the integral along the line
    double unseen = 0; ///< the part closer to the pole than samples
    bool open = true;
    int round = 0;
    double at(int point, int count) const { return begin + (end - begin) * (point + 0.5) / count; }
  };
  int count(Line const& line) const { return line.round == 0 ? first_round_ : later_rounds_; }

  AxisMap map_;
  double samples_;
  int first_round_, later_rounds_, dimension_; ///< points of a line in the first round, and in later ones
  std::vector<Line> lines_;
};

} // namespace kubature::detail

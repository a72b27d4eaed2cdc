#pragma once

#include <kubature/cubature_rule.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace kubature::detail {

/// A rule as kernels read it.
/// @tparam Sample type of the coordinates, Acc of the weights
template <class Sample, class Acc>
struct RuleView {
  static constexpr int most_orbits = 14;

  /// Weights and error norms of an orbit.
  struct Orbit {
    Acc weight[CubatureRule::rules];
    Acc scale[CubatureRule::null_rules - 1];
    Acc norm[CubatureRule::null_rules - 1];
  };

  Orbit const* orbits;
  int orbit_count;
  /// Offsets from the centre of one point of each pair, in units of the sides, [coordinate][pair]. First the pairs of
  /// orbits 1 and 2, which lie on the axes, axis by axis; then orbit by orbit. If the last orbit is the corners, its
  /// points are not listed.
  Sample const* offsets;
  int pairs;
  Kokkos::Array<int, most_orbits + 1> first_pair;
  bool corners;
  Sample corner;
  /// The distance between the outermost points and a region's faces, in units of the side.
  Sample gap;
  /// CubatureRule::rounding().
  double rounding;
  /// The square of the ratio of the generators of orbits 2 and 1, for the fourth difference.
  Acc ratio;
  Acc trust, shrink, stretch;
  Acc stretch_of_mean; ///< CubatureRule::stretch_of_mean()

  struct NullRuleError {
    Acc error, least; ///< the error, and its lower limit (lowered_error)
  };

  /// The error of a region of unit volume by CubatureRule::error_coefficients(). If a parent checks it and the null
  /// rules do not decrease fast, the largest of them is too pessimistic, and its geometric mean with that of the
  /// highest degree suffices. Where bisections show this to be too pessimistic as well, the latter alone suffices
  /// (docs/design/cubature.md).
  /// @param e       E_1, E_2 and E_3
  /// @param caution factor of a trusted error; more than 1 if there is no parent
  KOKKOS_FUNCTION NullRuleError error(Acc const (&e)[CubatureRule::null_rules - 1], Acc caution) const {
    if (trust * e[0] <= e[1] && trust * e[1] <= e[2])
      return {shrink * caution * e[0], shrink * caution * e[0]};
    Acc const largest = e[0] > e[1] ? (e[0] > e[2] ? e[0] : e[2]) : (e[1] > e[2] ? e[1] : e[2]);
    Acc const mean = stretch_of_mean * Kokkos::sqrt(e[0]) * Kokkos::sqrt(largest); // their product may overflow
    if (caution > 1 || stretch * largest < mean)
      return {stretch * largest, stretch * largest};
    return {mean, stretch_of_mean * e[0]};
  }
};

/// A rule in device memory: at the beginning of the workspace, where an earlier call may have left it, or in memory of
/// its own if it is large.
template <class Space>
class RuleTable {
public:
  /// Of points in float or double, and sums likewise.
  /// @returns the rule; `used` becomes the number of bytes that it occupies in the workspace
  template <class Sample, class Acc>
  RuleView<Sample, Acc> view(Space const& exec, CubatureRule const& rule, Workspace<Space> const& workspace,
                             std::size_t& used);

private:
  std::uint64_t tag_ = 0;
  Buffer<Space> data_{"kubature::rule::table"};
};

} // namespace kubature::detail

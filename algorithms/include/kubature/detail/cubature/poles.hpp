#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/cubature/regions.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Array.hpp>
#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include <cstdint>
#include <functional>
#include <vector>

/// \file
/// Poles at a point and on planes across axes, |f| ~ |x - u|^-a over all axes or along one: if all nodes of the rule
/// stay clear of one, neither null rules nor bisections reveal what the regions around it miss
/// (docs/design/cubature-errors.md).

namespace kubature::detail {

/// Where |f| grows like a power of the distance along some axes, in the unit cube.
struct Pole {
  unsigned axes; ///< bit k: axis k
  Kokkos::Array<double, max_dimension> centre;
  /// The integral that the regions around it may miss, as a fraction of their values.
  double part;

  KOKKOS_FUNCTION bool across(int axis) const { return (axes >> axis & 1u) != 0; }
  /// Whether the centre is within this many sides of a region from its own.
  KOKKOS_FUNCTION bool near(Regions const& regions, std::uint64_t i, double sides = 1) const {
    for (int k = 0; k < regions.dimension; ++k) {
      auto const side = regions.interval(k, i);
      if (across(k) && Kokkos::abs(centre[static_cast<std::size_t>(k)] - side.centre()) > sides * side.length())
        return false;
    }
    return true;
  }
};

/// Maximum number of poles per call: all corners of a box in four variables.
inline constexpr int most_poles = 16;

/// Closes in on the largest |f| around a region, over all axes and along each, as long as it grows.
/// @param values |f| at points of the unit cube, [point][axis]
/// @param centre, length of the region
std::vector<Pole> find_poles(std::function<std::vector<double>(std::vector<double> const&)> const& values,
                             std::vector<double> const& centre, std::vector<double> const& length);

/// The region with the largest mean |f|.
struct Densest {
  double density = 0; ///< 0 if all values are zero
  std::vector<double> centre, length;
};

/// The densest region of a list, except those around known poles. Among densities equal up to rounding, the choice does
/// not depend on their order.
template <class Space>
Densest densest_region(Space const& exec, Regions const& regions, std::uint64_t size, int component,
                       std::vector<Pole> const& known);

/// The densest region of the lists of all ranks.
Densest densest_of_all(Communicator const& ranks, int dimension, Densest mine);

/// Raises the errors of the regions around a pole to what they may miss.
template <class Space>
void raise_errors_about(Space const& exec, Regions const& regions, std::uint64_t size, Pole const& pole);

} // namespace kubature::detail

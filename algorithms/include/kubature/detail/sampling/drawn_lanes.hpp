#pragma once

#include <kubature/detail/sampling/stream.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// Vectorised kernels of hosts for points and their values, compiled once for all integrands.

namespace kubature::detail {

/// A block of samples and the arrays that receive their points.
struct DrawnLanes {
  static constexpr int lanes = 32;

  Stream const& stream;
  std::uint64_t const* sample; ///< numbers of the samples
  std::uint64_t const* corner; ///< [axis][lane], see MappedPoints::Corner
  std::uint64_t const* step;   ///< a cube's side along each axis
  double const* edges;         ///< of the map, in coordinates of the box
  int stride;                  ///< from the edges of an axis to those of the next
  int dimension, fraction_bits;
  double boxes; ///< factor of the product of the intervals' widths

  double* x; ///< coordinate i of lane w at x[w * next_lane + i * next_axis]
  std::ptrdiff_t next_lane, next_axis;
  double* jacobian;
  int* interval; ///< of lane w along axis i at interval[i * next_interval + w]
  std::ptrdiff_t next_interval;
};

/// A block of samples that are uniform in a box, and the arrays that receive their points.
struct UniformLanes {
  Stream const& stream;
  std::uint64_t const* sample;   ///< numbers of the samples
  double const *origin, *length; ///< of each side: coordinates are origin + length * u
  int dimension;

  double* x; ///< coordinate i of lane w at x[w * next_lane + i * next_axis]
  std::ptrdiff_t next_lane, next_axis;
};

/// Masks of 32 lanes: those with a sample left, and those of these whose sample is the first of a stratum or of a part
/// of one.
struct LaneBits {
  static constexpr std::uint32_t all = ~std::uint32_t{0};

  std::uint32_t live = 0, first = 0;

  KOKKOS_FUNCTION bool operator()(int w) const { return (live >> w & 1) != 0; }
};

/// Vectorised functions of 32 lanes.
struct LaneFunctions {
  /// Draws a point in the cube of each lane and maps it; bitwise equal to MappedPoints::draw.
  void (*draw)(DrawnLanes const&);
  /// Draws a point in the box in each lane; bitwise equal to UniformPoints::draw.
  void (*draw_uniform)(UniformLanes const&);
  /// FixedPoint::pack of the magnitude of each lane's value, which is 0 where the value is not finite, to the bit, and
  /// the largest magnitude so far.
  void (*pack)(double const* values, double scale, std::uint64_t* packed, double& largest);
  /// Values of the integrand times the Jacobians in the lanes with a sample, 0 in others.
  /// @returns whether all these values are finite
  bool (*weigh)(double const* of_f, double const* jacobian, std::uint32_t live, double* values);
  /// ShiftedSums::add of one component in the lanes with a sample, to the bit.
  void (*add)(double const* values, LaneBits at, double* shift, double* s1, double* s2);
  /// Decrements the number of each lane. @returns the lanes whose number becomes 0
  std::uint32_t (*count_down)(std::uint32_t* left);
  /// Edges in coordinates of the box: to[k] = origin + length * from[k] of n numbers.
  void (*place)(double const* from, int n, double origin, double length, double* to);
  /// Adds n packed records of a chunk to sums of weights and counts, see FixedPoint.
  void (*unpack)(std::uint64_t const* packed, std::size_t n, std::uint64_t* weights, std::uint64_t* counts);
};

/// Vector instructions: 16 bytes, available on every processor for which there are vector compilers, and those of
/// x86-64.
enum class Instructions { baseline, avx2, avx512 };

/// The functions for an instruction set; nullptr if the processor or the library lacks it.
LaneFunctions const* lane_functions(Instructions instructions);
/// The functions for the widest instruction set available; nullptr if there is none.
LaneFunctions const* lane_functions();

/// Whether a source that draws W points at once may use them. They multiply the widths of all intervals, a product too
/// small for a number if there are many variables.
template <class Sample, class Acc, int D, int W>
inline constexpr bool may_use_vectors =
    W == DrawnLanes::lanes && !many_variables<D> && std::is_same_v<Sample, double> && std::is_same_v<Acc, double>;

/// The functions of a source that may use them, or none; nullptr: its code as compiled.
struct NoLaneFunctions {};
template <bool vectors>
using LaneFunctionsIf = std::conditional_t<vectors, LaneFunctions const*, NoLaneFunctions>;
template <bool vectors>
LaneFunctionsIf<vectors> lane_functions_if() {
  if constexpr (vectors)
    return lane_functions();
  else
    return {};
}

} // namespace kubature::detail

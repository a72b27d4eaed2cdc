#pragma once

#include <kubature/detail/cubature/compensated.hpp>
#include <kubature/detail/cubature/regions.hpp>
#include <kubature/detail/error_norms.hpp>
#include <kubature/error_norm.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_BitManipulation.hpp>

#include <cstdint>

namespace kubature::detail {

/// Sums over regions, of one component.
struct RegionTotals {
  Compensated value;
  Compensated error;
  double magnitude = 0; ///< of the |values|

  KOKKOS_FUNCTION void join(RegionTotals const& other) {
    value.join(other.value);
    error.join(other.error);
    magnitude += other.magnitude;
  }
};

/// Lists of fewer regions may have missed something significant.
inline constexpr std::uint64_t few_regions = 1 << 15;

/// The points of a coarse grid may see only the tails of a peak, and find errors below any absolute bound: while
/// regions are few, it allows at most a tenth of the sum of their magnitudes.
KOKKOS_FUNCTION inline double cautious(double absolute, double seen, std::uint64_t regions) {
  return regions < few_regions ? Kokkos::fmin(absolute, 0.1 * seen) : absolute;
}

/// The error of a sum over regions that a tolerance allows.
/// @param value, seen |sum of the values| and the sum of their magnitudes
KOKKOS_FUNCTION inline double allowed_error(Tolerance const& tolerance, double value, double seen,
                                            std::uint64_t regions) {
  return Kokkos::fmax(tolerance.relative * value, cautious(tolerance.absolute, seen, regions));
}

/// The quantities compared with a tolerance: the numbers of one component, or norms of those of all.
struct ToCompare {
  double value;     ///< |sum of the values|
  double seen;      ///< sum of the magnitudes
  double listed;    ///< error of the list
  double committed; ///< error of what was committed
  double error;     ///< of both

  KOKKOS_FUNCTION static ToCompare of(RegionTotals const& listed, RegionTotals const& committed) {
    auto all = listed;
    all.join(committed);
    return {Kokkos::abs(listed.value.value() + committed.value.value()), listed.magnitude + committed.magnitude,
            listed.error.value(), committed.error.value(), all.error.value()};
  }
  /// Norms over a group of components.
  /// @param of component -> its numbers
  template <class Of>
  KOKKOS_FUNCTION static ToCompare norm_of(ErrorNorm norm, ComponentGroup group, Of const& of) {
    Norm value{norm}, seen{norm}, listed{norm}, committed{norm}, error{norm};
    for (int c = group.first; c < group.last; ++c) {
      ToCompare const each = of(c);
      value.add(each.value);
      seen.add(each.seen);
      listed.add(each.listed);
      committed.add(each.committed);
      error.add(each.error);
    }
    return {value.value, seen.value, listed.value, committed.value, error.value};
  }
  /// @param regions in the lists of all ranks
  KOKKOS_FUNCTION double allowed(Tolerance const& tolerance, std::uint64_t regions) const {
    return allowed_error(tolerance, value, seen, regions);
  }
};

/// Bins of errors, a quarter of an octave wide, in descending order from a reference: bin 0 holds the largest.
struct ErrorBins {
  static constexpr int count = 256;
  static constexpr int shift = 50; ///< leaves the exponent and two bits of the mantissa
  static constexpr std::uint64_t one = 0x3ff0000000000000u >> shift;

  /// The bin of an error, in units of the reference. All errors below 2^-64 are in the last bin; NaN is in the first.
  KOKKOS_FUNCTION static int of(double error) {
    if (!(error < 1))
      return 0;
    auto const place = Kokkos::bit_cast<std::uint64_t>(error) >> shift;
    return place + count > one ? static_cast<int>(one - place) : count - 1;
  }
  /// No error in the bin is larger than this, in units of the reference; bin 0 has no bound.
  static double bound(int bin) { return Kokkos::bit_cast<double>((one - static_cast<unsigned>(bin) + 1) << shift); }
};

/// The number of regions whose error lies in each bin.
using ErrorCounts = std::uint64_t[ErrorBins::count];

/// The regions to be bisected: those with the larger errors. The size of a region's error is the maximum over its
/// components, each in units of the error still allowed to the component, or the norm of its components' errors in
/// units of the norm still allowed (of pairs: the largest); so regions whose sizes sum to less than 1 may all be left
/// unrefined.
struct Selection {
  /// In device memory: 1 / allowed error of each component.
  double const* weights = nullptr;
  /// The unit of the bins; no region's size is larger.
  double reference = 0;
  /// Regions with errors in bins 0 ... last_bin are selected,
  int last_bin = ErrorBins::count - 1;
  /// except where all components have errors below this fraction of their values (PAGANI's relative-error filter), or
  /// below `absolute`, or no axis can be split.
  double relative = 0;
  ErrorNorm norm = ErrorNorm::individual;
  double absolute = 0;

  KOKKOS_FUNCTION int bin(Regions const& regions, std::uint64_t i) const {
    Norm size{norm};
    for (int c = 0; c < regions.components; ++c)
      size.add(regions.error(c, i) * weights[c]);
    return ErrorBins::of(size.value / reference);
  }
  KOKKOS_FUNCTION bool settled(Regions const& regions, std::uint64_t i) const {
    if (regions.axis(i) == Regions::no_axis)
      return true;
    for (int c = 0; c < regions.components; ++c)
      if (!(regions.error(c, i) <= Kokkos::fmax(relative * Kokkos::abs(regions.value(c, i)), absolute)))
        return false;
    return true;
  }
  KOKKOS_FUNCTION bool operator()(Regions const& regions, std::uint64_t i) const {
    return !settled(regions, i) && bin(regions, i) <= last_bin;
  }
};

/// The counters of kernels from the start of a call.
struct Counters {
  std::uint64_t non_finite = 0; ///< values that were not finite, see NonFiniteCount
  /// Of the second phase of TwoPhase: bisections, and regions that did not meet their tolerance.
  std::uint64_t bisections = 0;
  std::uint64_t unfinished = 0;
  /// Of second opinions: evaluations, and suspect regions.
  std::uint64_t second_evaluations = 0;
  std::uint64_t suspects = 0;
};

/// The statistics of a list of regions, which the host reads in one transfer.
struct RegionStatistics {
  Counters counters;
  /// The component farthest from its tolerance, and the factor by which it, or the norm, exceeds it;
  /// Selection::reference.
  double reference = 0;
  int driver = 0;
  /// Whether the tolerance can still be met: the committed error leaves some to every component.
  bool possible = true;
  /// Histograms of the errors: of the regions that are settled (Selection::settled), and of all others.
  ErrorCounts settled = {};
  ErrorCounts open = {};
};

} // namespace kubature::detail

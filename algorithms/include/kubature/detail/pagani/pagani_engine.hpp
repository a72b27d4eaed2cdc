#pragma once

#include <kubature/detail/cubature/poles.hpp>
#include <kubature/detail/cubature/region_distribution.hpp>
#include <kubature/detail/cubature/region_estimates.hpp>
#include <kubature/detail/cubature/region_statistics.hpp>
#include <kubature/detail/cubature/threshold.hpp>
#include <kubature/result.hpp>
#include <kubature/tolerance.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace kubature::detail {

/// The regions to be bisected: `all` of those above the threshold, over the lists of all ranks. This rank has `above`
/// above the threshold, and bisects `mine` of them.
struct RegionChoice {
  Threshold threshold;
  std::uint64_t all = 0;
  std::uint64_t above = 0, mine = 0;
};

/// The list of regions of one call of PAGANI and the integrand's values there: all that PaganiStrategy needs to know of
/// the integrand, the box and the device.
class PaganiEngine {
public:
  virtual ~PaganiEngine() = default;

  // The lists of all ranks, and that of this one.
  virtual std::uint64_t total() const = 0;
  virtual std::uint64_t size() const = 0;
  virtual std::uint64_t capacity() const = 0;
  virtual bool met(Tolerance tolerance) const = 0; ///< as of the last summary
  /// Makes room for this many regions, if there is memory.
  virtual void reserve(std::uint64_t size, std::size_t bytes) = 0;
  /// Moves regions to shorter lists. @returns whether it has; another summary has to follow
  virtual bool rebalance(std::size_t bytes) = 0;
  /// Takes `count` of the regions in bins 0 ... last_bin, as of the last summary, in the order of ranks.
  virtual Taken take(std::uint64_t count, int last_bin, std::uint64_t room) const = 0;

  /// Evaluates the first grid. @param bytes for the list @returns false if limits have ended the call
  virtual bool start(std::size_t bytes) = 0;
  /// Bisects regions and evaluates their halves. @returns false if limits have ended the call
  virtual bool refine(RegionChoice const& choice, RegionStatistics const& statistics, double relative) = 0;
  /// Adds up all regions; see RegionList.
  virtual RegionStatistics summarise(double relative) = 0;
  virtual RegionStatistics improve_and_summarise(double relative, HalfErrors halves) = 0;
  /// The integral of a component, as of the last summary.
  virtual double value(int component) const = 0;
  /// Takes second opinions if the tolerance is met. @param first whether all regions are new
  /// @param summarise summarises the list @returns false if too few evaluations are left
  virtual bool second_opinions(bool first, std::function<RegionStatistics const&()> const& summarise) = 0;
  /// Adds the list's estimate to the estimates of the call; see RegionEstimates::add().
  virtual void report(std::uint64_t regions, NonFiniteCount non_finite, bool confirmed) = 0;
  /// Commits all regions but `mine`, those of bins 0 ... last_bin.
  virtual void commit(RegionStatistics const& statistics, double relative, std::uint64_t mine, int last_bin) = 0;
  /// Waits for the device.
  virtual void wait() = 0;

  /// |f| of a component at points of the unit cube, [point][axis].
  virtual std::vector<double> magnitudes(std::vector<double> const& points, int component) = 0;
  /// The region with the largest mean of a component, over all ranks.
  virtual Densest densest(int component, std::vector<Pole> const& known) = 0;
  virtual void raise_errors_about(Pole const& pole) = 0;
};

} // namespace kubature::detail

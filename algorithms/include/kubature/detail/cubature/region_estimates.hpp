#pragma once

#include <kubature/detail/call/call_state.hpp>
#include <kubature/detail/cubature/region_statistics.hpp>
#include <kubature/detail/sampling/harmless_values.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace kubature::detail {

/// The estimates of one call of a cubature method: one after each iteration; and why the call ends.
class RegionEstimates : public CallState {
public:
  /// Unlike Monte Carlo methods, these have no default amount of work: a tolerance or a limit has to be given.
  RegionEstimates(std::string_view method, int components, Request const& request, Communicator const& ranks = {});

  /// The number of regions of this many points that the limit on evaluations still allows.
  std::uint64_t affordable(std::uint64_t points) const {
    return (limits_.evaluations - result_.evaluations - counted_) / points;
  }

  /// Whether the list's estimates meet the tolerance.
  template <class List>
  bool met(List const& list) const {
    return tolerance_.asked() && list.met(tolerance_);
  }

  /// Counts evaluations of the iteration that is added next.
  void count(std::uint64_t evaluations) { counted_ += evaluations; }
  /// Counts regions of `points` points each whose estimates are discarded.
  void count_in_vain(std::uint64_t regions, std::uint64_t points) {
    count(regions * points);
    result_.regions += regions;
  }

  /// Adds an iteration: the estimate from the list after `regions` more regions were evaluated.
  /// @param non_finite values so far that were not finite
  /// @param confirmed  whether enough evaluations were left for a second opinion, without which nothing converges
  template <class List>
  void add(List const& list, std::uint64_t regions, NonFiniteCount non_finite, NonFinite policy,
           bool confirmed = true) {
    std::vector<RegionTotals> totals;
    for (int c = 0; c < components(); ++c) {
      totals.push_back(list.listed(c));
      totals.back().join(list.committed(c));
    }
    add({std::move(totals), list.total(), met(list)}, regions, non_finite, policy, confirmed);
  }

  /// Whether all values were zero so far.
  bool zero() const;

  /// Whether another iteration may follow; if not, the call has ended.
  bool wants_more(int iterations);

  SeveralResult finish();

private:
  /// The state of a list of regions.
  struct Found {
    std::vector<RegionTotals> totals; ///< of each component
    std::uint64_t regions;
    bool met; ///< whether the tolerance is met
  };
  void add(Found const& found, std::uint64_t regions, NonFiniteCount non_finite, NonFinite policy, bool confirmed);

  /// Whether the value of the first component is zero within its error.
  bool first_is_zero() const;

  std::uint64_t counted_ = 0;
  double magnitude_ = 0; ///< sum of the |values| of the first component
};

} // namespace kubature::detail

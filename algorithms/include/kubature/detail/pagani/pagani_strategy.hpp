#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/cubature/poles.hpp>
#include <kubature/detail/cubature/region_estimates.hpp>
#include <kubature/detail/pagani/pagani_engine.hpp>
#include <kubature/detail/policies/cubature_policy.hpp>
#include <kubature/tolerance.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace kubature::detail {

/// The request of a call of PAGANI.
struct PaganiRequest {
  int dimension = 0;
  Tolerance tolerance;
  std::size_t bytes = 0;    ///< for the list
  std::uint64_t points = 0; ///< of the rule
  double rounding = 0;      ///< the relative error that may be nothing but rounding
  bool relative_filter = true, threshold = true;
  int iterations = 1000;
};

/// The decisions of one call of PAGANI: which regions are bisected, which are committed if memory is short, when to
/// search for poles, and when the call ends. It may pause between its iterations and then continue as if it had not.
class PaganiStrategy {
public:
  PaganiStrategy(PaganiRequest const& request, PaganiEngine& engine, RegionEstimates& estimates,
                 Communicator const& ranks);

  /// Iterates until the call ends, or pauses before an iteration.
  /// @param pause pause(call, n) returns whether to pause before an iteration of n evaluations; the same on all ranks
  /// @returns whether the call has ended
  bool go_on(std::function<bool(CallState const&, std::uint64_t)> const& pause);

private:
  void resume();
  void take_stock(std::uint64_t evaluated);
  RegionStatistics const& summarise();
  /// The allowed error, in units of the reference; 0 without a tolerance.
  double allowed() const { return request_.tolerance.asked() ? 1 / statistics_.reference : 0; }
  double settled() const { return sum_of_errors(statistics_.settled); }
  bool filter_settles_too_much() const;

  void look_for_poles();
  void find_poles();

  void choose();
  void choose_zeros();
  void choose_by_error();
  void take(std::uint64_t room);
  void limit(std::uint64_t room);
  bool make_room(std::uint64_t more);
  void fit_into_memory();
  bool digits_stand_still();
  void commit(bool only_half = false);

  CubaturePolicy policy_ = policy<CubaturePolicy>();
  PaganiRequest request_;
  PaganiEngine& engine_;
  RegionEstimates& run_;
  Communicator ranks_;
  double relative_; ///< of the relative-error filter: at least `rounding`
  RegionStatistics statistics_;
  RegionChoice choice_;
  double value_ = 0;        ///< of the iteration before, where the threshold is the published one
  std::vector<Pole> poles_; ///< found by this rank
  std::uint64_t next_look_; ///< list size from which poles are searched for again
  bool begun_ = false;
};

} // namespace kubature::detail

#pragma once

#include <kubature/detail/call/request.hpp>
#include <kubature/detail/cubature/region_estimates.hpp>
#include <kubature/detail/cubature/region_statistics.hpp>
#include <kubature/detail/sampling/harmless_values.hpp>
#include <kubature/two_phase_options.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>

namespace kubature::detail {

/// The list of regions of one call of two-phase cubature and the integrand's values there.
class TwoPhaseEngine {
public:
  virtual ~TwoPhaseEngine() = default;

  virtual std::uint64_t size() const = 0;
  virtual std::uint64_t capacity() const = 0;
  virtual bool met(Tolerance tolerance) const = 0; ///< as of the last summary
  /// Makes room for this many regions, if there is memory.
  virtual void reserve(std::uint64_t size) = 0;

  /// Evaluates the first grid. @returns false if limits have ended the call
  virtual bool start() = 0;
  /// Adds up all regions; see RegionList.
  virtual RegionStatistics summarise(double relative) = 0;
  virtual RegionStatistics improve_and_summarise(double relative) = 0;
  /// See SecondOpinions. @param summarise summarises the list
  virtual bool ask(std::function<RegionStatistics const&()> const& summarise) = 0;
  virtual bool look(std::function<RegionStatistics const&()> const& summarise) = 0;
  virtual bool affords_look() const = 0;
  /// Adds the list's estimate to the estimates of the call; see RegionEstimates::add().
  virtual void report(std::uint64_t regions, NonFiniteCount non_finite, bool confirmed) = 0;

  /// Selects the regions that have not met their tolerance, as of these statistics.
  virtual void select(RegionStatistics const& statistics, double relative) = 0;
  /// Moves those that are selected to the front of the list.
  virtual void bring_forward(std::uint64_t selected) = 0;
  /// Bisects them and evaluates their halves. @returns false if limits have ended the call
  virtual bool bisect(std::uint64_t selected, int driver) = 0;

  /// Allocates lists of this many parts, one for each open region or as many as fit into memory; returns their number.
  virtual std::uint64_t allocate_lists(std::uint64_t open, std::uint64_t parts) = 0;
  /// Refines the open regions, which are the first of the list, as many at once as there are lists.
  virtual void refine_alone(std::uint64_t open, Tolerance tolerance) = 0;
};

/// One call of two-phase cubature.
class TwoPhaseStrategy {
public:
  struct Call {
    std::uint64_t regions; ///< at the start of the second phase
    int parts;             ///< maximum number per region in the second phase
    std::uint64_t points;  ///< of the rule
    std::uint64_t behind;  ///< evaluations of a second opinion on a region
    double least_relative; ///< error of a region that is rounding
  };

  TwoPhaseStrategy(Call const& call, TwoPhaseEngine& engine, RegionEstimates& estimates, Request const& request)
      : call_(call), engine_(engine), run_(estimates), request_(request),
        relative_(std::max(request.tolerance.relative, call.least_relative)) {}

  /// Makes both phases.
  void run();

private:
  /// The result of the first phase: the number of regions still to be refined, which come first in the list, and the
  /// evaluations of second opinions.
  struct FirstPhase {
    std::uint64_t open = 0, second_evaluations = 0;
  };

  FirstPhase first_phase();
  void second_phase(FirstPhase const& first);
  std::uint64_t open(RegionStatistics const& statistics) const;
  std::uint64_t affordable_parts(std::uint64_t open) const;
  Status all_done();

  Call call_;
  TwoPhaseEngine& engine_;
  RegionEstimates& run_;
  Request request_;
  double relative_; ///< error at which a region is settled
};

} // namespace kubature::detail

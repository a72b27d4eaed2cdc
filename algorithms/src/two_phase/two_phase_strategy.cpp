#include <kubature/detail/two_phase/two_phase_strategy.hpp>

#include <kubature/detail/cubature/threshold.hpp>

#include <algorithm>
#include <string>

namespace kubature::detail {

void TwoPhaseStrategy::run() {
  if (!engine_.start())
    return;
  auto const first = first_phase();
  if (!run_.ended())
    second_phase(first);
}

/// Regions that have not met their tolerance. If all values are zero, f may be nonzero elsewhere.
std::uint64_t TwoPhaseStrategy::open(RegionStatistics const& statistics) const {
  bool const all_zero = statistics.reference == 0 && engine_.size() < few_regions;
  return all_zero ? engine_.size() : threshold_by_error(statistics.open, -1).above;
}

TwoPhaseStrategy::FirstPhase TwoPhaseStrategy::first_phase() {
  RegionStatistics statistics;
  auto const summarise = [&]() -> RegionStatistics const& { return statistics = engine_.summarise(relative_); };
  for (std::uint64_t evaluated = engine_.size();;) {
    statistics = engine_.improve_and_summarise(relative_);
    run_.count(evaluated * call_.points);
    bool const confirmed = engine_.ask(summarise);
    std::uint64_t open = 0;
    auto const ends = [&] {
      open = this->open(statistics);
      return open == 0 || 2 * open > call_.regions || run_.affordable(2 * call_.points) < open;
    };
    bool last = ends();
    // This is the last exchange between regions: in the second phase they are independent.
    bool const first_grid = run_.done() == 0;
    bool const met = request_.tolerance.asked() && engine_.met(request_.tolerance);
    if (last && !first_grid && !met && engine_.affords_look() && engine_.look(summarise))
      last = ends();
    engine_.report(evaluated, NonFiniteCount{statistics.counters.non_finite}, confirmed);
    if (!run_.wants_more(request_.limits.iterations))
      return {};
    engine_.select(statistics, relative_);
    if (!last)
      engine_.reserve(engine_.size() + open);
    if (last || engine_.size() + open > engine_.capacity()) {
      engine_.bring_forward(open);
      return {open, statistics.counters.second_evaluations};
    }
    evaluated = 2 * open;
    if (!engine_.bisect(open, statistics.driver))
      return {};
  }
}

void TwoPhaseStrategy::second_phase(FirstPhase const& first) {
  auto const parts = affordable_parts(first.open);
  if (parts < 2) {
    run_.end(Status::evaluation_limit);
    return;
  }
  if (engine_.allocate_lists(first.open, parts) == 0) {
    run_.end(first.open == 0 ? all_done() : Status::memory_exhausted);
    return;
  }
  // Regions for which there is not enough time keep their estimates.
  engine_.refine_alone(first.open, {relative_, request_.tolerance.absolute});
  auto const counters = engine_.summarise(relative_).counters;
  run_.count(2 * counters.bisections * call_.points + counters.second_evaluations - first.second_evaluations);
  engine_.report(2 * counters.bisections, NonFiniteCount{counters.non_finite}, true);
  if (counters.unfinished > 0)
    run_.remark(std::to_string(counters.unfinished) + " of " + std::to_string(first.open) +
                " regions did not meet their own tolerance with " + std::to_string(parts) + " parts");
  if (!run_.ended())
    run_.end(static_cast<int>(parts) < call_.parts ? Status::evaluation_limit
             : counters.unfinished > 0             ? Status::memory_exhausted
                                                   : all_done());
}

/// The number of parts into which each open region may be divided.
std::uint64_t TwoPhaseStrategy::affordable_parts(std::uint64_t open) const {
  auto const bisection = 2 * (call_.points + call_.behind); // with a second opinion on both halves
  return std::min<std::uint64_t>(static_cast<std::uint64_t>(call_.parts),
                                 run_.affordable(bisection * std::max(open, std::uint64_t{1})));
}

/// The status of a call if every region has met its own tolerance but their sum has not.
Status TwoPhaseStrategy::all_done() {
  if (relative_ > request_.tolerance.relative || run_.zero())
    return Status::precision_limit;
  run_.remark("every region met its own tolerance, but their values cancel");
  return Status::iteration_limit;
}

} // namespace kubature::detail

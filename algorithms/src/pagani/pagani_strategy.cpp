#include <kubature/detail/pagani/pagani_strategy.hpp>

#include <kubature/detail/policies/cubature_policy.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace kubature::detail {

PaganiStrategy::PaganiStrategy(PaganiRequest const& request, PaganiEngine& engine, RegionEstimates& estimates,
                               Communicator const& ranks)
    : request_(request), engine_(engine), run_(estimates), ranks_(ranks),
      relative_(request.relative_filter ? std::max(request.tolerance.relative, request.rounding) : request.rounding),
      next_look_(policy_.first_look) {}

bool PaganiStrategy::go_on(std::function<bool(CallState const&, std::uint64_t)> const& pause) {
  if (std::exchange(begun_, true))
    resume();
  else if (engine_.start(request_.bytes))
    take_stock(engine_.total());
  while (!run_.ended() && !pause(run_, 2 * choice_.all * request_.points))
    if (engine_.refine(choice_, statistics_, relative_))
      take_stock(2 * choice_.all);
  return run_.ended();
}

/// Other calls may have used time and evaluations.
void PaganiStrategy::resume() {
  if (run_.ended())
    return;
  run_.keep_time();
  if (!run_.ended() && run_.affordable(2 * request_.points) < choice_.all) {
    summarise();
    choose();
  }
}

RegionStatistics const& PaganiStrategy::summarise() { return statistics_ = engine_.summarise(relative_); }

/// Adds an iteration in which this many regions were evaluated, and chooses what to bisect next.
void PaganiStrategy::take_stock(std::uint64_t evaluated) {
  statistics_ =
      engine_.improve_and_summarise(relative_, policy_.published_errors                         ? HalfErrors::published
                                               : engine_.total() >= policy_.least_list_to_lower ? HalfErrors::lowered
                                                                                                : HalfErrors::raised);
  run_.count(evaluated * request_.points);
  bool confirmed = true;
  if (!policy_.published_errors) {
    confirmed = engine_.second_opinions(evaluated == engine_.total(),
                                        [this]() -> RegionStatistics const& { return summarise(); });
    look_for_poles();
  }
  engine_.report(evaluated, NonFiniteCount{statistics_.counters.non_finite}, confirmed);
  if (!run_.wants_more(request_.iterations))
    return;
  if (!statistics_.possible) {
    run_.end(Status::memory_exhausted); // committed errors alone exceed the tolerance
    return;
  }
  if (engine_.rebalance(request_.bytes))
    summarise();
  if (filter_settles_too_much()) {
    relative_ = request_.rounding;
    summarise();
  }
  choose();
}

/// Whether the errors of the regions settled by the relative-error filter sum to a large part of the allowed error.
bool PaganiStrategy::filter_settles_too_much() const {
  if (policy_.published_threshold)
    return false;
  double const part = request_.threshold ? policy_.settled_part : 1.0;
  return relative_ > request_.rounding && settled() > part / statistics_.reference;
}

/// Searches for poles when the tolerance is met, and now and then before. Raises the errors of the regions around them,
/// so that these are bisected until their possible loss is allowed as well.
void PaganiStrategy::look_for_poles() {
  if (request_.dimension < policy_.least_dimension_of_poles || request_.dimension > policy_.most_dimension_of_poles)
    return;
  bool const met = request_.tolerance.asked() && engine_.met(request_.tolerance);
  if (poles_.empty() && (met || engine_.total() >= next_look_)) {
    find_poles();
    next_look_ = policy_.look_again_after * engine_.total();
  }
  if (poles_.empty())
    return;
  for (Pole const& pole : poles_)
    engine_.raise_errors_about(pole);
  summarise();
}

void PaganiStrategy::find_poles() {
  auto const driver = statistics_.driver;
  std::uint64_t const affordable = run_.affordable(1);
  std::uint64_t made = 0;
  auto const magnitudes = [&](std::vector<double> const& points) {
    auto const count = points.size() / static_cast<std::size_t>(request_.dimension);
    if (made + count > affordable)
      return std::vector<double>(count); // zeros end the search
    made += count;
    return engine_.magnitudes(points, driver);
  };
  std::vector<Pole> points; // no other poles are searched for around these
  while (points.size() < most_poles) {
    auto const densest = engine_.densest(driver, points);
    if (densest.density == 0)
      break;
    auto const found = detail::find_poles(magnitudes, densest.centre, densest.length);
    poles_.insert(poles_.end(), found.begin(), found.end());
    if (found.empty() || std::popcount(found.front().axes) == 1)
      break;
    points.push_back(found.front());
  }
  run_.count(made);
}

/// Chooses regions and makes room for their halves. If there is nothing to bisect, or no room, the call ends.
void PaganiStrategy::choose() {
  if (statistics_.reference == 0)
    return choose_zeros();
  choose_by_error();
  if (run_.ended())
    return;
  take(choice_.threshold.above);
  if (!make_room(choice_.mine))
    fit_into_memory();
  else if (choice_.all < choice_.threshold.above)
    limit(choice_.all);
}

/// While all values are zero, chooses all regions, as long as they are few: the integrand may be nonzero elsewhere.
void PaganiStrategy::choose_zeros() {
  auto const all = engine_.total(), mine = engine_.size();
  if (all >= few_regions || run_.affordable(2 * request_.points) < all || !make_room(mine))
    run_.end(Status::precision_limit);
  choice_ = {{ErrorBins::count - 1, all}, all, mine, mine};
}

/// Chooses all regions except those of small errors that together do not matter; of these, as many as the limit on
/// evaluations allows.
void PaganiStrategy::choose_by_error() {
  auto const& open = statistics_.open;
  if (policy_.published_threshold && digits_stand_still() && request_.threshold)
    commit(true);
  bool const always = request_.threshold && !policy_.published_threshold;
  choice_ = {threshold_by_error(open, always ? policy_.unrefined_part * allowed() - settled() : 0)};
  choice_.all = std::min(choice_.threshold.above, run_.affordable(2 * request_.points));
  // The rounding errors of the settled regions exceed the allowed error, and by far the errors that could be refined.
  bool const rounding =
      request_.tolerance.asked() && settled() > allowed() && sum_of_errors(open) < policy_.worth_refining * settled();
  if (choice_.threshold.above == 0 || rounding)
    run_.end(Status::precision_limit);
  else if (choice_.all == 0)
    run_.end(Status::evaluation_limit);
}

/// Determines the number of chosen regions in this rank's list, which has room for `room` more.
void PaganiStrategy::take(std::uint64_t room) {
  if (ranks_.size() == 1) {
    choice_.above = choice_.threshold.above;
    choice_.mine = choice_.all;
    return;
  }
  auto const taken = engine_.take(choice_.all, choice_.threshold.last_bin, room);
  choice_.above = taken.above;
  choice_.mine = taken.mine;
  choice_.all = taken.all;
}

/// Limits the choice to the `all` regions of the largest errors. This rank has room for `room` more.
void PaganiStrategy::limit(std::uint64_t room) {
  if (choice_.all < choice_.threshold.above)
    choice_.threshold = threshold_by_count(statistics_.open, choice_.all);
  take(room);
}

/// @returns whether `more` further regions fit into the lists, on all ranks
bool PaganiStrategy::make_room(std::uint64_t more) {
  auto const size = engine_.size() + more;
  engine_.reserve(size, request_.bytes);
  return !ranks_.any(size > engine_.capacity());
}

/// Commits regions of small errors, and chooses as many of the others as there is room for.
void PaganiStrategy::fit_into_memory() {
  commit();
  run_.remark("memory was short: regions with small errors were not refined further, and those with the largest were "
              "refined first");
  auto const room = std::min(engine_.capacity() - engine_.size(), engine_.size());
  std::uint64_t rooms[1] = {room};
  ranks_.sum(rooms);
  choice_.all = std::min(choice_.all, rooms[0]);
  limit(room);
  if (choice_.all == 0) {
    engine_.wait();
    run_.end(Status::memory_exhausted);
  }
}

/// Whether the last iteration has left the digits of the integral that the relative tolerance asks for (loc. cit.,
/// section 3.5.2, case a).
bool PaganiStrategy::digits_stand_still() {
  double const value = engine_.value(statistics_.driver), before = std::exchange(value_, value);
  return std::abs(value - before) <= request_.tolerance.relative * std::abs(value);
}

/// Commits the regions of the smallest errors, just enough to free half of the list, and no more than a part of the
/// remaining error (PAGANI's threshold search, loc. cit., section 3.3.3). The histograms give the number of regions
/// that each threshold would commit, so no search is needed. Committed regions are removed from them.
/// @param only_half whether to commit nothing unless that frees half of the list
void PaganiStrategy::commit(bool only_half) {
  double const left = allowed() - settled();
  Threshold keep;
  double part = policy_.given_up_part;
  for (int step = 0; step < policy_.given_up_steps; ++step, part += policy_.given_up_step) {
    keep = threshold_by_error(statistics_.open, part * left);
    if (2 * keep.above <= engine_.total())
      break;
  }
  if (keep.above == engine_.total() || (only_half && 2 * keep.above > engine_.total()))
    return;
  auto const mine = ranks_.size() == 1 ? keep.above : engine_.take(keep.above, keep.last_bin, keep.above).above;
  engine_.commit(statistics_, relative_, mine, keep.last_bin);
  for (int bin = 0; bin < ErrorBins::count; ++bin) {
    statistics_.settled[bin] = 0;
    if (bin > keep.last_bin)
      statistics_.open[bin] = 0;
  }
}

} // namespace kubature::detail

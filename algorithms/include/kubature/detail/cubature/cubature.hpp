#pragma once

#include <kubature/cubature_rule.hpp>
#include <kubature/detail/cubature/evaluate_regions.hpp>
#include <kubature/detail/cubature/refinement.hpp>
#include <kubature/detail/cubature/region_list.hpp>
#include <kubature/detail/cubature/rule_table.hpp>
#include <kubature/detail/slices.hpp>
#include <kubature/detail/workspace.hpp>

namespace kubature::detail {

/// What cubature methods keep from call to call, and how all of them begin: a list of regions and a rule on the device.
template <class Space>
class Cubature {
public:
  explicit Cubature(Space const& exec, Communicator const& ranks = {})
      : exec_(exec), ranks_(ranks), workspace_(exec), regions_(ranks) {}

  RegionList<Space>& regions() { return regions_; }
  RegionList<Space> const& regions() const { return regions_; }

  /// A region whose error is no larger than this part of its value is not bisected: it may all be rounding.
  /// @param epsilon of the integrand's values
  static double least_relative(CubatureRule const& rule, double epsilon) {
    return epsilon * (4 * rule.rounding() + rule.noise());
  }

  /// Lists the regions of the first grid and evaluates them; or ends the run where the limits do not allow that.
  /// @returns the integrand with the rule, for regions to come
  template <class P, class Value, class F, int D>
  RegionIntegral<P, F, D> start(Refinement<Value>& run, CubatureRule const& rule, F const& f, Box<D> const& box,
                                NonFinite policy, Limits limits) {
    using Sample = typename P::sample_type;
    using Acc = typename P::accumulate_type;
    std::size_t used = 0;
    auto const table = rules_.template view<Sample, Acc>(exec_, rule, workspace_, used);
    RegionIntegral<P, F, D> integral{f, Transform<Sample, D>(box), table, box.dimension(), policy, nullptr};
    auto const grid = start_grid(box.dimension(), limits.evaluations / rule.points());
    if (grid.size == 0) {
      run.give_up(Status::evaluation_limit);
      return integral;
    }
    regions_.clear(exec_, box.dimension(), integral.components, regions_.share(grid.size), limits.bytes,
                   workspace_.device().subspan(used), workspace_.host());
    if (ranks_.any(regions_.capacity() < regions_.share(grid.size))) {
      exec_.fence("kubature::cubature::give_up");
      run.give_up(Status::memory_exhausted);
      return integral;
    }
    regions_.fill(exec_, grid);
    integral.non_finite = &regions_.counters()->non_finite;
    integral.caution = static_cast<Acc>(start_caution * rule.norm());
    // To begin with as many as a device does in some milliseconds.
    constexpr std::uint64_t evaluations = 1 << 24;
    slice_ = Tuning<Space>::sampling_team == 1 ? static_cast<std::uint64_t>(exec_.concurrency())
                                               : evaluations / rule.points();
    run.grant(0.2);
    evaluate(run, integral, regions_.size(), regions_.size(), regions_.size(), rule.points());
    run.grant(0);
    integral.caution = 1;
    return integral;
  }

  /// Evaluates regions 0 ... fresh - 1 of the list and the others, to `count` in all, from `siblings` on, by a rule of
  /// so many points. @returns whether it has; if not, the run has been ended in between
  template <class Run, class P, class F, int D>
  bool evaluate(Run& run, RegionIntegral<P, F, D> const& integral, std::uint64_t fresh, std::uint64_t siblings,
                std::uint64_t count, std::uint64_t points) {
    auto const launch = [&](std::uint64_t first, std::uint64_t part, Deadline const&) {
      evaluate_regions<Space>(exec_, integral, regions_.regions(), fresh, siblings, count, points, first, part);
    };
    if (ranks_.size() == 1 && count <= slice_) { // a wait follows anyway
      launch(0, count, {});
      return true;
    }
    return in_slices(exec_, ranks_, run, 0, count, slice_, launch);
  }

private:
  /// By what more than the norm of the rule the errors of the first grid are multiplied: its regions are coarse, and no
  /// parent checks them (docs/cubature.md).
  static constexpr double start_caution = 4;

  Space exec_;
  Communicator ranks_;
  Workspace<Space> workspace_;
  RuleTable<Space> rules_;
  RegionList<Space> regions_;
  std::uint64_t slice_ = 0; ///< regions that are evaluated at once where the call is watched
};

} // namespace kubature::detail

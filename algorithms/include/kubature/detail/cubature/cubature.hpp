#pragma once

#include <kubature/box.hpp>
#include <kubature/cubature_rule.hpp>
#include <kubature/detail/cubature/behind_points.hpp>
#include <kubature/detail/cubature/evaluate_regions.hpp>
#include <kubature/detail/cubature/region_estimates.hpp>
#include <kubature/detail/cubature/region_list.hpp>
#include <kubature/detail/cubature/rule_table.hpp>
#include <kubature/detail/launch/host_threads.hpp>
#include <kubature/detail/launch/slices.hpp>
#include <kubature/detail/memory/batches.hpp>
#include <kubature/detail/policies/cubature_policy.hpp>
#include <kubature/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <source_location>
#include <vector>

namespace kubature::detail {

/// How a call begins.
struct CallStart {
  int level = 0;               ///< of the first grid, if it is to be finer than usual; 0: as usual
  bool published = false;      ///< whether errors are those of the null rules alone (RuleView::error)
  std::uint64_t partition = 0; ///< maximum size of a published_grid() to start from; 0: as usual
};

/// The state that cubature methods keep from call to call, a list of regions and a rule on the device; and their common
/// start.
template <class Space>
class Cubature {
public:
  explicit Cubature(Space const& exec, Communicator const& ranks = {})
      : threads_(exec), ranks_(ranks), regions_(ranks) {}

  RegionList<Space>& regions() { return regions_; }
  RegionList<Space> const& regions() const { return regions_; }
  Batches<Space>& batches() { return batches_; }
  HostThreads<Space> const& threads() const { return threads_; }

  /// The instance for kernels over this many regions: a host's calling thread finishes a few of them before the other
  /// threads would wake. The results do not depend on it.
  Space const& exec(std::uint64_t regions) const {
    return threads_.for_work(
        regions <= Tuning<Space>::short_list ? 0 : by().seconds_in_list * static_cast<double>(regions));
  }
  /// The same for kernels that evaluate an integrand of type F in each of this many regions, `part` times as often as
  /// the rule does.
  template <class F>
  Space const& exec_to_evaluate(std::uint64_t regions, double part = 1) const {
    return is_batched<F> ? threads_.all()
                         : threads_.for_work(part * evaluation_.seconds * static_cast<double>(regions));
  }

  /// A region whose error is no larger than this fraction of its value is not bisected: it may all be rounding.
  /// @param epsilon of the integrand's values
  static double least_relative(CubatureRule const& rule, double epsilon) {
    return epsilon * (4 * rule.rounding() + rule.noise());
  }

  /// The remainder of this many bytes beside batches of the integrand's points: batches get a quarter if they can use
  /// it, and enough for any one region. All of them if the integrand does not evaluate batches.
  template <class F>
  std::size_t leave(F const&, CubatureRule const& rule, std::size_t bytes) {
    if constexpr (!is_batched<F>) {
      return bytes;
    } else {
      auto const region = bytes_of_points<F>(rule);
      auto const part = std::max(
          region, std::min(bytes / by().batch_part, batches_.useful(region * regions_to_fill(threads_.all()))));
      batches_.limit(std::min(part, bytes));
      return bytes - std::min(part, bytes);
    }
  }

  /// Lists the regions of the first grid and evaluates them.
  /// @param request of the call; bytes without those of batches, see leave()
  /// @returns the integral for later regions; nothing if limits have ended the run
  template <class P, class F, int D>
  std::optional<RegionIntegral<P, F, D>> start(RegionEstimates& run, CubatureRule const& rule, F const& f,
                                               Box<D> const& box, NonFinite policy, Request const& request,
                                               CallStart const& how = {}) {
    auto const tolerance = request.tolerance;
    auto const limits = request.limits;
    using Sample = typename P::sample_type;
    using Acc = typename P::accumulate_type;
    std::size_t used = 0;
    auto const affordable = limits.evaluations / rule.points();
    auto const grid = how.level > 0       ? even_grid(box.dimension(), how.level)
                      : how.partition > 0 ? published_grid(box.dimension(), std::min(how.partition, affordable))
                                          : start_grid(box.dimension(), affordable);
    auto const& exec = this->exec(grid.size);
    auto const table = rules_.template view<Sample, Acc>(exec, rule, threads_.workspace(), used);
    if (grid.size == 0) {
      run.give_up(Status::evaluation_limit);
      return {};
    }
    bool const whole = !how.published && grid.halves(box.dimension()) && run.affordable(rule.points()) > grid.size;
    auto least = regions_.balanced_size(grid.size) + (whole ? 1 : 0);
    bool room = true;
    if constexpr (is_batched<F>) {
      least = std::max<std::uint64_t>(2, least); // see look_in_batches
      room = batches_.reserve(threads_.all(), bytes_of_points<F>(rule));
    }
    regions_.clear(exec, box.dimension(), RegionIntegral<P, F, D>::components, least, limits.bytes,
                   threads_.workspace().device().subspan(used), threads_.workspace().host());
    if (ranks_.any(!room || regions_.capacity() < least)) {
      threads_.all().fence("kubature::cubature::give_up");
      run.give_up(Status::memory_exhausted);
      return {};
    }
    RegionIntegral<P, F, D> integral{{f, Interior<Sample, D>(filled_by(grid, box), CoordinateFormat::of_arguments<P>()),
                                      table, box.dimension(), policy},
                                     &regions_.counters()->non_finite};
    Acc const none = how.published ? 1 + Kokkos::Experimental::epsilon_v<Acc> : 1; // the largest null rule counts
    integral.caution = how.published ? none : static_cast<Acc>(by().start_caution * rule.norm());
    slice_ = first_slice(rule.points());
    evaluation_ = {};
    run.grant(by().start_grace);
    bool const usual = !how.published && how.partition == 0;
    if (!(usual && coarse_grid_serves(run, integral, grid, rule.points(), tolerance)) && !run.ended())
      evaluate_grid(run, integral, grid, rule.points(), whole);
    run.grant(0);
    if (run.ended())
      return {};
    integral.caution = none;
    return integral;
  }

  /// Evaluates the new regions of the list, by a rule of `points` points. @returns false if the run was ended meanwhile
  template <class Run, class P, class F, int D>
  bool evaluate(Run& run, RegionIntegral<P, F, D> const& integral, NewRegions const& new_regions,
                std::uint64_t points) {
    auto const launch = [&](std::uint64_t first, std::uint64_t count, Deadline const&) {
      if constexpr (is_batched<F>)
        evaluate_regions(threads_.all(), integral, regions_.regions(), new_regions, points, first, count, batches_);
      else
        threads_.run(evaluation_, first, count, [&](Space const& exec, std::uint64_t from, std::uint64_t number) {
          evaluate_regions<Space>(exec, integral, regions_.regions(), new_regions, points, from, number);
        });
    };
    if (ranks_.size() == 1 && new_regions.count <= slice_) { // a wait follows anyway
      launch(0, new_regions.count, {});
      return true;
    }
    return in_slices(threads_.all(), ranks_, run, 0, new_regions.count, filling_chunks(threads_.all()), slice_, launch);
  }

private:
  static CubaturePolicy const& by() { return policy<CubaturePolicy>(); }

  /// The box, longer where a grid fills only a part of the intervals of its level. Throws InvalidArgument if that has
  /// infinite sides.
  template <int D>
  static Box<D> filled_by(Grid const& grid, Box<D> const& box) {
    if (grid.stretch() == 1)
      return box;
    std::vector<double> lower, upper;
    for (int k = 0; k < box.dimension(); ++k) {
      double const length = box[k].upper - box[k].lower;
      require(std::isfinite(length), "box", length, "the published first grid needs finite sides",
              std::source_location::current());
      lower.push_back(box[k].lower);
      upper.push_back(box[k].lower + length * grid.stretch());
    }
    return Box<D>(lower, upper);
  }

  /// Lists and evaluates the regions of a grid.
  /// @param whole whether to evaluate the whole box as well, with which the sum over the grid will be compared. Its
  ///              points may meet a singularity, as at its centre, that the grid's points avoid
  /// @returns whether it has
  template <class Run, class Integral>
  bool evaluate_grid(Run& run, Integral integral, Grid const& grid, std::uint64_t points, bool whole = false) {
    regions_.fill(exec(grid.size), grid, whole);
    auto const size = regions_.size();
    if (!evaluate(run, integral, {size, size, size}, points))
      return false;
    if (!whole)
      return true;
    integral.non_finite = nullptr;
    run.count(points);
    return evaluate(run, integral, {0, size, 1}, points);
  }

  /// In three and four variables, where that saves time and limits allow for both grids: evaluates a grid of two
  /// intervals along each axis instead of four.
  /// @returns whether its error is small enough for the call to continue from it
  template <class Run, class Integral>
  bool coarse_grid_serves(Run& run, Integral const& integral, Grid const& grid, std::uint64_t points,
                          Tolerance tolerance) {
    int const d = integral.dimension;
    auto const coarse = start_grid(d, std::uint64_t{1} << d);
    if (!Tuning<Space>::coarse_grid || d < 3 || grid.size <= coarse.size || !tolerance.asked() ||
        run.affordable(points) < 2 * grid.size || !evaluate_grid(run, integral, coarse, points))
      return false;
    double const error = regions_.summarise(exec(coarse.size), tolerance, 0).reference; // in units of the allowed error
    if (error > 0 && error <= (d == 3 ? by().coarse_error_3 : by().coarse_error_4))
      return true;
    run.count_in_vain(coarse.size, points);
    return false;
  }

  /// Maximum number of bytes for a region's points and their values in a batch: those of the rule, and those that the
  /// rule cannot see.
  template <class F>
  static std::size_t bytes_of_points(CubatureRule const& rule) {
    return (rule.points() + evaluations_behind_points(rule.dimension())) *
           static_cast<std::size_t>(rule.dimension() + F::components) * sizeof(double);
  }

  /// The number of regions of this many points that a device evaluates in some milliseconds.
  std::uint64_t first_slice(std::uint64_t points) const {
    return Tuning<Space>::sampling_team == 1 ? static_cast<std::uint64_t>(threads_.all().concurrency())
                                             : by().slice_evaluations / points;
  }

  HostThreads<Space> threads_;
  Communicator ranks_;
  RuleTable<Space> rules_;
  RegionList<Space> regions_;
  Batches<Space> batches_{"kubature::cubature::batches"};
  std::uint64_t slice_ = 0; ///< regions per launch if the call is watched
  TimedWork evaluation_;    ///< of a region
};

} // namespace kubature::detail

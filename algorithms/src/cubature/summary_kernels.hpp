#pragma once

#include <kubature/detail/cubature/region_statistics.hpp>
#include <kubature/detail/cubature/region_summary.hpp>
#include <kubature/detail/cubature/regions.hpp>
#include <kubature/detail/launch/join.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/tolerance.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace kubature::detail {

template <class Space>
using SummaryTeam = typename Kokkos::TeamPolicy<Space>::member_type;
template <class Space>
using PartialTotals = Kokkos::View<RegionTotals*, Space, Kokkos::MemoryUnmanaged>;

/// The division of a list's regions into chunks, one team per chunk.
struct RegionChunks {
  std::uint64_t size; ///< regions per chunk
  int count;

  template <class Space>
  static RegionChunks of(Space const&, std::uint64_t regions) {
    using T = Tuning<Space>;
    auto const size = regions <= T::short_list ? T::short_list
                                               : std::max(T::least_regions, Partition::ceil(regions, T::region_chunks));
    return {size, static_cast<int>(Partition::ceil(regions, size))};
  }
};

/// The totals of chunks of regions. The first `pairs` regions and those from `siblings` on are the halves of
/// bisections: their errors are improved at the same time from their parents' estimates.
template <class Space>
struct ImproveAndAddUp {
  Regions regions;
  PartialTotals<Space> partials; ///< [component * chunks + chunk]
  std::uint64_t begin, end, pairs, siblings, chunk;
  HalfErrors halves; ///< how

  KOKKOS_FUNCTION void operator()(SummaryTeam<Space> const& team) const {
    auto const first = begin + static_cast<std::uint64_t>(team.league_rank()) * chunk;
    auto const count = static_cast<int>(end - first < chunk ? end - first : chunk);
    for (int c = 0; c < regions.components; ++c) {
      RegionTotals sum;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, count),
          [&](int j, RegionTotals& partial) { improve_and_add(c, first + static_cast<unsigned>(j), partial); },
          Join<RegionTotals>(sum));
      Kokkos::single(Kokkos::PerTeam(team), [&] { partials(c * team.league_size() + team.league_rank()) = sum; });
    }
  }

private:
  KOKKOS_FUNCTION void improve_and_add(int c, std::uint64_t i, RegionTotals& partial) const {
    add_value(regions.value(c, i), partial);
    if (i < pairs) {
      regions.improve_errors(c, i, siblings + i, regions.parent(c, i), halves);
      add_value(regions.value(c, siblings + i), partial);
      partial.error.add(regions.error(c, siblings + i));
    }
    partial.error.add(regions.error(c, i));
  }
  KOKKOS_FUNCTION static void add_value(double value, RegionTotals& partial) {
    partial.value.add(value);
    partial.magnitude += Kokkos::abs(value);
  }
};

/// Joins the totals of the chunks, by one team: those of committed regions, or those of the list. For the list it also
/// finds the component that drives the refinement, and sets the histograms to zero.
template <class Space>
struct JoinTotals {
  PartialTotals<Space> partials;
  ReportView report;
  int components, chunks;
  Tolerance tolerance;
  std::uint64_t regions; ///< in the lists of all ranks
  bool commit;

  KOKKOS_FUNCTION void operator()(SummaryTeam<Space> const& team) const {
    auto& statistics = *report.statistics;
    if (!commit)
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, ErrorBins::count),
                           [&](int bin) { statistics.settled[bin] = statistics.open[bin] = 0; });
    for (int c = 0; c < components; ++c) {
      RegionTotals sum;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, chunks),
          [&](int chunk, RegionTotals& partial) { partial.join(partials(c * chunks + chunk)); },
          Join<RegionTotals>(sum));
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        if (commit)
          report.committed(c).join(sum);
        else
          report.listed(c) = sum;
      });
    }
    team.team_barrier();
    if (!commit)
      Kokkos::single(Kokkos::PerTeam(team), [&] { compare_with_tolerance(); });
  }

  /// Determines the weights of all components, the one farthest from its tolerance, and the reference.
  KOKKOS_FUNCTION void compare_with_tolerance() const {
    auto& statistics = *report.statistics;
    bool const alone = tolerance.norm == ErrorNorm::individual;
    Norm reference{tolerance.norm};
    double left_to_group = 0;
    double farthest = 0;
    statistics.possible = true;
    for (int c = 0; c < components; ++c) {
      auto const own = report.to_compare(c);
      auto const group = ComponentGroup::of(tolerance.norm, c, components);
      if (c == group.first)
        left_to_group = left(report.norm_of(tolerance.norm, group));
      double const left = alone ? left_to_group : cautious(left_to_group, own.seen, regions);
      report.weights[c] = weight(left, own.listed);
      double const excess = own.listed * report.weights[c];
      reference.add(excess);
      if (c == 0 || excess > farthest) {
        farthest = excess;
        statistics.driver = c;
      }
    }
    statistics.reference = reference.value;
  }

private:
  KOKKOS_FUNCTION bool asked() const { return tolerance.relative > 0 || tolerance.absolute > 0; }
  /// The error still allowed to the list.
  KOKKOS_FUNCTION double left(ToCompare const& of) const {
    auto& possible = report.statistics->possible;
    double const left = of.allowed(tolerance, regions) - of.committed;
    possible = possible && (left > 0 || !asked() || of.committed == 0);
    return left;
  }
  /// The inverse of the above. While the value is zero, or so small that its inverse overflows, the allowed error is
  /// unknown: errors are then compared with each other.
  KOKKOS_FUNCTION double weight(double left, double listed) const {
    if (!asked())
      return 1;
    if (left > least_allowed)
      return 1 / left;
    return listed > least_allowed ? 2 / listed : 0;
  }

  static constexpr double least_allowed = 1e-304;
};

/// Compares the sum over a first grid with the estimate for the whole box, which is behind its last region, and raises
/// the regions' errors where these sum to less than least_grid_error(). By one team, as such a grid has few regions.
template <class Space>
struct CompareWithWhole {
  Regions regions;
  JoinTotals<Space> join;
  std::uint64_t size; ///< regions of this rank

  KOKKOS_FUNCTION void operator()(SummaryTeam<Space> const& team) const {
    for (int c = 0; c < join.components; ++c) {
      auto& listed = join.report.listed(c);
      double const error = listed.error.value(), change = Kokkos::abs(listed.value.value() - regions.value(c, size)),
                   least = least_grid_error(change, listed.magnitude);
      if (!(least > error && Kokkos::isfinite(least)))
        continue;
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(size)), [&](int i) {
        regions.raise_error(c, static_cast<unsigned>(i), error, least, join.regions);
      });
      team.team_barrier();
      Kokkos::single(Kokkos::PerTeam(team), [&] { listed.error = {least}; });
    }
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] { join.compare_with_tolerance(); });
  }
};

/// Counts the regions of a chunk in bins by the size of their error: those that Selection settles, and all others.
template <class Space>
struct CountErrors {
  using Counts = Kokkos::View<std::uint32_t*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  Regions regions;
  ReportView report;
  double relative, absolute;
  ErrorNorm norm;
  std::uint64_t size, chunk;

  KOKKOS_FUNCTION void operator()(SummaryTeam<Space> const& team) const {
    auto& statistics = *report.statistics;
    Selection const selection{report.weights, statistics.reference, 0, relative, norm, absolute};
    constexpr int bins = ErrorBins::count;
    Counts const counts(team.team_scratch(0), 2 * bins);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 2 * bins), [&](int bin) { counts(bin) = 0; });
    team.team_barrier();
    auto const first = static_cast<std::uint64_t>(team.league_rank()) * chunk;
    auto const count = static_cast<int>(size - first < chunk ? size - first : chunk);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int j) {
      auto const i = first + static_cast<unsigned>(j);
      Kokkos::atomic_inc(&counts((selection.settled(regions, i) ? bins : 0) + selection.bin(regions, i)));
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 2 * bins), [&](int bin) {
      if (counts(bin) > 0)
        Kokkos::atomic_add(bin < bins ? &statistics.open[bin] : &statistics.settled[bin - bins],
                           static_cast<std::uint64_t>(counts(bin)));
    });
  }
};

/// All three for short lists, by one team, which writes the report to where the host reads it.
template <class Space>
struct SummariseShortList {
  ImproveAndAddUp<Space> add_up;
  JoinTotals<Space> join;
  CompareWithWhole<Space> compare;
  CountErrors<Space> count_errors;
  std::uint64_t* host_report;
  int words;
  bool whole;

  KOKKOS_FUNCTION void operator()(SummaryTeam<Space> const& team) const {
    add_up(team);
    team.team_barrier();
    join(team);
    team.team_barrier();
    if (whole) {
      compare(team);
      team.team_barrier();
    }
    count_errors(team);
    team.team_barrier();
    auto const* report = reinterpret_cast<std::uint64_t const*>(join.report.statistics);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, words), [&](int k) { host_report[k] = report[k]; });
  }
};

} // namespace kubature::detail

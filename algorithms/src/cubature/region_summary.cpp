#include "memory/device_bytes.hpp"

#include <kubature/detail/cubature/region_distribution.hpp>
#include <kubature/detail/cubature/region_summary.hpp>
#include <kubature/detail/launch/join.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/spaces.hpp>
#include <kubature/tuning.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <vector>

namespace kubature::detail {
namespace {

template <class Space>
using Member = typename Kokkos::TeamPolicy<Space>::member_type;
template <class Space>
using Partials = Kokkos::View<RegionTotals*, Space, Kokkos::MemoryUnmanaged>;

/// How the regions of a list are divided into chunks, one team per chunk.
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
  Partials<Space> partials; ///< [component * chunks + chunk]
  std::uint64_t begin, end, pairs, siblings, chunk;
  bool lower; ///< whether these may be lowered first

  KOKKOS_FUNCTION void operator()(Member<Space> const& team) const {
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
      regions.improve_errors(c, i, siblings + i, regions.parent(c, i), lower);
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
  Partials<Space> partials;
  ReportView report;
  int components, chunks;
  Tolerance tolerance;
  ErrorNorm norm;
  std::uint64_t regions; ///< in the lists of all processes
  bool commit;

  KOKKOS_FUNCTION void operator()(Member<Space> const& team) const {
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

  /// Determines the weights of all components, the one that is farthest from its tolerance, and the reference.
  KOKKOS_FUNCTION void compare_with_tolerance() const {
    auto& statistics = *report.statistics;
    bool const in_norm = norm != ErrorNorm::individual;
    auto const of_norm = in_norm ? report.norm_of(norm, components) : ToCompare{};
    Norm reference{norm};
    double farthest = 0;
    statistics.possible = true;
    for (int c = 0; c < components; ++c) {
      auto const own = report.to_compare(c);
      double left = this->left(in_norm ? of_norm : own);
      if (in_norm)
        left = cautious(left, own.seen, regions);
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
  /// The error that the list may still have.
  KOKKOS_FUNCTION double left(ToCompare const& of) const {
    auto& possible = report.statistics->possible;
    double const left = of.allowed(tolerance, regions) - of.committed;
    possible = possible && (left > 0 || !asked() || of.committed == 0);
    return left;
  }
  /// The inverse of the above. While the value is zero, or so small that its inverse overflows, the allowed error is
  /// not known: errors are then compared with each other.
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
  std::uint64_t size; ///< regions of this process

  KOKKOS_FUNCTION void operator()(Member<Space> const& team) const {
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
  double relative;
  ErrorNorm norm;
  std::uint64_t size, chunk;

  KOKKOS_FUNCTION void operator()(Member<Space> const& team) const {
    auto& statistics = *report.statistics;
    Selection const selection{report.weights, statistics.reference, 0, relative, norm};
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

/// All three for short lists, by one team, which leaves the report where the host reads it.
template <class Space>
struct SummariseShortList {
  ImproveAndAddUp<Space> add_up;
  JoinTotals<Space> join;
  CompareWithWhole<Space> compare;
  CountErrors<Space> count_errors;
  std::uint64_t* host_report;
  int words;
  bool whole;

  KOKKOS_FUNCTION void operator()(Member<Space> const& team) const {
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

} // namespace

template <class Space>
void RegionSummary<Space>::clear(Space const& exec, int components, Arena<Space>& arena, std::span<std::byte> host) {
  components_ = components;
  auto const size = ReportView::bytes(components);
  report_ = arena.take(size, more_report_);
  auto const partials = static_cast<std::size_t>(components) * Tuning<Space>::region_chunks * sizeof(RegionTotals);
  partials_ = reinterpret_cast<RegionTotals*>(arena.take(partials, more_partials_));
  if (size > host.size() && size > more_host_report_.size())
    more_host_report_ = decltype(more_host_report_)(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "kubature::regions::host_report"), size);
  host_report_ = size > host.size() ? more_host_report_.data() : host.data();
  Kokkos::parallel_for("kubature::regions::clear", range(exec, size / sizeof(std::uint64_t)),
                       SetToZero<std::uint64_t>{reinterpret_cast<std::uint64_t*>(report_)});
}

template <class Space>
RegionStatistics const& RegionSummary<Space>::improve_and_summarise(Space const& exec, Regions const& regions,
                                                                    std::uint64_t size, std::uint64_t pairs, bool whole,
                                                                    Tolerance tolerance, double relative, bool lower) {
  using Policy = Kokkos::TeamPolicy<Space>;
  auto const team = Tuning<Space>::reduction_team;
  auto const siblings = size - pairs; // they are added with the regions from which they were bisected
  auto const to_add = RegionChunks::of(exec, siblings), to_count = RegionChunks::of(exec, size);
  Partials<Space> const partials(partials_, static_cast<std::size_t>(components_ * to_add.count));
  ImproveAndAddUp<Space> const add_up{regions, partials, 0, siblings, pairs, siblings, to_add.size, lower};
  JoinTotals<Space> const join{partials, report(), components_, to_add.count, tolerance, norm_, size, false};
  CountErrors<Space> const count_errors{regions, report(), relative, norm_, size, to_count.size};
  sizes_ = {size};
  auto const scratch = Kokkos::PerTeam(CountErrors<Space>::Counts::shmem_size(2 * ErrorBins::count));
  if (to_count.count == 1 && ranks_.size() == 1) {
    Kokkos::parallel_for(
        "kubature::regions::summarise",
        as_argument(Policy(exec, 1, Tuning<Space>::short_list_team).set_scratch_size(0, scratch)),
        SummariseShortList<Space>{add_up,
                                  join,
                                  {regions, join, size},
                                  count_errors,
                                  reinterpret_cast<std::uint64_t*>(host_report_),
                                  static_cast<int>(ReportView::bytes(components_) / sizeof(std::uint64_t)),
                                  whole});
  } else {
    if (to_add.count > 0)
      Kokkos::parallel_for("kubature::regions::add_up", Policy(exec, to_add.count, team), add_up);
    Kokkos::parallel_for("kubature::regions::join", Policy(exec, 1, team), join);
    auto all = join;
    if (ranks_.size() > 1) {
      read_report(exec);
      exec.fence("kubature::regions::read");
      combine_totals(&ReportView::listed, size);
      all.regions = std::accumulate(sizes_.begin(), sizes_.end(), std::uint64_t{0});
      JoinTotals<Space>{{}, host_report(), components_, 0, tolerance, norm_, all.regions, false}
          .compare_with_tolerance();
      auto const bytes = ReportView::bytes(components_);
      Kokkos::deep_copy(exec, bytes_at<Space>(report_, bytes), bytes_at<ReadbackSpace<Space>>(host_report_, bytes));
    }
    if (whole)
      Kokkos::parallel_for("kubature::regions::compare_with_whole", Policy(exec, 1, team),
                           CompareWithWhole<Space>{regions, all, size});
    if (to_count.count > 0)
      Kokkos::parallel_for("kubature::regions::count_errors",
                           Policy(exec, to_count.count, team).set_scratch_size(0, scratch), count_errors);
    read_report(exec);
  }
  exec.fence("kubature::regions::read");
  if (ranks_.size() > 1)
    combine_counts();
  return *host_report().statistics;
}

template <class Space>
void RegionSummary<Space>::commit(Space const& exec, Regions const& regions, std::uint64_t first, std::uint64_t size,
                                  int last_bin) {
  using Policy = Kokkos::TeamPolicy<Space>;
  auto const team = Tuning<Space>::reduction_team;
  auto const chunks = RegionChunks::of(exec, size - first);
  Partials<Space> const partials(partials_, static_cast<std::size_t>(components_ * chunks.count));
  auto const all = host_report();
  if (ranks_.rank() > 0) { // what was committed before counts only once
    for (int c = 0; c < components_; ++c)
      all.committed(c) = {};
    write_totals(exec);
  }
  if (chunks.count > 0)
    Kokkos::parallel_for("kubature::regions::add_up", Policy(exec, chunks.count, team),
                         ImproveAndAddUp<Space>{regions, partials, first, size, 0, 0, chunks.size, false});
  Kokkos::parallel_for("kubature::regions::join", Policy(exec, 1, team),
                       JoinTotals<Space>{partials, report(), components_, chunks.count, {}, norm_, 0, true});
  sizes_ = {first};
  if (ranks_.size() == 1)
    return;
  read_report(exec);
  exec.fence("kubature::regions::read");
  combine_totals(&ReportView::committed, first);
  write_totals(exec);
  std::fill(std::begin(open_) + last_bin + 1, std::end(open_), 0);
}

template <class Space>
void RegionSummary<Space>::read_report(Space const& exec) {
  auto const size = ReportView::bytes(components_);
  Kokkos::deep_copy(exec, bytes_at<ReadbackSpace<Space>>(host_report_, size), bytes_at<Space>(report_, size));
}

template <class Space>
void RegionSummary<Space>::write_totals(Space const& exec) {
  auto const size = 2 * sizeof(RegionTotals) * static_cast<std::size_t>(components_);
  Kokkos::deep_copy(exec, bytes_at<Space>(report().totals, size),
                    bytes_at<ReadbackSpace<Space>>(host_report().totals, size));
  exec.fence("kubature::regions::write");
}

template <class Space>
void RegionSummary<Space>::combine_totals(RegionTotals& (ReportView::*of)(int) const, std::uint64_t size) {
  auto const all = host_report();
  std::vector<RegionTotals> totals;
  for (int c = 0; c < components_; ++c)
    totals.push_back((all.*of)(c));
  sizes_ = sum_over_ranks(ranks_, totals, size);
  for (int c = 0; c < components_; ++c)
    (all.*of)(c) = totals[static_cast<std::size_t>(c)];
}

template <class Space>
void RegionSummary<Space>::combine_counts() {
  auto& statistics = *host_report().statistics;
  std::copy(std::begin(statistics.open), std::end(statistics.open), std::begin(open_));
  using Part = std::span<std::uint64_t>;
  Part const parts[] = {
      {reinterpret_cast<std::uint64_t*>(&statistics.counters), sizeof(Counters) / sizeof(std::uint64_t)},
      Part(statistics.open),
      Part(statistics.settled)};
  std::vector<std::uint64_t> counts;
  for (Part const part : parts)
    counts.insert(counts.end(), part.begin(), part.end());
  ranks_.sum(counts);
  auto const* from = counts.data();
  for (Part const part : parts) {
    std::copy_n(from, part.size(), part.begin());
    from += part.size();
  }
}

template <class Space>
bool RegionSummary<Space>::met(Tolerance tolerance, std::uint64_t regions) const {
  auto const report = host_report();
  bool const in_norm = norm_ != ErrorNorm::individual;
  auto const of_norm = in_norm ? report.norm_of(norm_, components_) : ToCompare{};
  double const bound = of_norm.allowed(tolerance, regions);
  bool met = of_norm.error <= bound;
  for (int c = 0; c < components_; ++c) {
    auto const own = report.to_compare(c);
    met = met && own.error <= (in_norm ? cautious(bound, own.seen, regions) : own.allowed(tolerance, regions));
  }
  return met;
}

#define KUBATURE_INSTANTIATE(Space) template class RegionSummary<Space>;
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail

#include "cubature/summary_kernels.hpp"
#include "memory/device_bytes.hpp"

#include <kubature/detail/cubature/region_distribution.hpp>
#include <kubature/detail/cubature/region_summary.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/spaces.hpp>
#include <kubature/tuning.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <vector>

namespace kubature::detail {
template <class Space>
void RegionSummary<Space>::clear(Space const& exec, int components, Arena<Space>& arena, std::span<std::byte> host) {
  components_ = components;
  absolute_ = 0;
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
                                                                    Tolerance tolerance, double relative,
                                                                    HalfErrors halves) {
  using Policy = Kokkos::TeamPolicy<Space>;
  norm_ = tolerance.norm;
  auto const team = Tuning<Space>::reduction_team;
  auto const siblings = size - pairs; // they are added with the regions from which they were bisected
  auto const to_add = RegionChunks::of(exec, siblings), to_count = RegionChunks::of(exec, size);
  PartialTotals<Space> const partials(partials_, static_cast<std::size_t>(components_ * to_add.count));
  ImproveAndAddUp<Space> const add_up{regions, partials, 0, siblings, pairs, siblings, to_add.size, halves};
  JoinTotals<Space> const join{partials, report(), components_, to_add.count, tolerance, size, false};
  CountErrors<Space> const count_errors{regions, report(), relative, absolute_, norm_, size, to_count.size};
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
      JoinTotals<Space>{{}, host_report(), components_, 0, tolerance, all.regions, false}.compare_with_tolerance();
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
  PartialTotals<Space> const partials(partials_, static_cast<std::size_t>(components_ * chunks.count));
  auto const all = host_report();
  if (ranks_.rank() > 0) { // earlier commitments count only once
    for (int c = 0; c < components_; ++c)
      all.committed(c) = {};
    write_totals(exec);
  }
  if (chunks.count > 0)
    Kokkos::parallel_for("kubature::regions::add_up", Policy(exec, chunks.count, team),
                         ImproveAndAddUp<Space>{regions, partials, first, size, 0, 0, chunks.size, HalfErrors::kept});
  Kokkos::parallel_for("kubature::regions::join", Policy(exec, 1, team),
                       JoinTotals<Space>{partials, report(), components_, chunks.count, {}, 0, true});
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
  bool const alone = tolerance.norm == ErrorNorm::individual;
  bool met = true;
  for (int first = 0; first < components_;) {
    auto const group = ComponentGroup::of(tolerance.norm, first, components_);
    auto const of_group = report.norm_of(tolerance.norm, group);
    double const bound = of_group.allowed(tolerance, regions);
    met = met && of_group.error <= bound;
    for (int c = group.first; !alone && c < group.last; ++c) {
      auto const own = report.to_compare(c);
      met = met && own.error <= cautious(bound, own.seen, regions);
    }
    first = group.last;
  }
  return met;
}

#define KUBATURE_INSTANTIATE(Space) template class RegionSummary<Space>;
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail

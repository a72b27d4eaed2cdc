#pragma once

#include <kubature/backend.hpp>
#include <kubature/communicator.hpp>
#include <kubature/detail/cubature/region_statistics.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/workspace.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace kubature::detail {

/// A report on a list of regions: its statistics, the totals of each component, and the weights that Selection uses.
struct ReportView {
  RegionStatistics* statistics;
  RegionTotals* totals; ///< [component][listed, committed]
  double* weights;      ///< [component]
  std::uint32_t* moved; ///< number of exchanges that a partition of the list needs

  static std::size_t bytes(int components) {
    return sizeof(RegionStatistics) +
           static_cast<std::size_t>(components) * (2 * sizeof(RegionTotals) + sizeof(double)) + sizeof(std::uint64_t);
  }
  ReportView(std::byte* data, int components)
      : statistics(reinterpret_cast<RegionStatistics*>(data)), totals(reinterpret_cast<RegionTotals*>(statistics + 1)),
        weights(reinterpret_cast<double*>(totals + 2 * components)),
        moved(reinterpret_cast<std::uint32_t*>(weights + components)) {}

  KOKKOS_FUNCTION RegionTotals& listed(int component) const { return totals[2 * component]; }
  KOKKOS_FUNCTION RegionTotals& committed(int component) const { return totals[2 * component + 1]; }
  KOKKOS_FUNCTION ToCompare to_compare(int component) const {
    return ToCompare::of(listed(component), committed(component));
  }
  KOKKOS_FUNCTION ToCompare norm_of(ErrorNorm norm, ComponentGroup group) const {
    return ToCompare::norm_of(norm, group, [this](int c) { return to_compare(c); });
  }
};

/// Sums and counts over a list of regions, in an order fixed by the number of regions alone. With MPI, each rank has
/// its own list, and the report covers all of them.
template <class Space>
class RegionSummary {
public:
  explicit RegionSummary(Communicator const& ranks) : ranks_(ranks) {}

  /// Clears the report to zeros.
  /// @param arena, host memory of a workspace, as long as the report is used
  void clear(Space const& exec, int components, Arena<Space>& arena, std::span<std::byte> host);

  /// Adds up all regions and counts them in bins by the size that Selection gives their errors. If the first and the
  /// last `pairs` regions are the halves of bisections, their errors are first improved from their parents' estimates
  /// (two_level_error), in the same kernel. Waits for the result.
  /// @param size     regions of this rank
  /// @param whole    whether the whole box is behind the last of them, and the regions are a grid whose errors are to
  ///                 be raised by comparison with it (least_grid_error)
  /// @param relative of the filter in Selection
  /// @param halves   what becomes of the errors of halves
  RegionStatistics const& improve_and_summarise(Space const& exec, Regions const& regions, std::uint64_t size,
                                                std::uint64_t pairs, bool whole, Tolerance tolerance, double relative,
                                                HalfErrors halves);

  /// Regions of smaller errors count as settled from now on, until clear(); see Selection.
  void settle_below(double absolute) { absolute_ = absolute; }
  double settled_below() const { return absolute_; }

  /// Adds regions first ... size - 1, which include all open ones in bins behind `last_bin`, to the committed totals.
  void commit(Space const& exec, Regions const& regions, std::uint64_t first, std::uint64_t size, int last_bin);

  /// The number of regions of each rank, as of the last summary or commit().
  std::vector<std::uint64_t> const& sizes() const { return sizes_; }

  /// The totals of the list as of the last summary.
  RegionTotals const& listed(int component) const { return host_report().listed(component); }
  RegionTotals const& committed(int component) const { return host_report().committed(component); }
  /// Whether the errors, including those committed, are as small as a tolerance allows with this many regions.
  bool met(Tolerance tolerance, std::uint64_t regions) const;
  /// Of the tolerance of the last summary.
  ErrorNorm norm() const { return norm_; }
  /// Number of open regions on this rank in bins 0 ... last_bin.
  std::uint64_t open_here(int last_bin) const {
    return std::accumulate(std::begin(open_), std::begin(open_) + last_bin + 1, std::uint64_t{0});
  }

  /// In device memory: the counters of kernels, 1 / allowed error of each component, and a word for partitions.
  Counters* counters() const { return &report().statistics->counters; }
  double const* weights() const { return report().weights; }
  std::uint32_t* moved() const { return report().moved; }

private:
  ReportView report() const { return {report_, components_}; }
  ReportView host_report() const { return {host_report_, components_}; }

  /// Copies the report, or the totals in it, from the device to the host or back.
  void read_report(Space const& exec);
  void write_totals(Space const& exec);
  /// Sums the totals over all ranks, for the list or for what is committed, and gathers the sizes.
  void combine_totals(RegionTotals& (ReportView::*of)(int) const, std::uint64_t size);
  /// Sums the counts over all ranks.
  void combine_counts();

  Communicator ranks_;
  ErrorNorm norm_ = ErrorNorm::individual;
  int components_ = 0;
  double absolute_ = 0; ///< of Selection
  std::byte* report_ = nullptr;
  std::byte* host_report_ = nullptr;
  RegionTotals* partials_ = nullptr; ///< of chunks of regions
  std::vector<std::uint64_t> sizes_; ///< of all lists
  ErrorCounts open_ = {};            ///< of this rank alone, if there are several
  Buffer<Space> more_report_{"kubature::regions::report"}, more_partials_{"kubature::regions::partials"};
  Kokkos::View<std::byte*, ReadbackSpace<Space>> more_host_report_;
};

} // namespace kubature::detail

#pragma once

#include <kubature/backend.hpp>
#include <kubature/communicator.hpp>
#include <kubature/detail/cubature/bisection.hpp>
#include <kubature/detail/cubature/bisection_record.hpp>
#include <kubature/detail/cubature/region_distribution.hpp>
#include <kubature/detail/cubature/region_statistics.hpp>
#include <kubature/detail/cubature/region_summary.hpp>
#include <kubature/detail/cubature/regions.hpp>
#include <kubature/detail/memory/messages.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace kubature::detail {

/// The regions of a cubature on the device, and those steps of an iteration that do not depend on the integrand. Memory
/// is allocated only for growth.
///
/// Children take their parent's place: bisecting the first k of n regions leaves their lower halves where they are and
/// puts the upper halves at n ... n + k - 1.
///
/// With MPI, each rank has its own list; statistics cover all lists.
template <class Space>
class RegionList {
public:
  explicit RegionList(Communicator const& ranks = {}) : ranks_(ranks), summary_(ranks) {}

  /// An empty list with room for `count` regions, or for as many as `bytes` and the device's free memory allow.
  /// @param device, host memory of a workspace, as long as the list is used
  void clear(Space const& exec, int dimension, int components, std::uint64_t count, std::size_t bytes,
             std::span<std::byte> device, std::span<std::byte> host);

  /// Fills an empty list, which has room, with the regions of a grid, or with the balanced_size() of them that belong
  /// to this rank.
  /// @param whole whether to place the whole box behind the last region, where there is room for one more. It does not
  ///              belong to the list; once the caller has evaluated it, improve_and_summarise() compares the sum over
  ///              the grid with it.
  void fill(Space const& exec, Grid const& grid, bool whole = false);

  /// Makes room for `count` regions, or as many as possible; the list itself does not change.
  void reserve(Space const& exec, std::uint64_t count, std::size_t bytes);

  std::uint64_t size() const { return size_; }
  /// The size of all lists together, as of the last summary, fill() or commit_behind().
  std::uint64_t total() const { return total_; }
  /// The number of `all` regions that this rank has if they are evenly distributed.
  std::uint64_t balanced_size(std::uint64_t all) const { return detail::balanced_size(ranks_, all, ranks_.rank()); }
  std::uint64_t capacity() const { return regions_.capacity; }
  Regions const& regions() const { return regions_; }
  /// The list's own device memory, in bytes.
  std::size_t bytes() const { return memory_.size(); }
  /// The counters of kernels, in device memory.
  Counters* counters() const { return summary_.counters(); }

  /// Adds up all regions and counts them in bins by the size that Selection gives their errors. The regions are left
  /// unchanged. Waits for the result.
  /// @param relative of the filter in Selection
  RegionStatistics const& summarise(Space const& exec, Tolerance tolerance, double relative) {
    return summarise(exec, 0, false, tolerance, relative, HalfErrors::kept);
  }

  /// The same after bisect(), once the new regions have been evaluated: their errors are first improved from their
  /// parents' estimates, which are then dropped. Where fill() has placed the whole box, the errors of the first grid
  /// are raised if its estimate shows that they are too small (least_grid_error).
  /// @param halves what becomes of the errors of the new regions
  RegionStatistics const& improve_and_summarise(Space const& exec, Tolerance tolerance, double relative,
                                                HalfErrors halves = HalfErrors::raised) {
    auto const pairs = std::exchange(pairs_, 0);
    return summarise(exec, halves == HalfErrors::kept ? 0 : pairs, std::exchange(whole_, false), tolerance, relative,
                     halves);
  }
  /// See RegionSummary.
  void settle_below(double absolute) { summary_.settle_below(absolute); }

  /// The totals of the list as of the last summary.
  RegionTotals const& listed(int component) const { return summary_.listed(component); }
  RegionTotals const& committed(int component) const { return summary_.committed(component); }
  /// Whether the errors, including those committed, are as small as a tolerance allows.
  bool met(Tolerance tolerance) const { return summary_.met(tolerance, total_); }
  /// The weights that Selection uses, in device memory: 1 / allowed error of each component.
  double const* weights() const { return summary_.weights(); }

  /// After a summary: moves regions to shorter lists if the longest exceeds the mean by a quarter. @returns whether it
  /// has; another summary has to follow
  bool rebalance(Space const& exec, std::size_t bytes);

  /// After a summary: takes `count` of the regions in bins 0 ... last_bin, of which there may be more, in the order of
  /// ranks.
  /// @param room the number of regions for which this list has room
  Taken take(std::uint64_t count, int last_bin, std::uint64_t room) const {
    return take_in_order(ranks_, count, summary_.open_here(last_bin), room);
  }

  /// After a summary: the regions that it counted as open in bins 0 ... last_bin.
  Selection select(RegionStatistics const& statistics, int last_bin, double relative) const {
    return {weights(), statistics.reference, last_bin, relative, summary_.norm(), summary_.settled_below()};
  }

  /// Moves the regions that are selected, `selected` in number, to the front.
  void bring_forward(Space const& exec, Selection const& selection, std::uint64_t selected) {
    partition(exec, to_bisect(), selection, selected);
  }

  /// Moves the selected regions to the front and bisects the first `count`; there is room for that many more.
  void bisect(Space const& exec, Selection const& selection, std::uint64_t selected, std::uint64_t count);

  /// Adds all regions but the first `count`, those of bins 0 ... last_bin, to the committed totals, and drops them. The
  /// tree is dropped as well, since its leaves would be without regions.
  void commit_behind(Space const& exec, std::uint64_t count, int last_bin = ErrorBins::count - 1);

  using Words = typename BisectionRecord<Space>::Words;

  /// After a summary: the tree of bisections of all lists with the sizes of its leaves, if it is known.
  BisectionTree tree(Space const& exec) {
    record_.note_leaves(exec, regions_, size_, weights());
    return record_.tree();
  }
  /// See BisectionRecord.
  Words zeros_of_nodes(Space const& exec, std::uint64_t each) { return record_.zeros_of_nodes(exec, each, left()); }
  void maximum_over_ranks(Space const& exec, Words const& words) { record_.maximum_over_ranks(exec, words); }

private:
  using Memory = Kokkos::View<std::byte*, typename Space::memory_space>;

  RegionStatistics const& summarise(Space const& exec, std::uint64_t pairs, bool whole, Tolerance tolerance,
                                    double relative, HalfErrors halves);
  /// Adds up the sizes of all lists, which the summary knows.
  void count_regions();
  /// Bytes to allocate for `count` regions, for which the list has no room.
  std::size_t grown_size(Space const& exec, std::uint64_t count, std::size_t bytes) const;
  /// The bytes of the call's limit that the list does not use.
  std::size_t left() const { return limit_ - (memory_.size() < limit_ ? memory_.size() : limit_); }
  ListToBisect to_bisect() const { return {regions_, size_, summary_.moved()}; }

  Communicator ranks_;
  Regions regions_;
  std::uint64_t size_ = 0, total_ = 0;
  std::uint64_t pairs_ = 0; ///< of new children: the first pairs_ regions and the last
  bool whole_ = false;      ///< whether the whole box is behind the last region
  std::size_t limit_ = 0;   ///< of the call, in bytes
  unsigned sharers_ = 1;    ///< ranks that share this memory
  Memory memory_;           ///< used if the workspace is too small
  RegionSummary<Space> summary_;
  BisectionRecord<Space> record_{ranks_};
  Messages<Space> messages_{"kubature::regions::messages"};
};

} // namespace kubature::detail

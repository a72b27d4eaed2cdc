#pragma once

#include <kubature/backend.hpp>
#include <kubature/communicator.hpp>
#include <kubature/detail/buffer.hpp>
#include <kubature/detail/cubature/bisection_tree.hpp>
#include <kubature/detail/cubature/census.hpp>
#include <kubature/detail/cubature/regions.hpp>
#include <kubature/detail/parcels.hpp>
#include <kubature/point.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kubature::detail {

/// 2^levels[axis] equal parts an axis.
struct Grid {
  Kokkos::Array<int, max_dimension> levels{};
  std::uint64_t size = 1;
};

/// The grid to start from: 4 parts an axis for fewer than 5 variables, 2 up to 10, 1 for more, as PAGANI has it; fewer
/// parts where only `most` regions can be evaluated, of size 0 where not even one can.
Grid start_grid(int dimension, std::uint64_t most);

/// What a survey finds: the census, the totals of each component, and what Selection needs.
struct ReportView {
  Census* census;
  RegionTotals* totals; ///< [component][listed, committed]
  double* weights;
  std::uint32_t* moved; ///< how many exchanges a partition needs

  static std::size_t bytes(int components) {
    return sizeof(Census) + static_cast<std::size_t>(components) * (2 * sizeof(RegionTotals) + sizeof(double)) +
           sizeof(std::uint64_t);
  }
  ReportView(std::byte* data, int components)
      : census(reinterpret_cast<Census*>(data)), totals(reinterpret_cast<RegionTotals*>(census + 1)),
        weights(reinterpret_cast<double*>(totals + 2 * components)),
        moved(reinterpret_cast<std::uint32_t*>(weights + components)) {}

  KOKKOS_FUNCTION RegionTotals& listed(int component) const { return totals[2 * component]; }
  KOKKOS_FUNCTION RegionTotals& committed(int component) const { return totals[2 * component + 1]; }
};

/// The regions of a cubature on the device, and the steps of an iteration that do not depend on the integrand. Memory
/// is allocated only for growth.
///
/// Children share their parent's memory: bisecting the first k of n regions leaves their lower halves in place and puts
/// the upper halves at n ... n + k - 1.
///
/// Of several processes, each has a list of its own. What a survey finds is of all lists together.
template <class Space>
class RegionList {
public:
  explicit RegionList(Communicator const& ranks = {}) : ranks_(ranks) {}

  /// An empty list with room for `count` regions, or for as many as `bytes` and the device's free memory allow.
  /// @param device, host from a workspace, as long as the list is used
  void clear(Space const& exec, int dimension, int components, std::uint64_t count, std::size_t bytes,
             std::span<std::byte> device, std::span<std::byte> host);

  /// Fills an empty list with the unit cube in parts, or with this process's share of them. There is room.
  void fill(Space const& exec, Grid const& grid);

  /// Makes room for `count` regions, or as many as possible; the list stays as it is.
  void reserve(Space const& exec, std::uint64_t count, std::size_t bytes);

  std::uint64_t size() const { return size_; }
  /// Of all processes, as the last survey found them, or fill() or a commitment after it left them.
  std::uint64_t total() const { return total_; }
  /// This process's share of so many regions.
  std::uint64_t share(std::uint64_t all) const { return share(all, ranks_.rank()); }
  std::uint64_t capacity() const { return regions_.capacity; }
  Regions const& regions() const { return regions_; }
  /// What the list has taken of the device's memory.
  std::size_t bytes() const { return memory_.size(); }
  /// On the device: what kernels count.
  Counters* counters() const { return &report().census->counters; }

  /// After all regions that are new since the last survey have been evaluated: improves the errors of children by what
  /// their parents' estimates tell, adds up all regions in an order that their number alone fixes, and counts them in
  /// bins by the size that Selection gives their errors. Waits for the result.
  /// @param relative of the filter in Selection
  Census const& survey(Space const& exec, Tolerance tolerance, double relative);

  /// What the last survey found in the list, and what has been committed.
  RegionTotals const& listed(int component) const { return host_report().listed(component); }
  RegionTotals const& committed(int component) const { return host_report().committed(component); }

  /// After survey(): moves regions to shorter lists where the longest exceeds the mean by a quarter, and says whether
  /// it has. Another survey has to follow.
  bool rebalance(Space const& exec, std::size_t bytes);

  /// Of `count` regions in bins 0 ... last_bin of the last survey, which may have more, those of this list: how many
  /// are in these bins, and how many of them are taken.
  struct Part {
    std::uint64_t selected, taken;
    std::uint64_t all; ///< taken of all lists: fewer than asked for where these have no more room
  };
  /// @param room for how many regions this list has room
  Part part_of(std::uint64_t count, int last_bin, std::uint64_t room) const;

  /// After survey(): the regions that it counted as open in bins 0 ... last_bin.
  Selection select(Census const& census, int last_bin, double relative) const {
    return {report().weights, census.reference, last_bin, relative};
  }

  using Words = Kokkos::View<std::uint32_t*, Space, Kokkos::MemoryUnmanaged>;

  /// The tree of bisections of all lists with the sizes of its leaves, after survey(). Null nodes where it is not
  /// known: it is not kept after a commitment, for more than 2^27 nodes, nor where memory does not suffice.
  BisectionTree tree(Space const& exec);
  /// So many zeros for each node of the tree, as scratch; empty where it is not known or memory does not suffice.
  Words zeros_of_nodes(Space const& exec, std::uint64_t each);
  /// The largest of all processes' words, each for itself.
  void join_words(Space const& exec, Words const& words);

  /// The weights that Selection uses, as the last survey found them: 1 / allowed error, of each component.
  double const* weights() const { return report().weights; }

  /// Brings the regions that are selected, so many, to the front.
  void bring_forward(Space const& exec, Selection const& selection, std::uint64_t selected);

  /// Adds all regions but the first `count`, those of bins 0 ... last_bin, to the committed sums, and drops them.
  void commit_behind(Space const& exec, std::uint64_t count, int last_bin = ErrorBins::count - 1);

  /// Brings the regions that are selected to the front and bisects the first `count`; there is room for as many more.
  void bisect(Space const& exec, Selection const& selection, std::uint64_t selected, std::uint64_t count);

private:
  using Memory = Kokkos::View<std::byte*, typename Space::memory_space>;
  using HostMemory = Kokkos::View<std::byte*, ReadbackSpace<Space>>;

  /// Room for so many more nodes of the tree; forgets it where that would be too many.
  void grow_tree(Space const& exec, std::uint64_t more);
  /// Scratch for so many words; empty where memory does not suffice on any process.
  Words scratch(Space const& exec, std::uint64_t words);
  /// What all processes are about to bisect, `counts[r]` each: adds it to the tree. @returns this one's first new node
  std::uint64_t add_to_tree(Space const& exec, std::vector<std::uint64_t> const& counts);

  ReportView report() const { return {report_, regions_.components}; }
  ReportView host_report() const { return {host_report_, regions_.components}; }
  /// Into how many chunks a sweep over regions is cut, and of how many each.
  int chunk_count(std::uint64_t regions, std::uint64_t& chunk) const;

  std::uint64_t share(std::uint64_t all, int rank) const {
    auto const n = static_cast<std::uint64_t>(ranks_.size()), r = static_cast<std::uint64_t>(rank);
    return all / n + (r < all % n ? 1 : 0);
  }
  /// One number of each process, for all.
  std::vector<std::uint64_t> gather(std::uint64_t mine) const;
  /// Adds up totals of all processes, in their order.
  RegionTotals everyones(RegionTotals const& mine) const;
  /// The report, or the totals in it, from the device to the host, or back.
  void read_report(Space const& exec);
  void write_totals(Space const& exec);
  /// What the survey of this list has found becomes what that of all lists has found.
  void share_totals(Space const& exec, Tolerance tolerance);
  void share_counts();

  Communicator ranks_;
  Regions regions_;
  std::uint64_t size_ = 0, total_ = 0;
  std::vector<std::uint64_t> sizes_; ///< of all lists, as the last survey saw them
  ErrorCounts open_ = {};            ///< of this list
  std::uint64_t pairs_ = 0;          ///< of new children: the first pairs_ regions and the last
  unsigned sharers_ = 1;             ///< processes that compute in this memory
  Memory memory_;                    ///< of the list, where the workspace is too small
  BisectionTree tree_;
  std::uint64_t nodes_ = 0, most_nodes_ = 0; ///< of the tree; none where it is not known, and room for
  /// Tree and scratch of short lists lie in the workspace.
  static constexpr std::uint64_t small_tree = 1 << 13, small_scratch = 1 << 13;
  std::byte* first_tree_ = nullptr;
  std::byte* first_scratch_ = nullptr;
  Memory tree_memory_;
  Buffer<Space> more_tree_{"kubature::regions::tree"}, more_scratch_{"kubature::regions::scratch"},
      scratch_{"kubature::regions::scratch"};
  std::size_t most_bytes_ = 0; ///< of the call
  std::byte* report_ = nullptr;
  std::byte* host_report_ = nullptr;
  RegionTotals* partials_ = nullptr;
  Buffer<Space> more_report_{"kubature::regions::report"}, more_partials_{"kubature::regions::partials"};
  HostMemory more_host_report_;
  HostMemory host_words_;
  Parcels<Space> parcels_{"kubature::regions::parcels"};
};

} // namespace kubature::detail

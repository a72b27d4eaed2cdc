#include "memory/device_bytes.hpp"

#include <kubature/detail/cubature/region_list.hpp>
#include <kubature/detail/spaces.hpp>
#include <kubature/tuning.hpp>

#include <algorithm>
#include <numeric>

namespace kubature::detail {
namespace {

/// Regions first ... first + size - 1 of a grid, and the whole box behind them if there is one more; and the first
/// nodes of the tree, if it is known.
struct FillGrid {
  Regions regions;
  Grid grid;
  std::uint64_t first, size;
  BisectionTree tree;

  KOKKOS_FUNCTION void operator()(std::uint64_t part) const {
    if (part == grid.size)
      return place_whole();
    if (tree.known())
      tree.halves[part] = 0;
    std::uint64_t const i = part - first;
    if (part < first || i >= size)
      return;
    regions.nodes[i] = static_cast<std::uint32_t>(part);
    grid.place(regions, i, part);
  }

private:
  KOKKOS_FUNCTION void place_whole() const {
    for (int k = 0; k < regions.dimension; ++k)
      regions.interval(k, size) = {};
  }
};

} // namespace

template <class Space>
void RegionList<Space>::clear(Space const& exec, int dimension, int components, std::uint64_t count, std::size_t bytes,
                              std::span<std::byte> device, std::span<std::byte> host) {
  size_ = total_ = pairs_ = 0;
  limit_ = bytes;
  sharers_ = static_cast<unsigned>(sharers(exec, ranks_));
  Arena<Space> arena{exec, device};
  summary_.clear(exec, components, arena, host);
  record_.clear(arena);
  // Reuses memory that the list already has.
  auto const first = memory_.size() > arena.rest.size() ? std::span(memory_.data(), memory_.size()) : arena.rest;
  regions_ = regions_at(first.data(), dimension, components,
                        capacity_within(std::min(first.size(), bytes), dimension, components));
  reserve(exec, count, bytes);
}

template <class Space>
std::size_t RegionList<Space>::grown_size(Space const& exec, std::uint64_t count, std::size_t bytes) const {
  auto const wanted = bytes_of_regions(regions_.dimension, regions_.components, count);
  // The first sizes grow fast, and are so small that free memory is not queried.
  constexpr std::size_t small = std::size_t{1} << 24;
  if (wanted <= small && bytes >= 16 * small)
    return 8 * wanted;
  // Old and new memory exist at the same time. With sizes of two thirds of all memory, halved as often as possible, the
  // last growth ends at two thirds of all.
  auto const all = std::min(bytes, free_memory(exec) / sharers_ / 16 * 15 + memory_.size());
  auto size = all / 3 * 2;
  while (size / 2 >= wanted)
    size /= 2;
  return std::min(size, all - std::min(all, memory_.size()));
}

template <class Space>
void RegionList<Space>::reserve(Space const& exec, std::uint64_t count, std::size_t bytes) {
  if (count <= capacity())
    return;
  auto const size = grown_size(exec, count, bytes - std::min(bytes, record_.bytes()));
  auto const capacity = capacity_within(size, regions_.dimension, regions_.components);
  if (capacity <= regions_.capacity)
    return;
  auto const memory = allocate_if_possible(exec, "kubature::regions::list", size);
  if (memory.size() == 0)
    return;
  auto const grown = regions_at(memory.data(), regions_.dimension, regions_.components, capacity);
  if (size_ > 0) {
    auto const copy = [&](auto* to, auto* from) {
      auto const length = size_ * sizeof(*from);
      Kokkos::deep_copy(exec, bytes_at<Space>(to, length), bytes_at<Space>(from, length));
    };
    for (int k = 0; k < regions_.dimension; ++k)
      copy(&grown.interval(k, 0), &regions_.interval(k, 0));
    for (int c = 0; c < regions_.components; ++c) {
      copy(&grown.value(c, 0), &regions_.value(c, 0));
      copy(&grown.error(c, 0), &regions_.error(c, 0));
    }
    copy(grown.nodes, regions_.nodes);
    copy(grown.marks, regions_.marks);
  }
  exec.fence("kubature::regions::grow");
  memory_ = memory;
  regions_ = grown;
}

template <class Space>
void RegionList<Space>::fill(Space const& exec, Grid const& grid, bool whole) {
  std::uint64_t first = 0;
  for (int r = 0; r < ranks_.rank(); ++r)
    first += detail::balanced_size(ranks_, grid.size, r);
  size_ = balanced_size(grid.size);
  total_ = grid.size;
  pairs_ = 0;
  whole_ = whole;
  record_.start(exec, grid, regions_.dimension, left());
  Kokkos::parallel_for("kubature::regions::fill", range(exec, grid.size + (whole ? 1 : 0)),
                       FillGrid{regions_, grid, first, size_, record_.tree()});
}

template <class Space>
RegionStatistics const& RegionList<Space>::summarise(Space const& exec, std::uint64_t pairs, bool whole,
                                                     Tolerance tolerance, double relative, HalfErrors halves) {
  auto const& statistics =
      summary_.improve_and_summarise(exec, regions_, size_, pairs, whole, tolerance, relative, halves);
  count_regions();
  return statistics;
}

template <class Space>
void RegionList<Space>::count_regions() {
  auto const& sizes = summary_.sizes();
  total_ = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
}

template <class Space>
void RegionList<Space>::bisect(Space const& exec, Selection const& selection, std::uint64_t selected,
                               std::uint64_t count) {
  bool const short_list = ranks_.size() == 1 && size_ <= Tuning<Space>::short_refined_list;
  if (!short_list)
    bring_forward(exec, selection, selected);
  auto const node = record_.add(exec, regions_, count, left());
  if (short_list)
    partition_and_bisect(exec, to_bisect(), selection, selected, count, record_.tree(), node);
  else
    bisect_first(exec, to_bisect(), count, record_.tree(), node);
  pairs_ = count;
  size_ += count;
}

template <class Space>
void RegionList<Space>::commit_behind(Space const& exec, std::uint64_t count, int last_bin) {
  record_.forget();
  summary_.commit(exec, regions_, count, size_, last_bin);
  size_ = count;
  count_regions();
}

template <class Space>
bool RegionList<Space>::rebalance(Space const& exec, std::size_t bytes) {
  if (!is_unbalanced(ranks_, summary_.sizes()))
    return false;
  auto const balanced = balanced_size(total_);
  reserve(exec, balanced, bytes);
  if (ranks_.any(capacity() < balanced))
    return false;
  balance(exec, ranks_, messages_, regions_, summary_.sizes());
  size_ = balanced;
  return true;
}

#define KUBATURE_INSTANTIATE(Space) template class RegionList<Space>;
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail

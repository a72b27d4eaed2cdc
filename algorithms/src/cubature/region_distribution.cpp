#include <kubature/detail/cubature/region_distribution.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/spaces.hpp>

#include "memory/gather_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <iterator>
#include <numeric>

namespace kubature::detail {

std::vector<std::uint64_t> gather(Communicator const& ranks, std::uint64_t mine) {
  return gather_rows(ranks, std::span(&mine, 1));
}

std::vector<std::uint64_t> sum_over_ranks(Communicator const& ranks, std::span<RegionTotals> totals,
                                          std::uint64_t size) {
  using Words = std::array<std::uint64_t, sizeof(RegionTotals) / sizeof(std::uint64_t)>;
  std::vector<std::uint64_t> own{size}, sizes;
  for (RegionTotals& mine : totals) {
    std::ranges::copy(std::bit_cast<Words>(mine), std::back_inserter(own));
    mine = {};
  }
  auto const all = gather_rows(ranks, own);
  for (auto from = all.begin(); from != all.end();) {
    sizes.push_back(*from++);
    for (RegionTotals& sum : totals) {
      Words theirs;
      std::copy_n(from, theirs.size(), theirs.begin());
      from += theirs.size();
      sum.join(std::bit_cast<RegionTotals>(theirs));
    }
  }
  return sizes;
}

std::uint64_t balanced_size(Communicator const& ranks, std::uint64_t all, int r) {
  auto const size = static_cast<std::uint64_t>(ranks.size());
  return all / size + (static_cast<std::uint64_t>(r) < all % size ? 1 : 0);
}

Taken take_in_order(Communicator const& ranks, std::uint64_t count, std::uint64_t above, std::uint64_t room) {
  auto const possible = gather(ranks, std::min(above, room));
  Taken taken{above, 0, 0};
  for (int r = 0; r < ranks.size(); ++r) {
    auto const of_rank = std::min(possible[r], count - taken.all);
    taken.all += of_rank;
    if (r == ranks.rank())
      taken.mine = of_rank;
  }
  return taken;
}

bool is_unbalanced(Communicator const& ranks, std::vector<std::uint64_t> const& sizes) {
  constexpr std::uint64_t few = 64; // not worth a transfer
  auto const size = static_cast<std::uint64_t>(ranks.size());
  if (size == 1)
    return false;
  auto const all = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  return 4 * *std::max_element(sizes.begin(), sizes.end()) > 5 * Partition::ceil(all, size) + 4 * few;
}

template <class Space>
void balance(Space const& exec, Communicator const& ranks, Messages<Space>& messages, Regions const& regions,
             std::vector<std::uint64_t> sizes) {
  auto const each_array = [&](std::uint64_t first, std::uint64_t count, auto const& action) {
    for (int k = 0; k < regions.dimension; ++k)
      action(memory_of(&regions.interval(k, first), count));
    for (int k = 0; k < regions.components; ++k) {
      action(memory_of(&regions.value(k, first), count));
      action(memory_of(&regions.error(k, first), count));
    }
    action(memory_of(regions.nodes + first, count));
    action(memory_of(regions.marks + first, count));
  };
  auto const all = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  auto const wanted = [&](int r) { return balanced_size(ranks, all, r); };
  int const me = ranks.rank();
  int to = 0;
  for (int from = 0; from < ranks.size(); ++from)
    while (sizes[from] > wanted(from)) {
      while (sizes[to] >= wanted(to))
        ++to;
      auto const count = std::min(sizes[from] - wanted(from), wanted(to) - sizes[to]);
      sizes[from] -= count;
      if (from == me)
        each_array(sizes[from], count, [&](auto array) { messages.send(to, array); });
      if (to == me)
        each_array(sizes[to], count, [&](auto array) { messages.receive(from, array); });
      sizes[to] += count;
    }
  messages.exchange(exec, ranks);
}

#define KUBATURE_INSTANTIATE(Space)                                                                                    \
  template void balance(Space const&, Communicator const&, Messages<Space>&, Regions const&,                           \
                        std::vector<std::uint64_t>);
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail

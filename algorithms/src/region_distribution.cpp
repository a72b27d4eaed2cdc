#include <kubature/detail/cubature/region_distribution.hpp>
#include <kubature/detail/sampling/partition.hpp>
#include <kubature/detail/spaces.hpp>

#include <algorithm>
#include <numeric>

namespace kubature::detail {

std::vector<std::uint64_t> gather(Communicator const& ranks, std::uint64_t mine) {
  std::vector<std::uint64_t> result(static_cast<std::size_t>(ranks.size()));
  std::vector<std::size_t> begins(result.size() + 1);
  std::iota(begins.begin(), begins.end(), std::size_t{0});
  result[ranks.rank()] = mine;
  ranks.gather(result, begins);
  return result;
}

RegionTotals sum_over_ranks(Communicator const& ranks, RegionTotals const& mine) {
  RegionTotals result;
  std::vector<std::uint64_t> parts[5];
  double const words[5] = {mine.value.sum, mine.value.rest, mine.error.sum, mine.error.rest, mine.magnitude};
  for (int k = 0; k < 5; ++k)
    parts[k] = gather(ranks, Kokkos::bit_cast<std::uint64_t>(words[k]));
  auto const part = [&](int k, int r) { return Kokkos::bit_cast<double>(parts[k][r]); };
  for (int r = 0; r < ranks.size(); ++r)
    result.join({{part(0, r), part(1, r)}, {part(2, r), part(3, r)}, part(4, r)});
  return result;
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

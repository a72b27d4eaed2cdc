#include "memory/device_bytes.hpp"

#include <kubature/detail/cubature/bisection.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/spaces.hpp>
#include <kubature/tuning.hpp>

#include <algorithm>

namespace kubature::detail {
namespace {

/// Lists the regions on the wrong side of `count`: selected but behind it, or not selected but before it. There are
/// equally many of both kinds, and those before it are the first half of the list.
struct FindMisplaced {
  Regions regions;
  Selection selection;
  std::uint64_t size, count;
  std::uint32_t* moved;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint32_t& place, bool final) const {
    bool const misplaced = selection(regions, i) != (i < count);
    if (final && misplaced)
      regions.moves[place] = static_cast<std::uint32_t>(i);
    if (misplaced)
      ++place;
    if (final && i + 1 == size)
      *moved = place / 2;
  }
};

/// Exchanges the regions that FindMisplaced has listed.
struct ExchangeMisplaced {
  Regions regions;
  std::uint32_t const* moved;

  KOKKOS_FUNCTION void operator()(std::uint64_t j) const {
    if (j >= *moved)
      return;
    std::uint64_t const a = regions.moves[j], b = regions.moves[j + *moved];
    for (int k = 0; k < regions.dimension; ++k)
      Kokkos::kokkos_swap(regions.interval(k, a), regions.interval(k, b));
    for (int c = 0; c < regions.components; ++c) {
      Kokkos::kokkos_swap(regions.value(c, a), regions.value(c, b));
      Kokkos::kokkos_swap(regions.error(c, a), regions.error(c, b));
    }
    Kokkos::kokkos_swap(regions.nodes[a], regions.nodes[b]);
    Kokkos::kokkos_swap(regions.marks[a], regions.marks[b]);
  }
};

struct Bisect {
  Regions regions;
  std::uint64_t size;
  BisectionTree tree;
  std::uint64_t node; ///< the first of the halves in the tree

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    if (tree.known()) {
      auto const lower = static_cast<std::uint32_t>(node + 2 * i);
      tree.bisect(tree.bisection_of(regions, i), lower);
      regions.nodes[i] = lower;
      regions.nodes[size + i] = lower + 1;
    } else
      regions.nodes[size + i] = 0; // moves with the region, and has no meaning
    for (int c = 0; c < regions.components; ++c)
      regions.parent(c, i) = regions.value(c, i);
    regions.bisect(i, size + i);
  }
};

template <class Space>
struct PartitionAndBisect {
  FindMisplaced find;
  ExchangeMisplaced exchange;
  Bisect bisect;
  std::uint64_t bisected;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Space>::member_type const& team) const {
    auto const size = static_cast<int>(find.size), selected = static_cast<int>(find.count);
    if (selected < size) {
      Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, size), [&](int i, std::uint32_t& place, bool final) {
        find(static_cast<unsigned>(i), place, final);
      });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Kokkos::min(selected, size - selected)),
                           [&](int j) { exchange(static_cast<unsigned>(j)); });
      team.team_barrier();
    }
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(bisected)),
                         [&](int i) { bisect(static_cast<unsigned>(i)); });
  }
};

} // namespace

template <class Space>
void partition(Space const& exec, ListToBisect const& list, Selection const& selection, std::uint64_t selected) {
  if (selected == list.size)
    return;
  Kokkos::parallel_scan("kubature::regions::find_misplaced", range(exec, list.size),
                        FindMisplaced{list.regions, selection, list.size, selected, list.moved});
  Kokkos::parallel_for("kubature::regions::exchange", range(exec, std::min(selected, list.size - selected)),
                       ExchangeMisplaced{list.regions, list.moved});
}

template <class Space>
void bisect_first(Space const& exec, ListToBisect const& list, std::uint64_t count, BisectionTree const& tree,
                  std::uint64_t node) {
  Kokkos::parallel_for("kubature::regions::bisect", range(exec, count), Bisect{list.regions, list.size, tree, node});
}

template <class Space>
void partition_and_bisect(Space const& exec, ListToBisect const& list, Selection const& selection,
                          std::uint64_t selected, std::uint64_t count, BisectionTree const& tree, std::uint64_t node) {
  Kokkos::parallel_for("kubature::regions::refine",
                       as_argument(Kokkos::TeamPolicy<Space>(exec, 1, Tuning<Space>::short_list_team)),
                       PartitionAndBisect<Space>{{list.regions, selection, list.size, selected, list.moved},
                                                 {list.regions, list.moved},
                                                 {list.regions, list.size, tree, node},
                                                 count});
}

#define KUBATURE_INSTANTIATE(Space)                                                                                    \
  template void partition(Space const&, ListToBisect const&, Selection const&, std::uint64_t);                         \
  template void bisect_first(Space const&, ListToBisect const&, std::uint64_t, BisectionTree const&, std::uint64_t);   \
  template void partition_and_bisect(Space const&, ListToBisect const&, Selection const&, std::uint64_t,               \
                                     std::uint64_t, BisectionTree const&, std::uint64_t);
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail

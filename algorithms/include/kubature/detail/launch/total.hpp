#pragma once

#include <kubature/backend.hpp>
#include <kubature/communicator.hpp>
#include <kubature/detail/launch/join.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kubature::detail {

/// The total of all chunks' partial results, read by the host: the only small transfer per iteration.
template <class Space>
class Total {
public:
  explicit Total(std::string label) : label_(std::move(label)) {}

  /// Joins the partials and waits for the result. T is trivially copyable and small.
  template <class T>
  T join(Space const& exec, std::string const& label, Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged> partials) {
    return read(exec, label, partials, 1)(0);
  }

  /// The same if each rank has computed the partials of its own chunks: each joins its groups, these are sent to every
  /// rank, and each joins them in the same order, so the total has the same bits as on one rank.
  template <class T>
  T join(Space const& exec, std::string const& label, Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged> partials,
         Communicator const& ranks, Partition const& chunks) {
    return join(exec, label, of_groups(exec, label, partials, ranks, chunks));
  }

  /// The same for several totals, each of an equal number of consecutive groups.
  template <class T>
  std::vector<T> join_each(Space const& exec, std::string const& label,
                           Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged> partials, Communicator const& ranks,
                           Partition const& chunks, int totals) {
    auto const cells = read(exec, label, of_groups(exec, label, partials, ranks, chunks), totals);
    return std::vector<T>(cells.data(), cells.data() + totals);
  }

  /// Brings all partials to every rank; those from begin(r) to just before begin(r + 1) are computed by rank r.
  template <class T, class Begin>
  void gather(Space const& exec, Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged> partials, Communicator const& ranks,
              Begin const& begin) {
    if (ranks.size() == 1)
      return;
    static_assert(sizeof(T) % sizeof(std::uint64_t) == 0);
    constexpr std::size_t words = sizeof(T) / sizeof(std::uint64_t);
    reserve(partials.size() * sizeof(T));
    Kokkos::View<T*, ReadbackSpace<Space>, Kokkos::MemoryUnmanaged> const host(reinterpret_cast<T*>(memory_.data()),
                                                                               partials.size());
    std::pair const mine(begin(ranks.rank()), begin(ranks.rank() + 1));
    Kokkos::deep_copy(exec, Kokkos::subview(host, mine), Kokkos::subview(partials, mine));
    exec.fence("kubature::total::read");
    std::vector<std::size_t> begins;
    for (int r = 0; r <= ranks.size(); ++r)
      begins.push_back(words * static_cast<std::size_t>(begin(r)));
    ranks.gather({reinterpret_cast<std::uint64_t*>(memory_.data()), words * partials.size()}, begins);
    Kokkos::deep_copy(exec, partials, host);
  }

private:
  using Memory = Kokkos::View<std::byte*, ReadbackSpace<Space>>;

  /// The sums of all groups, on every rank.
  template <class T>
  auto of_groups(Space const& exec, std::string const& label, Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged> partials,
                 Communicator const& ranks, Partition const& chunks) {
    auto const begin = [&](int rank) { return chunks.begin_groups(rank, ranks.size()); };
    if (chunks.group > 1) {
      auto const groups = groups_.template as<T>(exec, static_cast<std::size_t>(chunks.groups()));
      join_runs(exec, label + "_groups", partials, groups, begin(ranks.rank()), begin(ranks.rank() + 1), chunks.group);
      partials = groups;
    }
    gather(exec, partials, ranks, begin);
    return partials;
  }

  /// The totals, `totals` in number, where the host reads them.
  template <class T>
  auto read(Space const& exec, std::string const& label, Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged> partials,
            int totals) {
    reserve(sizeof(T) * static_cast<std::size_t>(totals));
    Kokkos::View<T*, ReadbackSpace<Space>, Kokkos::MemoryUnmanaged> const cells(reinterpret_cast<T*>(memory_.data()),
                                                                                totals);
    join_runs(exec, label, partials, cells, 0, totals, static_cast<int>(partials.size()) / totals);
    exec.fence("kubature::total::read");
    return cells;
  }

  /// Joins the runs first ... end - 1, each of `length` partials.
  template <class T, class Totals>
  static void join_runs(Space const& exec, std::string const& label,
                        Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged> partials, Totals const& totals, int first,
                        int end, int length) {
    using Parts = Kokkos::View<T const*, Space, Kokkos::MemoryUnmanaged>;
    int const threads = static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(32, length))));
    int const team = std::min(Tuning<Space>::reduction_team, threads);
    if (first < end)
      Kokkos::parallel_for(label, JoinPolicy<Space>(exec, end - first, team),
                           JoinRuns<Space, Parts, Totals>{partials, totals, length, first});
  }

  void reserve(std::size_t bytes) {
    if (bytes > memory_.size())
      memory_ = Memory(Kokkos::view_alloc(Kokkos::WithoutInitializing, label_), bytes);
  }

  std::string label_;
  Memory memory_;
  Buffer<Space> groups_{label_ + "_groups"};
};

} // namespace kubature::detail

#pragma once

#include <kubature/backend.hpp>
#include <kubature/communicator.hpp>
#include <kubature/detail/cubature/bisection_tree.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/messages.hpp>
#include <kubature/detail/memory/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubature::detail {

/// The tree of the bisections of all ranks' lists, as it grows. It is abandoned beyond 2^27 nodes, or if memory runs
/// out on any rank. Memory is allocated only for growth, and never more than `left` bytes.
template <class Space>
class BisectionRecord {
public:
  using Words = Kokkos::View<std::uint32_t*, Space, Kokkos::MemoryUnmanaged>;

  explicit BisectionRecord(Communicator const& ranks) : ranks_(ranks) {}

  /// Drops the tree. The first nodes, and scratch for short lists, will be in the arena.
  void clear(Arena<Space>& arena);

  /// Starts a tree whose first nodes are the regions of a grid; their halves have yet to be set to zero.
  void start(Space const& exec, Grid const& grid, int dimension, std::size_t left);

  /// Makes room for the bisections of the first `count` regions of this rank's list, and records those of all other
  /// ranks. Its own are recorded by BisectionTree::bisect().
  /// @returns the node at which the halves of this rank's regions begin
  std::uint64_t add(Space const& exec, Regions const& regions, std::uint64_t count, std::size_t left);

  /// Drops the tree until the next start().
  void forget() { tree_.halves = nullptr; }

  BisectionTree const& tree() const { return tree_; }

  /// Stores all regions of this rank at their leaves, and receives those of the others.
  void note_leaves(Space const& exec, Regions const& regions, std::uint64_t size, double const* weights);

  /// This many zeros for each node, as scratch; empty if the tree is not known or memory does not suffice.
  Words zeros_of_nodes(Space const& exec, std::uint64_t each, std::size_t left);

  /// The maximum of each word over all ranks.
  void maximum_over_ranks(Space const& exec, Words const& words);

  /// Device memory beyond that of the arena, in bytes.
  std::size_t bytes() const { return memory_.size() + scratch_.size(); }

private:
  using Memory = Kokkos::View<std::byte*, typename Space::memory_space>;

  /// Adds room for `more` nodes.
  void grow(Space const& exec, std::uint64_t more, std::size_t left);
  /// Memory for the current nodes; empty if it exceeds the limit on any rank.
  Memory memory_of_nodes(Space const& exec, std::size_t left) const;
  /// Scratch memory; empty if there is not enough on any rank.
  Words scratch(Space const& exec, std::uint64_t words, std::size_t left);

  /// Tree and scratch of short lists are in the arena.
  static constexpr std::uint64_t small_tree = 1 << 13, small_scratch = 1 << 13;

  Communicator ranks_;
  BisectionTree tree_;
  std::uint64_t nodes_ = 0, capacity_ = 0;
  std::byte* first_memory_ = nullptr;
  std::byte* first_scratch_ = nullptr;
  Memory memory_;
  Buffer<Space> more_tree_{"kubature::regions::tree"}, more_scratch_{"kubature::regions::scratch"},
      scratch_{"kubature::regions::scratch"};
  Kokkos::View<std::byte*, ReadbackSpace<Space>> host_words_;
  Messages<Space> messages_{"kubature::regions::bisections"};
};

} // namespace kubature::detail

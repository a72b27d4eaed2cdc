#pragma once

#include <kubature/covariance.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace kubature::detail {

/// The sums of products of C components that a team on a device computes together if those of each thread would not fit
/// into its registers. The threads store deviations side by side in the team's fast memory, one row each, and multiply
/// all rows as a matrix with itself, half of them at a time if they are long. A thread has a tile of the product, and
/// several threads share the rows of a tile. Rows and threads are added up in a fixed order.
template <class Space, class Acc, int C, int threads>
class TeamProducts {
  using Scratch = Kokkos::View<Acc*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  /// The side of a tile, the matrix's in tiles, and the length of a row with its weight at the end: odd, so that
  /// neighbours' rows begin in different memory banks.
  static constexpr int side = 4, across = (C + side - 1) / side, stride = side * across + 1;
  static constexpr int tiles = across * (across + 1) / 2, sharers = threads / tiles;
  /// Rows at a time: those of half of the threads if all would leave too little of the team's memory, 48 KB, for other
  /// data.
  static constexpr std::size_t most_bytes = 40 << 10;
  static constexpr int rows = threads * stride * sizeof(Acc) <= most_bytes ? threads : threads / 2;
  static_assert(sharers > 0 && tiles * side * side <= rows * stride && rows * stride * sizeof(Acc) <= most_bytes);

public:
  /// Fast memory per team, in bytes.
  static std::size_t bytes() { return Scratch::shmem_size(rows * stride); }

  template <class Member>
  KOKKOS_FUNCTION explicit TeamProducts(Member const& team)
      : rows_(team.team_scratch(0), rows * stride), thread_(team.team_rank()) {
    int const tile = thread_ % tiles;
    while ((column_ + 1) * (column_ + 2) / 2 <= tile)
      ++column_;
    line_ = tile - column_ * (column_ + 1) / 2;
    for (int c = C; c < stride; ++c)
      own()[c] = 0;
  }

  /// Sets this thread's row, whose products with itself, times `weight`, are added in the next add().
  KOKKOS_FUNCTION void set(int c, Acc deviation) { own()[c] = deviation; }
  KOKKOS_FUNCTION void weigh(Acc weight) { own()[stride - 1] = weight; }

  /// Adds up the rows of all threads; called by all of them.
  template <class Member>
  KOKKOS_FUNCTION void add(Member const& team) {
    for (int first = 0; first < threads; first += rows) {
      if (rows < threads && thread_ / rows == first / rows)
        for (int c = 0; c < stride; ++c)
          rows_(thread_ % rows * stride + c) = own()[c];
      team.team_barrier();
      add_rows();
      team.team_barrier();
    }
  }

  /// The products of all rows, by pair_place; called by all threads, once.
  template <class Member>
  KOKKOS_FUNCTION void finish(Member const& team, Acc (&products)[pairs(C)]) {
    Acc* const tile = rows_.data() + thread_ % tiles * side * side;
    for (int k = 0; k < sharers; ++k) {
      if (thread_ / tiles == k)
        for (int a = 0; a < side; ++a)
          for (int b = 0; b < side; ++b)
            tile[a * side + b] = (k == 0 ? 0 : tile[a * side + b]) + sum_[a][b];
      team.team_barrier();
    }
    if (thread_ < tiles)
      for (int a = 0; a < side; ++a)
        for (int b = 0; b < side; ++b) {
          int const i = line_ * side + a, j = column_ * side + b;
          if (i < j && j < C)
            products[pair_place(i, j)] = tile[a * side + b];
        }
  }

private:
  KOKKOS_FUNCTION Acc* own() {
    if constexpr (rows < threads)
      return waiting_;
    else
      return rows_.data() + thread_ * stride;
  }

  /// Adds what this thread contributes to its tile.
  KOKKOS_FUNCTION void add_rows() {
    for (int r = thread_ / tiles; r < (thread_ < tiles * sharers ? rows : 0); r += sharers) {
      Acc const* const row = rows_.data() + r * stride;
      Acc const weight = row[stride - 1];
      if (weight == 0)
        continue;
      Acc right[side];
      for (int b = 0; b < side; ++b)
        right[b] = row[column_ * side + b];
      for (int a = 0; a < side; ++a) {
        Acc const left = weight * row[line_ * side + a];
        for (int b = 0; b < side; ++b)
          sum_[a][b] += left * right[b];
      }
    }
  }

  Scratch rows_;
  int thread_, line_ = 0, column_ = 0; ///< and of its tile
  Acc sum_[side][side] = {};
  Acc waiting_[rows < threads ? stride : 1]; ///< this thread's row, until it is its half's turn
};

} // namespace kubature::detail

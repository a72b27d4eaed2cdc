#pragma once

#include <kubature/detail/launch/join.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/spaces.hpp>
#include <kubature/detail/vegas_plus/shares.hpp>
#include <kubature/detail/vegas_plus/stratification.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace kubature::detail {

/// The sum of the shares of each block of cubes: a few lanes per block, so that neighbours read contiguous memory, and
/// a lane can read several cubes at once (32 lanes need three times as long).
template <class Space>
struct SumBlocks {
  using Policy = Kokkos::TeamPolicy<Space>;
  static constexpr int blocks_per_team = 16, lanes = 8;
  Allocation<Space> allocation;
  Kokkos::View<std::uint64_t*, Space, Kokkos::MemoryUnmanaged> sums;

  void launch(Space const& exec) const {
    auto const teams = Partition::ceil(allocation.blocks(), blocks_per_team);
    Kokkos::parallel_for(
        "kubature::vegas_plus::sum_blocks",
        Policy(exec, static_cast<int>(teams), Kokkos::AUTO, std::min(Policy::vector_length_max(), lanes)), *this);
  }

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    constexpr auto block = Allocation<Space>::block;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, blocks_per_team), [&](int k) {
      auto const n = static_cast<std::uint64_t>(team.league_rank()) * blocks_per_team + static_cast<std::uint64_t>(k);
      if (n >= allocation.blocks())
        return;
      std::uint64_t sum = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, static_cast<int>(block)),
          [&](int lane, std::uint64_t& part) {
            part += allocation.share(allocation.start + n * block + static_cast<std::uint64_t>(lane));
          },
          sum);
      Kokkos::single(Kokkos::PerThread(team), [&] { sums(n) = sum; });
    });
  }
};

/// Running sums by one team: faster for few blocks.
template <class Space>
struct ScanFewBlocks {
  using Policy = Kokkos::TeamPolicy<Space>;
  static constexpr std::uint64_t most = on_device_of_its_own<Space> ? 1024 : 0; ///< blocks
  RunningSums sums;

  void launch(Space const& exec) const {
    Kokkos::parallel_for("kubature::vegas_plus::scan_few_blocks", Policy(exec, 1, Tuning<Space>::reduction_team),
                         *this);
  }

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const { sums.scan(team); }
};

/// Finds where the pairs of each rank begin, if in cubes whose shares are known here; elsewhere writes zeros.
template <class Space>
struct FindBoundaries {
  Allocation<Space> allocation;
  Partition chunks;
  int size;
  Kokkos::View<Boundary*, ReadbackSpace<Space>, Kokkos::MemoryUnmanaged> found;

  KOKKOS_FUNCTION void operator()(int rank) const { found(rank) = at(rank); }

  KOKKOS_FUNCTION Boundary at(int rank) const {
    std::uint64_t const pair = chunks.template begin_items<Space>(rank, size);
    if (pair < allocation.first_pair() || pair >= allocation.pairs())
      return {};
    auto const [cube, begin] = allocation.find(pair);
    return {cube.index, begin, begin + cube.pairs, allocation.sum_before_cube(cube.index)};
  }
};

template <class T>
struct CubeSum {
  T value = 0;
  KOKKOS_FUNCTION void join(CubeSum const& other) { value += other.value; }
};

/// Sums factor * weight^power, in units of 2^-30, one team per chunk of cubes.
template <class Space>
struct SumPowers {
  static constexpr double unit = 0x1p30, most = 16;
  typename Stratification<Space>::Weights weights;
  Kokkos::View<CubeSum<std::uint64_t>*, Space, Kokkos::MemoryUnmanaged> partials;
  double power, factor;
  std::uint64_t first, end, chunk;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Space>::member_type const& team) const {
    std::uint64_t const begin = first + static_cast<std::uint64_t>(team.league_rank()) * chunk;
    std::uint64_t const count = begin + chunk < end ? chunk : end - begin;
    CubeSum<std::uint64_t> sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, static_cast<int>(count)),
        [&](int k, CubeSum<std::uint64_t>& partial) {
          double const term =
              factor * Kokkos::pow(static_cast<double>(weights(begin + static_cast<std::uint64_t>(k))), power);
          partial.value += static_cast<std::uint64_t>((term < most ? term : most) * unit + 0.5);
        },
        Join<CubeSum<std::uint64_t>>(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { partials(team.league_rank()) = sum; });
  }
};

/// New cubes inherit the weight of the old cube that contains their centre. A team sums the weights of a chunk.
template <class Space>
struct CarryOver {
  using Counts = typename Stratification<Space>::Counts;
  using Weights = typename Stratification<Space>::Weights;
  Weights from, to;
  Kokkos::View<CubeSum<double>*, Space, Kokkos::MemoryUnmanaged> partials;
  Counts old_counts, counts;
  int axes; ///< that are cut, at least one
  std::uint64_t cubes, chunk;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Space>::member_type const& team) const {
    std::uint64_t const begin = static_cast<std::uint64_t>(team.league_rank()) * chunk;
    std::uint64_t const count = begin + chunk < cubes ? chunk : cubes - begin;
    CubeSum<double> sum;
    if constexpr (on_device_of_its_own<Space>)
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, static_cast<int>(count)),
          [&](int k, CubeSum<double>& partial) {
            auto const cube = begin + static_cast<std::uint64_t>(k);
            carry(cube, old_cube(cube, 0), partial);
          },
          Join<CubeSum<double>>(sum));
    else
      carry_rows(begin, begin + count, sum);
    Kokkos::single(Kokkos::PerTeam(team), [&] { partials(team.league_rank()) = sum; });
  }

private:
  KOKKOS_FUNCTION void carry(std::uint64_t cube, std::uint64_t old, CubeSum<double>& sum) const {
    float const weight = from(old);
    to(cube) = weight;
    sum.value += static_cast<double>(weight);
  }

  /// The old interval of an axis that contains the middle of a new one.
  template <class T>
  KOKKOS_FUNCTION T old_interval(int axis, T interval) const {
    return (2 * interval + 1) * static_cast<T>(old_counts[axis]) / (2 * static_cast<T>(counts[axis]));
  }

  /// The old cube that contains the centre of a new one, but for the axes before `first`, along which it is the first.
  KOKKOS_FUNCTION std::uint64_t old_cube(std::uint64_t cube, int first) const {
    std::uint64_t old = 0, stride = 1;
    for (int i = 0; i < axes; ++i) {
      auto const n = static_cast<std::uint64_t>(counts[i]);
      if (i >= first)
        old += old_interval(i, cube % n) * stride;
      cube /= n;
      stride *= static_cast<std::uint64_t>(old_counts[i]);
    }
    return old;
  }

  /// Of the cubes begin ... end - 1, row by row along the first axis, as divisions take most of the time.
  KOKKOS_FUNCTION void carry_rows(std::uint64_t begin, std::uint64_t end, CubeSum<double>& sum) const {
    constexpr int few = 1 << 15; // products of two such counts, doubled, have 32 bits
    auto const n = static_cast<std::uint64_t>(counts[0]);
    bool const short_numbers = counts[0] < few && old_counts[0] < few;
    while (begin < end) {
      std::uint64_t const first = old_cube(begin, 1), row = begin / n * n, next = row + n < end ? row + n : end;
      if (short_numbers)
        for (; begin < next; ++begin)
          carry(begin, first + old_interval(0, static_cast<std::uint32_t>(begin - row)), sum);
      else
        for (; begin < next; ++begin)
          carry(begin, first + old_interval(0, begin - row), sum);
    }
  }
};

} // namespace kubature::detail

#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/many/at_parameters.hpp>
#include <kubature/detail/sampling/sample.hpp>
#include <kubature/detail/sampling/stream.hpp>
#include <kubature/detail/vegas/device_map.hpp>
#include <kubature/detail/vegas_plus/allocation.hpp>
#include <kubature/detail/vegas_plus/shares.hpp>
#include <kubature/detail/vegas_plus/stratum_points.hpp>
#include <kubature/precision.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace kubature::detail {

/// The data of one integral of many in an iteration.
template <int D>
struct SamplingTask {
  Transform<double, D> transform;
  double boxes; ///< see MappedPoints
  Stream stream;
  double scale;             ///< of the histogram, see FixedPoint
  double share_scale = 0;   ///< of its Allocation; 0 if samples are spread evenly
  std::uint32_t number = 0; ///< among all integrals
  std::uint32_t slot = 0;   ///< where its map, strata and sums are
};

/// Turns a view into one of `size` elements at `data`.
template <class View, class T>
KOKKOS_FUNCTION void point_to(View& view, T* data, std::size_t size) {
  view = View(data, size);
}

/// The maps and strata of many integrals, one after the other.
template <class Space>
struct ManyStrata {
  double const* edges;                 ///< [slot][axis][node]
  std::uint64_t *map_weights, *counts; ///< [slot][axis][interval]
  float const* weights;                ///< [slot][cube], by which samples are allocated
  float* next;                         ///< likewise, as measured by the samples; nullptr if not wanted
  std::uint64_t* sums;                 ///< [slot][block], see Allocation
  double const* drive;                 ///< [slot][component], see DriverWeights
  std::uint64_t cubes, blocks;

  /// Gives an allocation the shares of a task.
  template <int D>
  KOKKOS_FUNCTION void set_shares(Allocation<Space>& allocation, SamplingTask<D> const& task) const {
    if (task.share_scale == 0)
      return;
    allocation.even = 0;
    allocation.scale = task.share_scale;
    point_to(allocation.weights, weights + task.slot * cubes, cubes);
    point_to(allocation.sums, sums + task.slot * (blocks + 1), blocks + 1);
  }
};

/// The source of VEGAS+ for one integral of many, to whose histogram no other integral adds.
template <class Space, int D>
struct PointsOfOne : StratumPoints<Space, Fp64, D> {
  using Base = StratumPoints<Space, Fp64, D>;

  template <class Member>
  KOKKOS_FUNCTION void close(Member const& team, typename Base::Table const& table) const {
    if (!this->fill)
      return;
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, this->axes * this->bins), [&](int k) {
      std::uint64_t const packed = table.bin[k];
      if (packed == 0)
        return;
      Kokkos::atomic_add(this->weights.data() + k, FixedPoint::weight(packed));
      Kokkos::atomic_add(this->counts.data() + k, FixedPoint::count(packed));
    });
  }
};

/// The running sums of the shares of blocks of cubes, one team per integral.
template <class Space, int D>
struct SumShares {
  using Policy = Kokkos::TeamPolicy<Space>;
  Allocation<Space> even;
  ManyStrata<Space> strata;
  SamplingTask<D> const* tasks;

  void launch(Space const& exec, std::size_t count) const {
    Kokkos::parallel_for("kubature::many::allocate", Policy(exec, static_cast<int>(count), Kokkos::AUTO), *this);
  }

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    auto const& task = tasks[team.league_rank()];
    if (task.share_scale == 0)
      return;
    auto allocation = even;
    strata.set_shares(allocation, task);
    std::uint64_t* const sums = strata.sums + task.slot * (strata.blocks + 1);
    auto const blocks = static_cast<int>(strata.blocks);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, blocks), [&](int n) {
      std::uint64_t sum = 0;
      for (std::uint64_t k = 0; k < Allocation<Space>::block; ++k)
        sum += allocation.share(static_cast<std::uint64_t>(n) * Allocation<Space>::block + k);
      sums[n] = sum;
    });
    team.team_barrier();
    RunningSums{sums, blocks}.scan(team);
  }
};

/// An iteration of many integrals: the kernel of a single one, with one team per chunk of each.
template <class Space, class F, class Parameters, int D, int C>
struct SampleMany {
  using G = AtParameters<F, Parameters>;
  using Source = PointsOfOne<Space, D>;
  using Keep = KeepStrata<Space, double, C>;
  using One = SampleChunks<Space, double, G, Source, Keep>;
  using Sums = typename Keep::Sums;
  using Policy = typename One::Policy;
  using Member = typename Policy::member_type;

  One one; ///< the data common to all; its partial results begin with those of the first task's chunks
  F f;
  Parameters const* parameters;
  std::uint64_t next_parameters; ///< 1, or 0 if there is one for all
  SamplingTask<D> const* tasks;
  ManyStrata<Space> strata;

  void launch(Space const& exec, std::size_t count) {
    Policy const policy(exec, static_cast<int>(count) * one.chunks.count, One::team_size);
    Kokkos::parallel_for("kubature::many::sample", as_argument(one.source.configure(policy, One::reduction())), *this);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const chunks = one.chunks.count, which = team.league_rank() / chunks;
    auto const& task = tasks[which];
    One own = one;
    auto& source = own.source;
    own.f = G{&f, parameters + next_parameters * task.number};
    source.transform = task.transform;
    source.boxes = task.boxes;
    source.stream = task.stream;
    source.scale = task.scale;
    auto const intervals = static_cast<std::size_t>(source.axes * source.bins), nodes = intervals + source.axes;
    point_to(source.edges, strata.edges + task.slot * nodes, nodes);
    point_to(source.weights, strata.map_weights + task.slot * intervals, intervals);
    point_to(source.counts, strata.counts + task.slot * intervals, intervals);
    strata.set_shares(source.allocation, task);
    if (strata.next != nullptr)
      point_to(own.accumulator.weights, strata.next + task.slot * strata.cubes, strata.cubes);
    own.accumulator.deviation_scale = task.scale / FixedPoint::target;
    for (int c = 0; c < C; ++c)
      own.accumulator.drive.of[c] = strata.drive[task.slot * static_cast<unsigned>(C) + static_cast<unsigned>(c)];
    point_to(own.partials, one.partials.data() + which * chunks, static_cast<std::size_t>(chunks));
    own.sample_chunk(team, static_cast<std::uint64_t>(team.league_rank() % chunks));
  }
};

} // namespace kubature::detail

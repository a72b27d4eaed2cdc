#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace kubature {
namespace detail {

/// The constants of the host spaces Serial, OpenMP, Threads and HPX.
struct HostTuning {
  /// Whether the constants were chosen by measurement on this backend; otherwise results carry a remark.
  static constexpr bool measured = true;
  /// Threads per team in sampling kernels, in the small kernels of one team that end an iteration, and at most where a
  /// map is refined.
  static constexpr int sampling_team = 1;
  static constexpr int reduction_team = 1, refining_team = 1;
  /// What the compiler may assume about sampling kernels: threads per team, and the minimum number of teams per
  /// multiprocessor.
  using SamplingBounds = Kokkos::LaunchBounds<0, 0>;
  /// As above, for kernels that evaluate the integrand (an Expression) at two points at once and keep both in
  /// registers.
  using PairBounds = SamplingBounds;
  /// The largest number of components whose sums leave enough registers for the rest of a sampling kernel, and the
  /// bounds for more components.
  static constexpr int few_components = 4;
  using ManyBounds = SamplingBounds;
  /// Segments that one thread works on side by side, so that the compiler can vectorise. On an AVX-512 machine 32 give
  /// 1.6 times the throughput of 1 with -march=native and 1.2 times without (5-D Gaussian, GCC 16).
  static constexpr int lanes = 32;
  /// As above, for integrands that evaluate points in batches (an Expression): plain Monte Carlo evaluates `batch`
  /// points at once, in teams of `batch_team` threads.
  static constexpr int batch = lanes, batch_team = sampling_team;
  using BatchBounds = SamplingBounds;
  /// Numbers of variables for which kernels of integrands that are known only at run time are compiled, besides those
  /// for any number (see detail::at_dimension).
  using Dimensions = std::integer_sequence<int>;
  /// Segments per chunk: a multiple of sampling_team * lanes and of batch_team * batch.
  static constexpr int segments = 64;
  /// The largest number of chunks per iteration, the number that fills the device, and the number of its
  /// multiprocessors. Then the minimum number of samples per segment (unless there is less work) with at most as many
  /// chunks as multiprocessors, with at most as many as fill the device, and with more. Every chunk has a fixed cost,
  /// so the more chunks there are, the longer their segments, and they fill the device several times.
  static constexpr std::uint64_t most_chunks = 2048, filling_chunks = 2048, few_chunks = 1;
  static constexpr std::uint64_t short_segment = 64, least_segment = 64, long_segment = 64;
  /// The largest number of chunks is multiplied by the number of samples in an iteration divided by this, to occupy
  /// more devices.
  static constexpr std::uint64_t device_samples = std::uint64_t{1} << 30;
  /// The largest number of partial sums that are sent between ranks: those of chunks or, if there are more, of groups
  /// of chunks.
  static constexpr std::uint64_t most_groups = 512;
  /// Samples per iteration that the refinement histogram records: a subset is enough (docs/design/vegas-adaptation.md).
  static constexpr std::uint64_t recorded_samples = std::uint64_t{1} << 22;

  /// Whether cubature tries a coarser first grid before that of start_grid(). On a device both cost the same time.
  static constexpr bool coarse_grid = true;
  /// Cubature evaluates up to team_regions regions with one team per region, up to thread_regions with one thread per
  /// region, and more with one lane per region.
  static constexpr std::uint64_t team_regions = 0, thread_regions = 0;
  /// The minimum number of points in a region for a team to work on it.
  static constexpr std::uint64_t team_points = 256;
  /// Threads and lanes of a team, and its number of regions, where one team, thread or lane works on a region.
  static constexpr int region_team[3] = {1, 1, 1}, region_lanes[3] = {1, 1, 1};
  static constexpr int regions_per_team[3] = {1, 1, 4};
  /// The number of such teams that must be resident on a multiprocessor, which limits registers; 0: no requirement.
  static constexpr int region_teams_resident[3] = {0, 0, 0};
  /// Points that a lane evaluates at once with an integrand that evaluates batches.
  static constexpr int region_batch = 8;
  /// Threads and lanes of a team that refines one region on its own, and the number of such regions refined at once.
  static constexpr int part_list_team = 1, part_list_lanes = 1;
  static constexpr std::uint64_t part_lists = 128;
  /// Sums over regions are divided into at most region_chunks chunks, of at least least_regions regions each.
  static constexpr std::uint64_t region_chunks = 1024, least_regions = 1024;
  /// Lists of up to this many regions are summarised, or bisected, by one team.
  static constexpr std::uint64_t short_list = 1024, short_refined_list = 1024;
  static constexpr int short_list_team = 1;

  /// Threads of a team that evaluates part of an integrand at a few points to choose its precision.
  static constexpr int probe_team = 1;
  /// Whether the backend computes in half precision; otherwise it is emulated, and never chosen.
  static constexpr bool half_in_hardware = false;
  /// The cost of an operation of an integrand in fp16, fp32 and fp64, relative to fp64 (see
  /// docs/design/mixed-precision.md).
  static constexpr double operation_cost[3] = {1, 0.67, 1};
  /// The additional cost of evaluating a term of an Expression separately, in operations in fp64.
  static constexpr double term_overhead = 2;
};

/// The constants of any other device: those of CUDA without what its registers and compiler ask for, in teams of no
/// more than 256 threads, which all devices of Kokkos have.
struct DeviceTuning {
  static constexpr bool measured = false;
  static constexpr int sampling_team = 256;
  static constexpr int reduction_team = 256, refining_team = 256;
  using SamplingBounds = Kokkos::LaunchBounds<sampling_team, 1>;
  using PairBounds = SamplingBounds;
  static constexpr int few_components = 4;
  using ManyBounds = Kokkos::LaunchBounds<sampling_team, 1>;
  static constexpr int lanes = 1;
  static constexpr int batch = 4, batch_team = 64;
  using BatchBounds = Kokkos::LaunchBounds<batch_team, 1>;
  using Dimensions = std::integer_sequence<int>;
  static constexpr int segments = sampling_team;
  static constexpr std::uint64_t most_chunks = 3168, filling_chunks = 792, few_chunks = 132;
  static constexpr std::uint64_t short_segment = 2, least_segment = 16, long_segment = 64;
  static constexpr std::uint64_t device_samples = std::uint64_t{1} << 28, most_groups = 4096;
  static constexpr std::uint64_t recorded_samples = std::uint64_t{1} << 22;
  static constexpr bool coarse_grid = false;
  static constexpr std::uint64_t team_regions = 256, thread_regions = 16384, team_points = 256;
  static constexpr int region_team[3] = {8, 4, 128}, region_lanes[3] = {32, 32, 1};
  static constexpr int regions_per_team[3] = {1, 4, 128};
  static constexpr int region_teams_resident[3] = {0, 0, 0};
  static constexpr int region_batch = 4;
  static constexpr int part_list_team = 4, part_list_lanes = 32;
  static constexpr std::uint64_t part_lists = 8192;
  static constexpr std::uint64_t region_chunks = 1024, least_regions = 512;
  static constexpr std::uint64_t short_list = 8192, short_refined_list = 2048;
  static constexpr int short_list_team = 256;
  static constexpr int probe_team = 128;
  static constexpr bool half_in_hardware = false;
  static constexpr double operation_cost[3] = {0.49, 0.47, 1};
  static constexpr double term_overhead = 4;
};

} // namespace detail

/// Everything that is tuned for a backend, in one place.
///
/// Work is divided into chunks, one team each, and chunks into segments of consecutive cubes or samples. The division
/// depends only on the work and on these constants, so results do not depend on the number of threads.
template <class Space>
struct Tuning : std::conditional_t<std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>, detail::HostTuning,
                                   detail::DeviceTuning> {};

#ifdef KOKKOS_ENABLE_CUDA
/// Chosen by measurement on an H200. With 256 threads and three teams per multiprocessor (80 registers per thread) a
/// 5-D integrand reaches 66 Geval/s; with two it reaches 58, with four 67 (but 10-D loses 15 %), and teams of 512 gain
/// nothing.
template <>
struct Tuning<Kokkos::Cuda> : detail::DeviceTuning {
  static constexpr bool measured = true;
  static constexpr int reduction_team = 512, refining_team = 1024;
  using SamplingBounds = Kokkos::LaunchBounds<sampling_team, 3>;
  using PairBounds = Kokkos::LaunchBounds<sampling_team, 2>; // with three they spill 340 bytes per thread or more
  using BatchBounds = Kokkos::LaunchBounds<batch_team, 12>;  // docs/design/interpreter.md
  using Dimensions = std::integer_sequence<int, 2, 3, 4, 5, 6, 7, 8>;
  static constexpr int region_teams_resident[3] = {2, 5, 5};
  static constexpr int short_list_team = 512;
#ifdef KOKKOS_HALF_T_IS_FLOAT
  static constexpr bool half_in_hardware = !KOKKOS_HALF_T_IS_FLOAT;
#else
  static constexpr bool half_in_hardware = true;
#endif
};
#endif

} // namespace kubature

#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/sampling/drawn_lanes.hpp>
#include <kubature/detail/sampling/points.hpp>
#include <kubature/detail/sampling/segments.hpp>
#include <kubature/detail/sampling/stream.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace kubature::detail {

/// Common base of sources of independent points, uniform in a box or a part of it. A segment of a chunk is a row of
/// consecutive samples, all in one stratum.
template <class SampleType, class AccumulateType, int D, int W>
struct IndependentPoints {
  using Sample = SampleType;
  using Acc = AccumulateType;
  static constexpr int lanes = W;
  using Lanes = Segments<W>;
  using Points = detail::Points<Sample, Acc, D, W>;
  using Part = std::uint64_t; ///< samples of a segment
  static constexpr bool vectors = may_use_vectors<Sample, Acc, D, W>;

  Transform<Sample, D> transform;
  Stream stream;
  int dimension;
  double volume; ///< of the box, scaled by Scaling
  LaneFunctionsIf<vectors> by_vectors = lane_functions_if<vectors>();

  static void record_nothing() {} // it never does
  template <class Table>
  KOKKOS_FUNCTION static void record_nothing(Table&) {}

  /// Sets the Jacobians, if they are the same for all points.
  /// @returns whether they are
  KOKKOS_FUNCTION bool common_jacobian(Points& to) const {
    if (transform.maps())
      return false;
    for (int w = 0; w < lanes; ++w)
      to.jacobian[w] = static_cast<Acc>(volume);
    return true;
  }

  /// See place_drawn().
  template <bool channels>
  KOKKOS_FUNCTION void place_in_box(Points& to) const {
    place_drawn<channels>(transform, to);
  }

  template <class Policy>
  Policy const& configure(Policy const& policy, std::size_t = 0, std::uint64_t = 0) const {
    return policy;
  }
  template <class Member, class Table>
  KOKKOS_FUNCTION void close(Member const&, Table const&) const {}

  KOKKOS_FUNCTION static bool any(Lanes const& at) { return at.active > 0; }
  KOKKOS_FUNCTION static bool live(Lanes const& at, int w) { return w < at.active; }
  KOKKOS_FUNCTION static constexpr std::uint64_t run() { return 1; }
  KOKKOS_FUNCTION static bool first(Lanes const& at, int, std::uint64_t) { return at.k == 0; }

  template <class Table, class Values, class Sums>
  KOKKOS_FUNCTION static void end_sample(Lanes&, Table const&, Points const&, Values const&, Sums&) {}

  template <class Close>
  KOKKOS_FUNCTION static void end_run(Lanes& at, Close const& close) {
    at.next();
    if (at.active > 0)
      return;
    for (int w = 0; w < lanes && at.size(w) > 0; ++w)
      close(w, at.size(w));
  }

  KOKKOS_FUNCTION static LaneBits bits(Lanes const& at, std::uint64_t)
    requires(vectors)
  {
    return at.bits();
  }

  static constexpr bool stratified = false;
  static std::uint64_t strata_count() { return 1; }

  /// Maximum number of samples per segment.
  static std::uint64_t steps(Partition const& chunks) { return chunks.length; }
  KOKKOS_FUNCTION static std::uint64_t drawn(Lanes const& at, Partition const&, std::uint64_t) { return at.size(); }

  /// As draw_by() does, by vectors: coordinate i of a point is origins[i] + lengths[i] * u.
  KOKKOS_FUNCTION void draw_by_vectors(Lanes const& at, std::uint64_t first, double const* origins,
                                       double const* lengths, Points& to) const
    requires(vectors)
  {
    draw_by_vectors(at, first, origins, lengths, &to.x[0][0], sizeof(to.x[0]) / sizeof(double), 1, to.jacobian);
    if constexpr (D == dynamic)
      for (int w = 0; w < W; ++w)
        to.x[w].set_size(dimension);
  }

  /// The same with coordinate i of lane w at x[w * next_lane + i * next_axis].
  KOKKOS_FUNCTION void draw_by_vectors(Lanes const& at, std::uint64_t first, double const* origins,
                                       double const* lengths, double* x, std::ptrdiff_t next_lane,
                                       std::ptrdiff_t next_axis, double (&jacobian)[W]) const
    requires(vectors)
  {
    std::uint64_t sample[W];
    for (int w = 0; w < W; ++w) {
      sample[w] = at.begin[w] + (first + at.k);
      jacobian[w] = volume;
    }
    by_vectors->draw_uniform(
        {stream, sample, origins, lengths, is_dynamic<D> ? dimension : D, x, next_lane, next_axis});
  }

  /// @param first number in the stream of the first sample in the first lane's segment
  /// @param place place(i, u) is coordinate i of a point, u in (0, 1)
  template <class Place>
  KOKKOS_FUNCTION void draw_by(Lanes const& at, std::uint64_t first, Place const& place, Points& to) const {
    int const d = is_dynamic<D> ? dimension : D;
    std::uint64_t sample[lanes];
    for (int w = 0; w < lanes; ++w) {
      sample[w] = at.begin[w] + (first + at.k);
      to.x[w].set_size(d);
      to.jacobian[w] = static_cast<Acc>(volume);
    }
    for (int block = 0; 4 * block < d; ++block) {
      std::uint32_t words[4][lanes];
      stream.words(sample, static_cast<std::uint32_t>(block), words);
      for (int j = 0; j < 4 && 4 * block + j < d; ++j)
        for (int w = 0; w < lanes; ++w)
          to.x[w][4 * block + j] = place(4 * block + j, uniform<Sample>(words[j][w]));
    }
  }
};

} // namespace kubature::detail

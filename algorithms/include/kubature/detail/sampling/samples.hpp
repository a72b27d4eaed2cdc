#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

/// A part of a stratum: its samples, and its share of the stratum's.
struct PartOfStratum {
  std::uint64_t samples;
  double share;
  bool segment = false; ///< whether it is an entire segment, which may end before its neighbours
};

/// The weights of a batch's samples, slot by slot (see Slots): the sum of weight times value is the estimate.
template <class Space>
struct PointWeights {
  static constexpr bool kept = true;
  Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged> weight = {}; ///< 0 in slots without a sample; empty: not wanted
  std::uint64_t stride = 0;                                          ///< from a sample of a segment to the next
  double of_stratum = 0;                                             ///< the weight of a stratum's mean

  template <class Points>
  KOKKOS_FUNCTION void sample(std::uint64_t slot, Points const& drawn, int w, bool live) const {
    if (weight.data())
      weight(slot) = live ? of_stratum * static_cast<double>(drawn.jacobian[w]) : 0;
  }
  /// Divides the weight of a part's mean among its samples, of which the first is in that slot.
  KOKKOS_FUNCTION void close(std::uint64_t slot, PartOfStratum const& part) const {
    if (!weight.data())
      return;
    double const each = part.share / static_cast<double>(part.samples);
    for (std::uint64_t k = 0; k < part.samples; ++k)
      weight(slot + k * stride) *= each;
  }
};

/// The data of a batch's samples besides their points, slot by slot (see Slots): their Jacobians, and which of them
/// make up a stratum, or a part of one.
template <class Space>
struct SampleTable {
  template <class T>
  using Column = Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged>;

  static constexpr bool kept = true;
  Column<double> jacobian;      ///< -1 in slots without a sample
  Column<double> share;         ///< the part's share of its stratum, at its first sample
  Column<std::uint64_t> length; ///< samples of a part, at its first one; 0 elsewhere
  PointWeights<Space> weights = {};

  template <class Points>
  KOKKOS_FUNCTION void sample(std::uint64_t slot, Points const& drawn, int w, bool live) const {
    jacobian(slot) = live ? static_cast<double>(drawn.jacobian[w]) : -1;
    length(slot) = 0;
    weights.sample(slot, drawn, w, live);
  }
  /// Records a part, whose first sample is in that slot.
  KOKKOS_FUNCTION void close(std::uint64_t slot, PartOfStratum const& part) const {
    length(slot) = part.samples;
    share(slot) = part.share;
    weights.close(slot, part);
  }
};

} // namespace kubature::detail

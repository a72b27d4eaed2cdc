#pragma once

#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/vegas/device_map.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cstdint>

namespace kubature::detail {

/// The period with which samples are recorded: about as many per iteration as suffice, and per chunk, with segments of
/// `segment` samples, no more than the histogram can count. With fewer than a million samples in an iteration all are,
/// on every backend, so that maps are as good on one as on another.
template <class Space>
std::uint32_t record_period(std::uint64_t samples, std::uint64_t segment) {
  using Tune = Tuning<Space>;
  auto const every =
      std::max(samples / Tune::recorded_samples, Partition::ceil(segment, FixedPoint::most_records / Tune::segments));
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(every, 1, 1u << 31));
}

/// Selects the samples that a segment records: one in record_every, starting at random so that no cube is preferred.
class RecordTurn {
public:
  KOKKOS_FUNCTION RecordTurn(std::uint32_t wait, std::uint32_t period) : wait_(wait), period_(period) {}
  KOKKOS_FUNCTION bool operator()() {
    if (--wait_ != 0)
      return false;
    wait_ = period_;
    return true;
  }

private:
  std::uint32_t wait_, period_;
};

} // namespace kubature::detail

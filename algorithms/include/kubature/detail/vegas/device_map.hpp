#pragma once

#include <kubature/backend.hpp>
#include <kubature/communicator.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kubature::detail {

/// One sample's weight (J f)^2 in the refinement histogram and one count, packed in a 64-bit integer: a chunk records
/// fewer than 2^13 samples, so the lower 13 bits count them and the upper 51 bits hold the sum of their weights in
/// fixed point. Integer sums do not depend on their order, so they are the same to the bit on any number of threads.
struct FixedPoint {
  static constexpr int count_bits = 13;
  static constexpr std::uint64_t most_records = (std::uint64_t{1} << count_bits) - 1;
  /// The largest weight of a sample; larger ones saturate.
  static constexpr double most = 0x1p38;
  /// The |J f| seen so far are scaled to at most this before they are squared: later ones may be 2^4 times as large.
  static constexpr double target = 0x1p15;

  /// @param magnitude |J f|, finite; anything above zero counts for at least one unit, so that it does not vanish
  /// @param scale     target over the largest magnitude; squares of scaled numbers neither overflow nor underflow
  KOKKOS_FUNCTION static std::uint64_t pack(double magnitude, double scale) {
    if (!(magnitude > 0))
      return 1;
    double const scaled = magnitude * scale;
    double const units = scaled * scaled;
    return (static_cast<std::uint64_t>(units < most ? units + 1 : most) << count_bits) | 1;
  }
  KOKKOS_FUNCTION static std::uint64_t weight(std::uint64_t packed) { return packed >> count_bits; }
  KOKKOS_FUNCTION static std::uint64_t count(std::uint64_t packed) { return packed & most_records; }
};

/// Histograms of a host's threads, one row each, to which they add those of their chunks, so that no thread waits for
/// another's memory. Integer sums do not depend on the division of work. Devices have none.
template <class Space>
struct ThreadRows {
  std::uint64_t* rows = nullptr; ///< [thread][weights, counts, whether there are any]
  std::size_t bins = 0;          ///< of a histogram, all axes together
  int threads = 0;

  static int threads_of(Space const& exec) { return on_device_of_its_own<Space> ? 0 : exec.concurrency(); }
  std::size_t size() const { return stride() * static_cast<std::size_t>(threads); }

  /// A thread's row.
  KOKKOS_FUNCTION std::uint64_t* weights(int thread) const {
    return rows + static_cast<std::size_t>(thread) * stride();
  }
  KOKKOS_FUNCTION std::uint64_t* counts(int thread) const { return weights(thread) + bins; }
  /// Whether it holds more than zeros: few threads have work where samples are few.
  KOKKOS_FUNCTION std::uint64_t& used(int thread) const { return counts(thread)[bins]; }

  /// Adds a chunk's histogram to a thread's row.
  KOKKOS_FUNCTION void add(int thread, std::uint64_t const* packed) const {
    std::uint64_t *const to = weights(thread), *const number = counts(thread);
    for (std::size_t k = 0; k < bins; ++k) {
      to[k] += FixedPoint::weight(packed[k]);
      number[k] += FixedPoint::count(packed[k]);
    }
  }
  /// Adds up the rows for the intervals from `first` to before `end`, and clears them.
  KOKKOS_FUNCTION void take(std::size_t first, std::size_t end, std::uint64_t* weight, std::uint64_t* count) const {
    for (int thread = 0; thread < threads; ++thread) {
      if (used(thread) == 0)
        continue;
      std::uint64_t *const from = weights(thread), *const number = counts(thread);
      for (std::size_t k = first; k < end; ++k) {
        weight[k] += from[k];
        count[k] += number[k];
        from[k] = number[k] = 0;
      }
    }
  }

private:
  /// With a cache line to itself for what a thread notes.
  KOKKOS_FUNCTION std::size_t stride() const { return 2 * bins + 8; }
};

/// The refinement of a map's intervals.
struct Damping {
  double alpha; ///< the exponent: 0 leaves the map as it is
  /// Weights are averaged over this many intervals on either side, which count less the more distant they are; 0: (1,
  /// 6, 1) / 8. A larger reach means less noise, but slower refinement where few intervals hold a peak.
  int reach = 0;
  /// Whether the map is so close to the integrand that it shows where values die away to zero instead of being cut off.
  bool resolved = false;
};

/// The VEGAS map on the device: for each axis `bins` intervals of the unit interval that are equally likely to be
/// sampled, and the histogram from which they are refined (Lepage 1978; 2021, sec. II). It has one owner, as a Buffer.
template <class Space>
class DeviceMap {
public:
  template <class T>
  using Array = Kokkos::View<T*, typename Space::memory_space>;

  DeviceMap() = default;
  DeviceMap(DeviceMap&&) = default;
  DeviceMap& operator=(DeviceMap&&) = default;

  /// Sets equal intervals along `axes` axes. Memory is kept if it suffices.
  void reset(Space const& exec, int axes, int bins);

  /// Adds up the histograms of all ranks.
  void sum(Space const& exec, Communicator const& ranks);

  /// Moves the edges so that each interval holds the same share of the damped weights (Lepage 2021, eq. 11-17), and
  /// clears the histogram. The largest |J f| sets the scale of the next one.
  /// @param largest the largest |J f| recorded in the last iteration
  void refine(Space const& exec, Damping damping, double largest);

  /// Clears the histogram, for samples to be drawn again: weights are then relative to 2^exponent.
  void forget(Space const& exec, int exponent);

  /// Copies all edges to the host, and back.
  std::vector<double> read(Space const& exec) const;
  void write(Space const& exec, int axes, int bins, std::span<double const> edges);

  int axes() const { return axes_; }
  int bins() const { return bins_; }

  /// Edges of axis a: bins + 1 numbers from 0 to bins, at a * (bins + 1), which are `bins` times those in the unit
  /// interval.
  Array<double> const& edges() const { return edges_; }
  /// Sums of weights in fixed point, and counts, at a * bins + bin.
  Array<std::uint64_t> const& weights() const { return weights_; }
  Array<std::uint64_t> const& counts() const { return counts_; }
  /// The histograms of a host's threads, which refine() and sum() add to these.
  ThreadRows<Space> const& rows() const { return rows_; }
  /// See FixedPoint::pack; infinite until a value other than zero has been seen.
  double scale() const { return scale_; }
  void set_scale(double largest);
  /// The exponent of the power of two by which |J f| is scaled down, see Scaling.
  int exponent() const { return exponent_; }
  void restore_scale(double scale, int exponent) {
    scale_ = scale;
    exponent_ = exponent;
  }

  static std::size_t bytes(Space const& exec, int axes, int bins) {
    auto const rows = static_cast<std::size_t>(ThreadRows<Space>::threads_of(exec));
    return static_cast<std::size_t>(axes) * static_cast<std::size_t>(bins + 1) * (5 + 2 * rows) * sizeof(double);
  }

private:
  /// Adds the histograms of a host's threads to that of the map.
  void add_rows(Space const& exec);

  int axes_ = 0, bins_ = 0;
  double scale_ = 0;
  int exponent_ = 0;
  Array<double> edges_, work_;
  Array<std::uint64_t> weights_, counts_;
  Array<std::uint64_t> rows_memory_;
  ThreadRows<Space> rows_;
  using OnHost = Kokkos::View<std::uint64_t*, ReadbackSpace<Space>>;
  OnHost on_host_; ///< the histogram in transit between ranks
};

} // namespace kubature::detail

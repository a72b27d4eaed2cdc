#pragma once

#include <kubature/detail/buffer.hpp>
#include <kubature/detail/total.hpp>
#include <kubature/detail/vegas_plus/allotment.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace kubature::detail {

/// The cubes of VEGAS+ with a weight for each, sigma^beta as an iteration saw it, from which the next iteration's
/// samples are allotted. All of it stays on the device.
template <class Space>
class Stratification {
public:
  using Counts = Kokkos::Array<int, max_dimension>;
  using Weights = Kokkos::View<float*, Space, Kokkos::MemoryUnmanaged>;

  /// Bytes of so many cubes: two sets of weights, and the running sum.
  static std::size_t bytes(std::uint64_t cubes) {
    return 2 * sizeof(float) * cubes + sizeof(std::uint64_t) * (cubes / Allotment<Space>::block + 2);
  }
  /// Bytes that it holds.
  std::size_t size() const { return weights_.size() + next_.size() + sums_.size(); }

  int dimension() const { return dimension_; }
  Counts const& counts() const { return counts_; }

  /// Forgets all weights: equal numbers of samples follow.
  void reset() { known_ = false; }

  /// Cubes from now on: counts[i] along axis i, the first axis fastest. Known weights are carried over from the cubes
  /// that the new ones' centres lie in.
  void cut(Space const& exec, int dimension, Counts const& counts);

  /// The samples of an iteration: `least` in each cube, and the rest of `evaluations` by the weights.
  Allotment<Space> allot(Space const& exec, std::uint64_t least, std::uint64_t evaluations);

  /// Where the sampling kernel leaves each cube's weight, none of which it reads.
  Weights next(Space const& exec) { return next_.template as<float>(exec, cubes_); }
  /// Takes these over; `sum` is their total.
  void accept(double sum);

  /// The weights' sum, 0 where none are known, and the weights, for a checkpoint.
  double sum() const { return known_ ? sum_ : 0; }
  std::vector<float> weights(Space const& exec);
  void restore(Space const& exec, int dimension, Counts const& counts, double sum, std::vector<float> const& weights);

private:
  std::uint64_t cubes_ = 0;
  int dimension_ = 0;
  Counts counts_{};
  bool known_ = false;
  double sum_ = 0;
  Buffer<Space> weights_{"kubature::vegas_plus::weights"}, next_{"kubature::vegas_plus::weights"};
  Buffer<Space> sums_{"kubature::vegas_plus::sums"}, partials_{"kubature::vegas_plus::partials"};
  Total<Space> total_{"kubature::vegas_plus::total"};
};

} // namespace kubature::detail

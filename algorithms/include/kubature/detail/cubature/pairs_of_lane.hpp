#pragma once

#include <kubature/detail/cubature/rule_table.hpp>
#include <kubature/detail/evaluation.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

namespace kubature::detail {

/// Goes through the pairs of points of a rule that one lane of several evaluates, in the order in which their values
/// are added: the centre as a pair of its own, the two pairs of each axis, then those of one orbit after the other.
template <class Sample, class Acc>
class PairsOfLane {
public:
  KOKKOS_FUNCTION PairsOfLane(RuleView<Sample, Acc> const& rule, int dimension, int rank, int size)
      : rule_(rule), dimension_(dimension), rank_(rank), size_(size) {}

  /// The orbit of the pair: 0 for the centre, 1 and 2 for the two pairs of an axis.
  KOKKOS_FUNCTION int orbit() const { return orbit_; }
  KOKKOS_FUNCTION int axis() const { return k_; }
  KOKKOS_FUNCTION bool done() const { return orbit_ >= rule_.orbit_count; }

  KOKKOS_FUNCTION void next() {
    if (orbit_ == 1) {
      orbit_ = 2;
      return;
    }
    k_ = orbit_ == 0 ? rank_ : k_ + size_;
    if (orbit_ < 3) {
      orbit_ = 1;
      if (k_ < dimension_)
        return;
      orbit_ = 3;
      k_ = (rank_ + size_ - dimension_ % size_) % size_; // so that all lanes get the same number of points
    }
    while (!done() && k_ >= count())
      k_ -= count(), ++orbit_;
  }

  /// The points of the pair, in the region with a given centre.
  template <class At>
  KOKKOS_FUNCTION void place(At const& centre, At const& side, At& above, At& below) const {
    for (int i = 0; i < (At::capacity == max_dimension ? dimension_ : At::capacity); ++i) {
      Sample const step = side[i] * offset(i);
      above[i] = centre[i] + step;
      below[i] = centre[i] - step;
    }
  }

  /// The same as points p and p + 1 of some whose coordinates are side by side, x[axis][point].
  template <class At, class Real, int W>
  KOKKOS_FUNCTION void place_columns(At const& centre, At const& side, Real (*x)[W], int p) const {
    for (int i = 0; i < (At::capacity == max_dimension ? dimension_ : At::capacity); ++i) {
      Sample const step = side[i] * offset(i);
      x[i][p] = centre[i] + step;
      x[i][p + 1] = centre[i] - step;
    }
  }

private:
  /// The distance along axis i from the centre to the first point, in sides of the region; the second is equally far in
  /// the opposite direction.
  KOKKOS_FUNCTION Sample offset(int i) const {
    if (orbit_ == 0)
      return 0;
    if (at_corners())
      return (k_ >> i & 1) != 0 ? -rule_.corner : rule_.corner;
    return rule_.offsets[i * rule_.pairs + (orbit_ < 3 ? 2 * k_ + orbit_ - 1 : rule_.first_pair[orbit_] + k_)];
  }

  KOKKOS_FUNCTION bool at_corners() const { return rule_.corners && orbit_ + 1 == rule_.orbit_count; }
  /// The number of pairs of the orbit.
  KOKKOS_FUNCTION int count() const {
    return at_corners() ? 1 << (dimension_ - 1) : rule_.first_pair[orbit_ + 1] - rule_.first_pair[orbit_];
  }

  RuleView<Sample, Acc> const& rule_;
  int dimension_, rank_, size_;
  int orbit_ = 0, k_ = 0;
};

/// The number of points that a lane passes at once to an integrand that evaluates several side by side; even.
template <class F>
constexpr int region_batch() {
  if constexpr (KnowsItsMemory<F>)
    return Tuning<typename F::memory_space::execution_space>::region_batch;
  else
    return Tuning<Kokkos::DefaultExecutionSpace>::region_batch;
}

} // namespace kubature::detail

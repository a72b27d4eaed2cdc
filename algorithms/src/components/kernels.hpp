#pragma once

#include <kubature/backend.hpp>
#include <kubature/batched.hpp>
#include <kubature/detail/components/component_sum.hpp>
#include <kubature/detail/components/matrix_products.hpp>
#include <kubature/detail/launch/join.hpp>
#include <kubature/detail/sampling/samples.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

/// Goes through the values of all components, sample by sample: finds what trains map and strata, and removes samples
/// with any value that is not finite.
template <class Space>
struct DriveBySamples {
  /// Slots that a thread processes side by side, so that a host reads each component's values contiguously.
  static constexpr int block = on_device_of_its_own<Space> ? 1 : 256;
  using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

  DenseMatrix<Space> values;
  SampleTable<Space> samples;
  BatchValues<Space> driving;                                          ///< NaN if a value is not finite
  Kokkos::View<double const*, Space, Kokkos::MemoryUnmanaged> weights; ///< see ComponentWeights
  bool propagate;

  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    auto const first = static_cast<std::uint64_t>(number) * block, slots = static_cast<std::uint64_t>(values.extent(0));
    int const n = first + block < slots ? block : static_cast<int>(slots - first);
    double drive[block];
    int bad[block];
    for (int k = 0; k < n; ++k) {
      drive[k] = 0;
      bad[k] = 0;
    }
    for (std::size_t c = 0; c < values.extent(1); ++c) {
      double const weight = weights(c);
      for (int k = 0; k < n; ++k) {
        double const value = values(first + static_cast<unsigned>(k), c);
        bad[k] += Kokkos::isfinite(value) ? 0 : 1;
        drive[k] += weight > 0 ? weight * Kokkos::abs(value) : 0;
      }
    }
    for (int k = 0; k < n; ++k) {
      auto const slot = first + static_cast<unsigned>(k);
      bool const finite = bad[k] == 0;
      driving(slot, 0) = finite ? drive[k] : Kokkos::Experimental::quiet_NaN_v<double>;
      if (!finite && !propagate)
        for (std::size_t c = 0; c < values.extent(1); ++c)
          values(slot, c) = 0;
    }
  }

  void launch(Space const& exec) const {
    auto const blocks = (static_cast<std::int64_t>(values.extent(0)) + block - 1) / block;
    Kokkos::parallel_for("kubature::components::drive", Policy(exec, 0, blocks), *this);
  }
};

/// The mean of each component's values in a batch, by which they are shifted: one team per component.
template <class Space>
struct ShiftOfComponents {
  using Policy = Kokkos::TeamPolicy<Space>;
  DenseMatrix<Space> values;
  SampleTable<Space> samples;
  Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged> shifts;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    auto const c = static_cast<std::size_t>(team.league_rank());
    ComponentSum sum; // and the count
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, static_cast<std::int64_t>(values.extent(0))),
        [&](std::int64_t slot, ComponentSum& partial) {
          double const jacobian = samples.jacobian(slot);
          if (jacobian < 0)
            return;
          partial.mean += jacobian * values(slot, c);
          partial.spread += 1;
        },
        Join<ComponentSum>(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { shifts(c) = sum.spread > 0 ? sum.mean / sum.spread : 0; });
  }
  void launch(Space const& exec) const {
    Kokkos::parallel_for("kubature::components::shift",
                         Policy(exec, static_cast<int>(values.extent(1)), Tuning<Space>::reduction_team), *this);
  }
};

/// Sums up the values of a batch, one team per chunk and component, and replaces them by deviations whose products add
/// up to covariances: with strata, deviations from the stratum's mean, multiplied by the samples' share of the stratum
/// and divided by (n (n - 1))^(1/2); without, deviations from the shift.
template <class Space, bool stratified>
struct CentreComponents {
  using Tune = Tuning<Space>;
  using Policy = Kokkos::TeamPolicy<Space, typename Tune::SamplingBounds>;
  using Sums = Kokkos::View<ComponentSum**, Kokkos::LayoutLeft, Space, Kokkos::MemoryUnmanaged>;

  DenseMatrix<Space> values;
  SampleTable<Space> samples;
  Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged> shifts;
  Sums sums; ///< (chunk, component)
  std::uint64_t segments, steps;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    auto const chunks = static_cast<int>(sums.extent(0));
    int const chunk = team.league_rank() % chunks, c = team.league_rank() / chunks;
    ComponentSum sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, Tune::segments),
        [&](int k, ComponentSum& partial) {
          std::uint64_t const slot = static_cast<std::uint64_t>(chunk) * Tune::segments + static_cast<unsigned>(k);
          if constexpr (stratified)
            by_strata(slot, c, partial);
          else
            by_shift(slot, c, partial);
        },
        Join<ComponentSum>(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { sums(chunk, c) = sum; });
  }
  void launch(Space const& exec) const {
    Kokkos::parallel_for("kubature::components::centre",
                         Policy(exec, static_cast<int>(sums.extent(0) * sums.extent(1)), Tune::sampling_team), *this);
  }

private:
  KOKKOS_FUNCTION void by_shift(std::uint64_t slot, int c, ComponentSum& sum) const {
    double const shift = shifts(c);
    for (std::uint64_t step = 0; step < steps; ++step, slot += segments) {
      double const jacobian = samples.jacobian(slot);
      double const deviation = jacobian < 0 ? 0 : jacobian * values(slot, c) - shift;
      sum.mean += deviation;
      sum.spread += deviation * deviation;
      values(slot, c) = deviation;
    }
  }

  /// The parts of a segment follow one another; behind them are slots without a sample.
  KOKKOS_FUNCTION void by_strata(std::uint64_t slot, int c, ComponentSum& sum) const {
    std::uint64_t step = 0;
    while (step < steps) {
      std::uint64_t const n = samples.length(slot);
      if (n == 0)
        break;
      auto const count = static_cast<double>(n);
      double const share = samples.share(slot), scale = share / Kokkos::sqrt(count * (count - 1));
      double const first = samples.jacobian(slot) * values(slot, c);
      double shifted = 0, squares = 0;
      for (std::uint64_t k = 0, at = slot; k < n; ++k, at += segments) {
        double const value = samples.jacobian(at) * values(at, c) - first;
        values(at, c) = value;
        shifted += value;
      }
      double const mean = shifted / count;
      for (std::uint64_t k = 0; k < n; ++k, slot += segments) {
        double const deviation = (values(slot, c) - mean) * scale;
        squares += deviation * deviation;
        values(slot, c) = deviation;
      }
      sum.mean += share * (first + mean);
      sum.magnitude += share * Kokkos::abs(first + mean);
      sum.spread += squares;
      step += n;
    }
    for (; step < steps; ++step, slot += segments)
      values(slot, c) = 0;
  }
};

/// Adds the sums of a batch's chunks to those of the draw, in order.
template <class Space>
struct AddChunks {
  using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<int>>;
  Kokkos::View<ComponentSum**, Kokkos::LayoutLeft, Space, Kokkos::MemoryUnmanaged> sums; ///< (chunk, component)
  Kokkos::View<ComponentSum*, Space, Kokkos::MemoryUnmanaged> totals;                    ///< followed by the shifts

  KOKKOS_FUNCTION void operator()(int c) const {
    ComponentSum total = totals(c);
    for (std::size_t chunk = 0; chunk < sums.extent(0); ++chunk)
      total.join(sums(chunk, c));
    totals(c) = total;
  }
  void launch(Space const& exec) const {
    Kokkos::parallel_for("kubature::components::add", Policy(exec, 0, static_cast<int>(sums.extent(1))), *this);
  }
};

} // namespace kubature::detail

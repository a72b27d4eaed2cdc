#pragma once

#include <kubature/backend.hpp>
#include <kubature/batched.hpp>
#include <kubature/box.hpp>
#include <kubature/detail/launch/join.hpp>
#include <kubature/detail/memory/batches.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/upload.hpp>
#include <kubature/detail/probing/parts.hpp>
#include <kubature/detail/probing/probe_points.hpp>
#include <kubature/detail/probing/probed.hpp>
#include <kubature/detail/probing/sub_box.hpp>
#include <kubature/detail/sampling/evaluate.hpp>
#include <kubature/detail/sampling/stream.hpp>
#include <kubature/precision_choice.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubature::detail {

/// The lowest type in which a probe evaluates: half where wanted, otherwise float.
template <bool half>
using half_if = std::conditional_t<half, Kokkos::Experimental::half_t, float>;

/// The costs as given, or those of the backend if they are zeros. Half precision is never chosen on a backend that
/// emulates it: it is not observed there.
template <class Space>
FormatCosts costs_of(std::array<double, format_count> given, Format lowest = Format::binary16) {
  if (given == std::array<double, format_count>{})
    std::copy_n(Tuning<Space>::operation_cost, format_count, given.begin());
  return {given, lowest};
}

/// Components of an integrand whose values are in memory, in the order of ValuesInMemory.
template <class Space>
struct ComponentsInMemory {
  static constexpr auto evaluation = Evaluation::stored;
  BatchValues<Space> values;
  std::uint64_t items;
  int first;

  KOKKOS_FUNCTION double value(int k, std::uint64_t item, int number) const {
    return values(static_cast<unsigned>(number) * items + item, first + k);
  }
};

/// Evaluates parts of an integrand at points of cells, in all formats: one team per part and cell, one thread per
/// point. If values are in memory, or the lowest format is double, or single precision has no numbers inside the box,
/// they are in fp64 only.
template <class Space, class Lowest, class Parts, int D>
struct ProbeParts {
  Parts parts;
  ProbePoints<Space, D> where;
  Kokkos::View<Probed*, ReadbackSpace<Space>, Kokkos::MemoryUnmanaged> results; ///< [cell][part]
  int count;                                                                    ///< of parts
  Inside<float, D> singles;
  Inside<Lowest, D> lowest;

  using Member = typename Kokkos::TeamPolicy<Space>::member_type;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const cell = team.league_rank() / count, part = team.league_rank() % count;
    Probed sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, where.points), [&](int i, Probed& seen) { look(cell, part, i, seen); },
        Join<Probed>(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { results(team.league_rank()) = sum; });
  }

private:
  KOKKOS_FUNCTION void look(int cell, int part, int i, Probed& sum) const {
    int const d = D == dynamic ? where.dimension : D;
    auto const t = where.draw(cell, i);
    auto const value_at = [&](Point<double, D> const& x, [[maybe_unused]] int number) -> double {
      if constexpr (is_in_memory<Parts>)
        return parts.value(part, static_cast<std::uint64_t>(cell * where.points + i), number);
      else
        return parts.value(part, x);
    };

    double jacobian = 1;
    auto const x = where.at(t, jacobian);
    Probed seen;
    double const value = value_at(x, 0) * jacobian;
    if (!Kokkos::isfinite(value)) {
      seen.non_finite = 1;
      sum.join(seen);
      return;
    }
    seen.points = 1;
    seen.mean = value;
    seen.magnitude = Kokkos::abs(value);
    seen.only_double = true;
    if constexpr (!is_in_memory<Parts> && !std::is_same_v<Lowest, double>)
      if (singles.any()) {
        seen.only_double = false;
        seen.single.add(static_cast<double>(parts.value(part, singles.nearest(rounded<float>(x)))) * jacobian, value);
        if constexpr (!std::is_same_v<Lowest, float>)
          if (lowest.any()) {
            seen.has_half = true;
            seen.half.add(static_cast<double>(parts.value(part, lowest.nearest(rounded<Lowest>(x)))) * jacobian, value);
          }
      }
    for (int axis = 0; axis < d; ++axis) {
      auto shifted = t;
      double const shift = where.shift(cell, t, axis);
      shifted[axis] += shift;
      double shifted_jacobian = 1;
      auto const y = where.at(shifted, shifted_jacobian);
      double const h = where.transform.stretch(axis, shift);
      double const slope = Kokkos::abs((value_at(y, 1 + axis) * shifted_jacobian - value) / h);
      if (slope > seen.gradient)
        seen.gradient = slope;
    }
    sum.join(seen);
  }
};

/// Probes integrands for choices of precision; keeps its memory.
template <class Space>
class Prober {
public:
  Prober(int points, std::uint64_t seed) : points_(points), seed_(seed) {}

  /// @param first   the number of the first cell among all cells of the call, which have distinct random numbers
  /// @param batches memory for integrands that evaluate batches, with room for bytes(); others do not need it
  /// @returns [cell][part]
  template <class Lowest, class Parts, int D>
  std::vector<Probed> probe(Space const& exec, Parts const& parts, Box<D> const& box, std::vector<SubBox> const& cells,
                            std::uint64_t first = 0, [[maybe_unused]] Batches<Space>* batches = nullptr) {
    int const count = parts.count(), d = box.dimension();
    auto const teams = cells.size() * static_cast<std::size_t>(count);
    Cells const on_device = cells_.template as<SubBox>(exec, cells.size());
    upload(exec, cells_.template as<SubBox>(exec, cells.size()), cells);
    if (teams * sizeof(Probed) > results_.size())
      results_ = Readback(Kokkos::view_alloc(Kokkos::WithoutInitializing, "kubature::precision_selection::results"),
                          teams * sizeof(Probed));
    Results const results(reinterpret_cast<Probed*>(results_.data()), teams);
    auto const points_of = [&](std::uint64_t begin, std::uint64_t size) {
      return ProbePoints<Space, D>{Transform<double, D>(box),
                                   Inside<double, D>(box),
                                   Kokkos::subview(on_device, std::pair(begin, begin + size)),
                                   Stream(seed_, probing),
                                   first + begin,
                                   points_,
                                   d};
    };
    auto const launch = [&](auto const& of_parts, std::uint64_t begin, std::uint64_t size) {
      auto const n = static_cast<std::uint64_t>(count);
      using Values = std::remove_cvref_t<decltype(of_parts)>;
      Kokkos::parallel_for(
          "kubature::precision_selection::probe",
          Kokkos::TeamPolicy<Space>(exec, static_cast<int>(size * n), Tuning<Space>::probe_team),
          ProbeParts<Space, Lowest, Values, D>{of_parts, points_of(begin, size),
                                               Kokkos::subview(results, std::pair(begin * n, (begin + size) * n)),
                                               count, Inside<float, D>(box), Inside<Lowest, D>(box)});
    };
    if constexpr (requires { requires is_batched<decltype(parts.f)>; }) {
      auto const points = static_cast<std::uint64_t>(points_);
      batches->evaluate(
          exec, parts.f, d, cells.size(), slots(d), 1,
          [&](std::uint64_t begin, std::uint64_t size, StoredPoints<Space> const& at) {
            Kokkos::parallel_for("kubature::precision_selection::store_points",
                                 Kokkos::RangePolicy<Space, Kokkos::IndexType<std::uint64_t>>(exec, 0, size * points),
                                 StoreProbes<Space, D>{points_of(begin, size), size * points, at});
          },
          [&](std::uint64_t begin, std::uint64_t size, BatchValues<Space> const& values) {
            launch(ComponentsInMemory<Space>{values, size * points, parts.first}, begin, size);
          });
    } else {
      launch(parts, 0, cells.size());
    }
    exec.fence("kubature::precision_selection::read");
    return {results.data(), results.data() + teams};
  }

  /// Bytes per batch for a cell's points, with this many values at each.
  std::size_t bytes(int dimension, int values) const {
    return slots(dimension) * static_cast<std::size_t>(dimension + values) * sizeof(double);
  }

  /// Evaluations of the integrand in this many cells.
  std::uint64_t evaluations(std::size_t cells, int dimension) const {
    return cells * static_cast<std::uint64_t>(points_) * static_cast<std::uint64_t>(dimension + format_count);
  }

private:
  /// Points per cell in a batch.
  std::uint64_t slots(int dimension) const {
    return static_cast<std::uint64_t>(points_) * static_cast<std::uint64_t>(1 + dimension);
  }

  /// The iteration whose random numbers the points use; no call gets that far.
  static constexpr std::uint32_t probing = 0xFFFFFFFFu;

  using Readback = Kokkos::View<std::byte*, ReadbackSpace<Space>>;
  using Cells = Kokkos::View<SubBox const*, Space, Kokkos::MemoryUnmanaged>;
  using Results = Kokkos::View<Probed*, ReadbackSpace<Space>, Kokkos::MemoryUnmanaged>;

  int points_;
  std::uint64_t seed_;
  Buffer<Space> cells_{"kubature::precision_selection::cells"};
  Readback results_;
};

} // namespace kubature::detail

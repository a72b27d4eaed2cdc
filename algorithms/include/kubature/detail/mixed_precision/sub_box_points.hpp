#pragma once

#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/mixed_precision/cell.hpp>
#include <kubature/detail/mixed_precision/terms_in_formats.hpp>
#include <kubature/detail/sampling/independent_points.hpp>
#include <kubature/detail/sampling/samples.hpp>
#include <kubature/integrand.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace kubature::detail {

/// The source of mixed precision: points in cells, which are parts of the box with their own chunks. All terms of a
/// sample share its point, which is drawn in fp64 if any term is in fp64, otherwise in fp32, and rounded for the terms.
template <class Space, Mix mix, class Lowest, int D, int W>
struct SubBoxPoints : IndependentPoints<std::conditional_t<mix == Mix::singles, float, double>, double, D, W> {
  using Base = IndependentPoints<std::conditional_t<mix == Mix::singles, float, double>, double, D, W>;
  using typename Base::Lanes, typename Base::Points, typename Base::Sample;
  static constexpr bool channels = false; ///< cells are boxes along the axes

  Kokkos::View<Cell const*, Space, Kokkos::MemoryUnmanaged> cells; ///< of this launch, by their chunks
  Inside<float, D> singles;
  Inside<Lowest, D> lowest;

  /// The cell that a team works on, and its corner and sides in the box.
  struct Table {
    Cell const& cell;
    Point<Sample, D> origin, extent;
  };

  template <class Member>
  KOKKOS_FUNCTION Table open(Member const&, std::uint64_t chunk) const {
    Table table{cells(find(static_cast<int>(chunk))), {}, {}};
    auto const& box = table.cell.box;
    for (int i = 0; i < (D == dynamic ? Base::dimension : D); ++i) {
      table.origin[i] = Base::transform.place(i, box.origin[i]);
      table.extent[i] = Base::transform.stretch(i, box.length[i]);
      // Rounding may put a cell's last point beyond the box's.
      if (Sample const end = Base::transform.place(i, box.origin[i] + box.length[i]);
          table.origin[i] + table.extent[i] > end)
        table.extent[i] = (end - table.origin[i]) * (1 - 2 * Kokkos::Experimental::epsilon_v<Sample>);
    }
    return table;
  }
  /// Several components are evaluated together, in fp64.
  template <class F>
  KOKKOS_FUNCTION decltype(auto) integrand(F const& f, Table const& table) const {
    if constexpr (ValueTraits<IntegrandValue<F, Sample, D>>::components > 1)
      return (f);
    else
      return TermsInFormats<mix, Lowest, F, D>{f, table.cell, singles, lowest};
  }
  KOKKOS_FUNCTION static Lanes start(Table const& table, Partition const&, std::uint64_t segment) {
    auto const first = static_cast<std::uint64_t>(table.cell.first_team) * Tuning<Space>::segments;
    return Lanes(segment - first, table.cell.length, table.cell.samples);
  }
  KOKKOS_FUNCTION void draw(Lanes const& at, Table const& table, Points& to) const {
    if constexpr (Base::vectors)
      if (Base::by_vectors) {
        auto origin = table.origin, extent = table.extent;
        return this->draw_by_vectors(at, table.cell.first, &origin[0], &extent[0], to);
      }
    Base::draw_by(at, table.cell.first, [&](int i, Sample u) { return table.origin[i] + table.extent[i] * u; }, to);
  }
  /// See place_drawn(); infinite sides need points in fp64.
  template <bool channels>
  KOKKOS_FUNCTION void place_in_box(Points& to) const {
    if constexpr (mix != Mix::singles)
      Base::template place_in_box<channels>(to);
  }

  /// For components known at run time: a segment of n samples adds its part of its cell, with the variance of its
  /// own mean.
  static constexpr bool stratified = true;
  KOKKOS_FUNCTION static PartOfStratum extent(Table const& table, std::uint64_t n) {
    return {n, table.cell.share * static_cast<double>(n) / static_cast<double>(table.cell.samples), true};
  }

private:
  KOKKOS_FUNCTION int find(int chunk) const {
    int low = 0, high = static_cast<int>(cells.extent(0));
    while (high - low > 1) {
      int const middle = (low + high) / 2;
      (cells(middle).first_team <= chunk ? low : high) = middle;
    }
    return low;
  }
};

} // namespace kubature::detail

#pragma once

#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/sampling/independent_points.hpp>

#include <cstdint>

namespace kubature::detail {

/// The source of plain Monte Carlo: points in all of the box.
template <class P, int D, int W>
struct UniformPoints : IndependentPoints<typename P::sample_type, typename P::accumulate_type, D, W> {
  using Base = IndependentPoints<typename P::sample_type, typename P::accumulate_type, D, W>;
  using typename Base::Lanes, typename Base::Points, typename Base::Sample;
  struct Table {};

  template <class Member>
  KOKKOS_FUNCTION static Table open(Member const&, std::uint64_t) {
    return {};
  }
  template <class F>
  KOKKOS_FUNCTION static F const& integrand(F const& f, Table const&) {
    return f;
  }
  KOKKOS_FUNCTION static Lanes start(Table const&, Partition const& chunks, std::uint64_t segment) {
    return Lanes(segment, chunks.length, chunks.items);
  }
  KOKKOS_FUNCTION void draw(Lanes const& at, Table const&, Points& to) const {
    if constexpr (Base::vectors)
      if (Base::by_vectors)
        return Base::draw_by_vectors(at, 0, Base::transform.origins(), Base::transform.lengths(), to);
    Base::draw_by(at, 0, [&](int i, Sample u) { return Base::transform.place(i, u); }, to);
  }
  /// The same on a host, with each coordinate of all lanes side by side.
  /// @returns false if draw() has to do it
  KOKKOS_FUNCTION bool draw_columns(Lanes const& at, Table const&, double (*x)[W], Points& besides) const
    requires(Base::vectors)
  {
    if (!Base::by_vectors || Base::transform.maps())
      return false;
    Base::draw_by_vectors(at, 0, Base::transform.origins(), Base::transform.lengths(), x[0], 1, W, besides.jacobian);
    return true;
  }
};

} // namespace kubature::detail

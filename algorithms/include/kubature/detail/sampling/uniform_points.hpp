#pragma once

#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/sampling/drawn_lanes.hpp>
#include <kubature/detail/sampling/independent_points.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace kubature::detail {

/// The source of plain Monte Carlo: points in all of the box.
template <class P, int D, int W>
struct UniformPoints : IndependentPoints<typename P::sample_type, typename P::accumulate_type, D, W> {
  using Base = IndependentPoints<typename P::sample_type, typename P::accumulate_type, D, W>;
  using typename Base::Lanes, typename Base::Points, typename Base::Sample;
  struct Table {};
  /// Whether a host may use vectorised functions, and which; nullptr: the code as compiled.
  static constexpr bool vectors = W == DrawnLanes::lanes && !many_variables<D> && std::is_same_v<Sample, double> &&
                                  std::is_same_v<typename P::accumulate_type, double>;
  struct AsCompiled {};
  using Functions = std::conditional_t<vectors, LaneFunctions const*, AsCompiled>;
  Functions by_vectors = best();

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
  KOKKOS_FUNCTION static LaneBits bits(Lanes const& at, std::uint64_t)
    requires(vectors)
  {
    std::uint32_t const live = at.active < W ? (std::uint32_t{1} << at.active) - 1 : LaneBits::all;
    return {live, at.k == 0 ? live : 0};
  }
  KOKKOS_FUNCTION void draw(Lanes const& at, Table const&, Points& to) const {
    if constexpr (vectors)
      if (by_vectors)
        return draw_by_vectors(at, to);
    Base::draw_by(at, 0, [&](int i, Sample u) { return Base::transform.place(i, u); }, to);
  }

private:
  static Functions best() {
    if constexpr (vectors)
      return lane_functions();
    else
      return {};
  }

  KOKKOS_FUNCTION void draw_by_vectors(Lanes const& at, Points& to) const
    requires(vectors)
  {
    std::uint64_t sample[W];
    for (int w = 0; w < W; ++w) {
      sample[w] = at.begin[w] + at.k;
      to.jacobian[w] = Base::volume;
    }
    auto const& transform = Base::transform;
    int const d = is_dynamic<D> ? Base::dimension : D;
    by_vectors->draw_uniform({Base::stream, sample, transform.origins(), transform.lengths(), d, &to.x[0][0],
                              sizeof(to.x[0]) / sizeof(double)});
    if constexpr (D == dynamic)
      for (int w = 0; w < W; ++w)
        to.x[w].set_size(d);
    if (transform.maps())
      for (int w = 0; w < W; ++w)
        to.jacobian[w] *= transform.template map<double>(to.x[w]);
  }
};

} // namespace kubature::detail

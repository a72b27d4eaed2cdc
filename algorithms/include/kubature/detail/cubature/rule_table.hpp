#pragma once

#include <kubature/cubature_rule.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>

namespace kubature::detail {

/// A rule as kernels read it.
/// @tparam Sample type of the coordinates, Acc of the weights
template <class Sample, class Acc>
struct RuleView {
  static constexpr int most_orbits = 14;

  /// Weights and error norms of an orbit.
  struct Orbit {
    Acc weight[CubatureRule::rules];
    Acc scale[CubatureRule::null_rules - 1];
    Acc norm[CubatureRule::null_rules - 1];
  };

  Orbit const* orbits;
  int orbit_count;
  /// Offsets from the centre of one point of each pair, in units of the sides, [coordinate][pair]. First the pairs of
  /// orbits 1 and 2, which lie on the axes, axis by axis; then orbit by orbit. If the last orbit is the corners, its
  /// points are not listed.
  Sample const* offsets;
  int pairs;
  Kokkos::Array<int, most_orbits + 1> first_pair;
  bool corners;
  Sample corner;
  /// The distance between the outermost points and a region's faces, in units of the side.
  Sample gap;
  /// CubatureRule::rounding().
  double rounding;
  /// The square of the ratio of the generators of orbits 2 and 1, for the fourth difference.
  Acc ratio;
  Acc trust, shrink, stretch;
  Acc stretch_of_mean; ///< CubatureRule::stretch_of_mean()

  struct NullRuleError {
    Acc error, least; ///< the error, and what it may be lowered to (lowered_error)
  };

  /// The error of a region of unit volume by CubatureRule::error_coefficients(). If a parent checks it and the null
  /// rules do not fall off fast, the largest of them is too pessimistic, and its geometric mean with that of the
  /// highest degree suffices. Where bisections show that this is too pessimistic as well, the latter alone suffices
  /// (docs/cubature.md).
  /// @param e       E_1, E_2 and E_3
  /// @param caution factor of a trusted error; more than 1 if there is no parent
  KOKKOS_FUNCTION NullRuleError error(Acc const (&e)[CubatureRule::null_rules - 1], Acc caution) const {
    if (trust * e[0] <= e[1] && trust * e[1] <= e[2])
      return {shrink * caution * e[0], shrink * caution * e[0]};
    Acc const largest = e[0] > e[1] ? (e[0] > e[2] ? e[0] : e[2]) : (e[1] > e[2] ? e[1] : e[2]);
    Acc const mean = stretch_of_mean * Kokkos::sqrt(e[0]) * Kokkos::sqrt(largest); // their product may overflow
    if (caution > 1 || stretch * largest < mean)
      return {stretch * largest, stretch * largest};
    return {mean, stretch_of_mean * e[0]};
  }
};

/// A rule in device memory: at the beginning of the workspace, where it may already be from an earlier call, or in
/// memory of its own if it is large.
template <class Space>
class RuleTable {
public:
  /// @returns the rule; `used` becomes the number of bytes that it takes of the workspace
  template <class Sample, class Acc>
  RuleView<Sample, Acc> view(Space const& exec, CubatureRule const& rule, Workspace<Space> const& workspace,
                             std::size_t& used) {
    using View = RuleView<Sample, Acc>;
    using Orbit = typename View::Orbit;
    auto const& orbits = rule.orbits();
    View view{};
    view.orbit_count = static_cast<int>(orbits.size());
    view.corners = rule.dimension() > 1 && (rule.name() == Rule::degree_7 || rule.name() == Rule::degree_9);
    int pairs = 0;
    for (int o = 0; o < view.orbit_count; ++o) {
      view.first_pair[o] = pairs;
      if (o > 0 && !(view.corners && o + 1 == view.orbit_count))
        pairs += static_cast<int>(orbits[static_cast<std::size_t>(o)].points / 2);
    }
    view.first_pair[view.orbit_count] = view.pairs = pairs;
    auto const d = static_cast<std::size_t>(rule.dimension());
    view.corner = static_cast<Sample>(view.corners ? orbits.back().generator[0] : 0);
    view.ratio = static_cast<Acc>(square(orbits[2].generator[0] / orbits[1].generator[0]));
    double farthest = 0;
    for (auto const& orbit : orbits)
      for (double const offset : orbit.generator)
        farthest = std::max(farthest, offset);
    view.gap = static_cast<Sample>(0.5 - farthest);
    view.rounding = rule.rounding();
    view.trust = static_cast<Acc>(rule.error_coefficients()[0]);
    view.shrink = static_cast<Acc>(rule.error_coefficients()[1]);
    view.stretch = static_cast<Acc>(rule.error_coefficients()[2]);
    view.stretch_of_mean = static_cast<Acc>(rule.stretch_of_mean());

    std::size_t const orbit_bytes = orbits.size() * sizeof(Orbit);
    std::size_t const bytes = orbit_bytes + static_cast<std::size_t>(pairs) * d * sizeof(Sample);
    std::uint64_t const tag =
        ((static_cast<std::uint64_t>(rule.name()) * 64 + d) * 16 + sizeof(Sample)) * 16 + sizeof(Acc);
    bool const inside = bytes <= workspace.device().size() / 2;
    used = inside ? (bytes + 255) / 256 * 256 : 0;
    if (!inside)
      workspace.tag() = 0; // others will use that memory
    auto& there = inside ? workspace.tag() : tag_;
    auto* const memory = inside ? workspace.device().data() : data_.template as<std::byte>(exec, bytes).data();
    if (there != tag) {
      Kokkos::View<std::byte*, Kokkos::HostSpace> const host(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, "kubature::rule::host"), bytes);
      fill(rule, view, reinterpret_cast<Orbit*>(host.data()), reinterpret_cast<Sample*>(host.data() + orbit_bytes));
      Kokkos::deep_copy(exec, Kokkos::View<std::byte*, Space, Kokkos::MemoryUnmanaged>(memory, bytes), host);
      exec.fence("kubature::rule::upload");
      there = tag;
    }
    view.orbits = reinterpret_cast<Orbit const*>(memory);
    view.offsets = reinterpret_cast<Sample const*>(memory + orbit_bytes);
    return view;
  }

private:
  static double square(double x) { return x * x; }

  template <class Sample, class Acc>
  static void fill(CubatureRule const& rule, RuleView<Sample, Acc> const& view,
                   typename RuleView<Sample, Acc>::Orbit* orbits, Sample* offsets) {
    for (auto const& from : rule.orbits()) {
      auto& to = *orbits++;
      for (std::size_t r = 0; r < from.weight.size(); ++r)
        to.weight[r] = static_cast<Acc>(from.weight[r]);
      for (std::size_t r = 0; r < from.scale.size(); ++r) {
        to.scale[r] = static_cast<Acc>(from.scale[r]);
        to.norm[r] = static_cast<Acc>(from.norm[r]);
      }
    }
    auto const d = static_cast<std::size_t>(rule.dimension());
    for (int o = 1; o < view.orbit_count - (view.corners ? 1 : 0); ++o) {
      auto const points = rule.half_orbit(rule.orbits()[static_cast<std::size_t>(o)]);
      for (std::size_t k = 0; k < points.size(); ++k) {
        auto const pair =
            o <= 2 ? 2 * k + static_cast<std::size_t>(o - 1) : static_cast<std::size_t>(view.first_pair[o]) + k;
        for (std::size_t i = 0; i < d; ++i)
          offsets[i * static_cast<std::size_t>(view.pairs) + pair] = static_cast<Sample>(points[k][i]);
      }
    }
  }

  std::uint64_t tag_ = 0;
  Buffer<Space> data_{"kubature::rule::table"};
};

} // namespace kubature::detail

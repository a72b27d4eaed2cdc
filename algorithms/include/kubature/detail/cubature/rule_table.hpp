#pragma once

#include <kubature/cubature_rule.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace kubature::detail {

/// A rule as kernels read it.
/// @tparam Sample of the points' coordinates, Acc of the weights
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
  /// Orbits 1 ... axis_orbits lie on the axes.
  int axis_orbits;
  /// Offsets of one point of each pair from the centre, in units of the sides, d coordinates each: first the pairs
  /// on the axes, those of one axis together; then orbit by orbit. The last orbit may be the corners, whose points
  /// are not listed.
  Sample const* offsets;
  Kokkos::Array<int, most_orbits + 1> first_pair;
  bool corners;
  Sample corner;
  /// Of the fourth difference: the square of the ratio of the first two generators.
  Acc ratio;
  Acc trust, shrink, stretch;
};

/// A rule on the device.
template <class Space>
class RuleTable {
public:
  /// The rule for d variables; nothing is done where it is there already.
  template <class Sample, class Acc>
  RuleView<Sample, Acc> view(Space const& exec, CubatureRule const& rule) {
    using View = RuleView<Sample, Acc>;
    using Orbit = typename View::Orbit;
    auto const& orbits = rule.orbits();
    View view{};
    view.orbit_count = static_cast<int>(orbits.size());
    while (view.axis_orbits + 1 < view.orbit_count &&
           orbits[static_cast<std::size_t>(view.axis_orbits) + 1].generator.size() == 1)
      ++view.axis_orbits;
    view.corners = rule.dimension() > 1 && (rule.name() == Rule::degree_7 || rule.name() == Rule::degree_9);
    int pairs = 0;
    for (int o = 0; o < view.orbit_count; ++o) {
      view.first_pair[o] = pairs;
      if (o > 0 && !(view.corners && o + 1 == view.orbit_count))
        pairs += static_cast<int>(orbits[static_cast<std::size_t>(o)].points / 2);
    }
    view.first_pair[view.orbit_count] = pairs;
    auto const d = static_cast<std::size_t>(rule.dimension());
    view.corner = static_cast<Sample>(view.corners ? orbits.back().generator[0] : 0);
    view.ratio = view.axis_orbits < 2 ? Acc(0) : square(orbits[2].generator[0] / orbits[1].generator[0]);
    view.trust = static_cast<Acc>(rule.error_coefficients()[0]);
    view.shrink = static_cast<Acc>(rule.error_coefficients()[1]);
    view.stretch = static_cast<Acc>(rule.error_coefficients()[2]);

    std::size_t const orbit_bytes = orbits.size() * sizeof(Orbit);
    std::size_t const bytes = orbit_bytes + static_cast<std::size_t>(pairs) * d * sizeof(Sample);
    Key const key{rule.name(), rule.dimension(), sizeof(Sample), sizeof(Acc)};
    if (key != key_) {
      data_ = Data(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "kubature::rule::table"), bytes);
      auto const host = Kokkos::create_mirror_view(Kokkos::HostSpace(), data_);
      fill(rule, view, reinterpret_cast<Orbit*>(host.data()), reinterpret_cast<Sample*>(host.data() + orbit_bytes));
      Kokkos::deep_copy(exec, data_, host);
      exec.fence("kubature::rule::upload");
      key_ = key;
    }
    view.orbits = reinterpret_cast<Orbit const*>(data_.data());
    view.offsets = reinterpret_cast<Sample const*>(data_.data() + orbit_bytes);
    return view;
  }

private:
  using Data = Kokkos::View<std::byte*, typename Space::memory_space>;
  struct Key {
    Rule rule = Rule::automatic;
    int dimension = 0;
    std::size_t sample = 0, acc = 0;
    bool operator==(Key const&) const = default;
  };

  static double square(double x) { return x * x; }

  template <class View, class Orbit, class Sample>
  static void fill(CubatureRule const& rule, View const& view, Orbit* orbits, Sample* offsets) {
    for (auto const& from : rule.orbits()) {
      Orbit& to = *orbits++;
      for (std::size_t r = 0; r < from.weight.size(); ++r)
        to.weight[r] = from.weight[r];
      for (std::size_t r = 0; r < from.scale.size(); ++r) {
        to.scale[r] = from.scale[r];
        to.norm[r] = from.norm[r];
      }
    }
    auto const d = static_cast<std::size_t>(rule.dimension());
    for (int o = 1; o < view.orbit_count - (view.corners ? 1 : 0); ++o) {
      auto const points = rule.half_orbit(rule.orbits()[static_cast<std::size_t>(o)]);
      for (std::size_t k = 0; k < points.size(); ++k) {
        auto const pair = o <= view.axis_orbits ? k * static_cast<std::size_t>(view.axis_orbits) +
                                                      static_cast<std::size_t>(o - 1)
                                                : static_cast<std::size_t>(view.first_pair[o]) + k;
        for (std::size_t i = 0; i < d; ++i)
          offsets[pair * d + i] = static_cast<Sample>(points[k][i]);
      }
    }
  }

  Key key_;
  Data data_;
};

} // namespace kubature::detail

#include <kubature/detail/cubature/rule_table.hpp>
#include <kubature/detail/spaces.hpp>

#include <algorithm>

namespace kubature::detail {
namespace {

double squared(double x) { return x * x; }

template <class Sample, class Acc>
void fill_table(CubatureRule const& rule, RuleView<Sample, Acc> const& view,
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

} // namespace

template <class Space>
template <class Sample, class Acc>
RuleView<Sample, Acc> RuleTable<Space>::view(Space const& exec, CubatureRule const& rule,
                                             Workspace<Space> const& workspace, std::size_t& used) {
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
  view.ratio = static_cast<Acc>(squared(orbits[2].generator[0] / orbits[1].generator[0]));
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
    workspace.tag() = 0; // other calls will use that memory
  auto& there = inside ? workspace.tag() : tag_;
  auto* const memory = inside ? workspace.device().data() : data_.template as<std::byte>(exec, bytes).data();
  if (there != tag) {
    Kokkos::View<std::byte*, Kokkos::HostSpace> const host(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "kubature::rule::host"), bytes);
    fill_table(rule, view, reinterpret_cast<Orbit*>(host.data()), reinterpret_cast<Sample*>(host.data() + orbit_bytes));
    Kokkos::deep_copy(exec, Kokkos::View<std::byte*, Space, Kokkos::MemoryUnmanaged>(memory, bytes), host);
    exec.fence("kubature::rule::upload");
    there = tag;
  }
  view.orbits = reinterpret_cast<Orbit const*>(memory);
  view.offsets = reinterpret_cast<Sample const*>(memory + orbit_bytes);
  return view;
}

#define KUBATURE_INSTANTIATE_FOR(Space, Sample, Acc)                                                                   \
  template RuleView<Sample, Acc> RuleTable<Space>::view(Space const&, CubatureRule const&, Workspace<Space> const&,    \
                                                        std::size_t&);
#define KUBATURE_INSTANTIATE(Space)                                                                                    \
  KUBATURE_INSTANTIATE_FOR(Space, double, double)                                                                      \
  KUBATURE_INSTANTIATE_FOR(Space, double, float)                                                                       \
  KUBATURE_INSTANTIATE_FOR(Space, float, double)                                                                       \
  KUBATURE_INSTANTIATE_FOR(Space, float, float)
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE
#undef KUBATURE_INSTANTIATE_FOR

} // namespace kubature::detail

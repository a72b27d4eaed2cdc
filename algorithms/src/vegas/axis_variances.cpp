#include <kubature/detail/launch/join.hpp>
#include <kubature/detail/memory/upload.hpp>
#include <kubature/detail/spaces.hpp>
#include <kubature/detail/vegas/axis_variances.hpp>
#include <kubature/tuning.hpp>

#include <algorithm>

namespace kubature::detail {
namespace {

/// Multiplies the Jacobians of samples whose values are in memory by what trains the map.
template <class Space>
struct WeighValues {
  BatchValues<Space> values;
  Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged> weight;
  Kokkos::View<double const*, Space, Kokkos::MemoryUnmanaged> drive;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    weigh(weight(k), static_cast<int>(drive.extent(0)), drive, [&](int c) { return values(k, c); });
  }
};

/// Adds up the weights of samples in parts, one team per axis.
template <class Space>
struct SumInParts {
  using Policy = Kokkos::TeamPolicy<Space>;
  SamplesInParts<Space> samples;
  Kokkos::View<SumsInParts*, Space, Kokkos::MemoryUnmanaged> sums;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    int const axis = team.league_rank();
    SumsInParts sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, static_cast<std::int64_t>(samples.jacobian.extent(0))),
        [&](std::int64_t slot, SumsInParts& partial) {
          double const weight = samples.jacobian(slot);
          for (int k = 0; k < axis_parts; ++k)
            if (samples.part(slot, axis) == k) {
              partial.sum[k] += weight;
              partial.squares[k] += weight * weight;
            }
        },
        Join<SumsInParts>(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { sums(axis) = sum; });
  }
};

} // namespace

VarianceAlong::VarianceAlong(SumsInParts const& sums, double samples) {
  double whole = 0, all = 0;
  for (double const sum : sums.sum)
    whole += sum / samples;
  for (int k = 0; k < axis_parts; ++k) {
    double const part = sums.sum[k] / samples, away = part - whole / axis_parts;
    all += away * away;
    noise += std::max(0.0, sums.squares[k] / samples - part * part) / samples;
  }
  noise *= axis_parts;
  variance = std::max(0.0, all * axis_parts - noise);
}

template <class Space>
void AxisVariances<Space>::weigh_values(Space const& exec, BatchValues<Space> const& values,
                                        SamplesInParts<Space> const& kept, ComponentWeights const& drive) {
  auto const weights = drive_.template as<double>(exec, drive.values().size());
  upload(exec, weights, drive.values());
  Kokkos::parallel_for("kubature::vegas::weigh",
                       Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                           exec, 0, static_cast<std::int64_t>(kept.jacobian.extent(0))),
                       WeighValues<Space>{values, kept.jacobian, weights});
}

template <class Space>
std::vector<double> AxisVariances<Space>::along_axes(Space const& exec, SamplesInParts<Space> const& kept,
                                                     double samples) {
  auto const axes = static_cast<std::size_t>(kept.part.extent(1));
  auto const sums = sums_.template as<SumsInParts>(exec, axes);
  Kokkos::parallel_for("kubature::vegas::sum_in_parts",
                       Kokkos::TeamPolicy<Space>(exec, static_cast<int>(axes), Tuning<Space>::reduction_team),
                       SumInParts<Space>{kept, sums});
  std::vector<SumsInParts> on_host(axes);
  Kokkos::deep_copy(exec, Kokkos::View<SumsInParts*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(on_host.data(), axes),
                    sums);
  exec.fence("kubature::vegas::read_parts");
  std::vector<double> variances;
  clear_ = false;
  for (auto const& of_axis : on_host) {
    VarianceAlong const along(of_axis, samples);
    variances.push_back(along.variance);
    clear_ = clear_ || along.clear();
  }
  return variances;
}

#define KUBATURE_INSTANTIATE(Space) template class AxisVariances<Space>;
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail

#include <kubature/detail/peaks/peak_engine.hpp>

#include "peaks/launch.hpp"

#include <kubature/backend.hpp>
#include <kubature/detail/memory/upload.hpp>
#include <kubature/detail/policies/peaks_policy.hpp>
#include <kubature/detail/spaces.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kubature::detail {
namespace {

template <class Space>
struct ReadHeights {
  ValuesOfSearch of;
  typename PeakEngine<Space>::Numbers values, heights;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const { heights(k) = of.height(values, k); }
};

template <class Space>
struct DrawPoints {
  Candidates points;
  std::uint64_t first;
  typename PeakEngine<Space>::Numbers at; ///< [point][axis]

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    points.draw(first + k, at.data() + k * static_cast<unsigned>(points.dimension));
  }
};

template <class Space>
struct CompareWithModes {
  using Numbers = typename PeakEngine<Space>::Numbers;

  int dimension;
  ValuesOfSearch of;
  Numbers modes, at, values; ///< see Modes::gaussians(); [point][axis]; [point][component]
  Numbers excess;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    double const* const x = at.data() + k * static_cast<unsigned>(dimension);
    double explained = -Kokkos::Experimental::infinity_v<double>;
    for (double const *mode = modes.data(), *const end = mode + modes.size(); mode < end;) {
      double const height = *mode++, *const centre = mode, *precision = mode + dimension;
      double square = 0;
      for (int i = 0; i < dimension; ++i) {
        double row = 0;
        for (int j = 0; j <= i; ++j)
          row += *precision++ * (x[j] - centre[j]);
        square += row * (x[i] - centre[i]);
      }
      explained = Kokkos::max(explained, height - square / 2);
      mode = precision;
    }
    excess(k) = of.height(values, k) - (modes.size() > 0 ? explained : 0);
  }
};

/// Chains that have tried no point.
template <class Space>
struct BeginChains {
  using Numbers = typename PeakEngine<Space>::Numbers;

  Numbers height, size, inside; ///< see ClimbStep
  double first_step;

  KOKKOS_FUNCTION void operator()(std::uint64_t chain) const {
    height(chain) = -Kokkos::Experimental::infinity_v<double>;
    size(chain) = first_step;
    inside(chain) = 1;
  }
};

/// A step of all chains: reads the values of the points that they have tried, and tries others.
template <class Space>
struct ClimbStep {
  using Numbers = typename PeakEngine<Space>::Numbers;

  int dimension;
  ValuesOfSearch of;
  double longer, shorter, longest; ///< PeaksPolicy
  Kokkos::Array<std::uint32_t, 2> key;
  std::uint64_t step; ///< those that have been tried
  bool last;
  Numbers at, tried;            ///< [chain][axis]; a chain outside the cube tries its own place
  Numbers height, size, inside; ///< [chain]; size is the standard deviation of a step
  Numbers values;               ///< [chain][component]

  KOKKOS_FUNCTION void operator()(std::uint64_t chain) const {
    accept(chain);
    if (!last)
      propose(chain);
  }

private:
  KOKKOS_FUNCTION std::uint64_t index(std::uint64_t chain, int axis) const {
    return chain * static_cast<unsigned>(dimension) + static_cast<unsigned>(axis);
  }
  KOKKOS_FUNCTION void accept(std::uint64_t chain) const {
    double const found = of.height(values, chain);
    bool const lost = Kokkos::isinf(height(chain));
    bool const better = inside(chain) > 0 && found > height(chain);
    if (!lost)
      size(chain) = Kokkos::min(longest, size(chain) * (better ? longer : shorter));
    if (!better)
      return;
    height(chain) = found;
    for (int i = 0; i < dimension; ++i)
      at(index(chain, i)) = tried(index(chain, i));
  }
  KOKKOS_FUNCTION void propose(std::uint64_t chain) const {
    bool const anew = Kokkos::isinf(height(chain));
    bool within = true;
    for (int i = 0; i < dimension; i += 2) {
      auto const words = philox({static_cast<std::uint32_t>(chain), static_cast<std::uint32_t>(chain >> 32),
                                 static_cast<std::uint32_t>(step + 1), static_cast<std::uint32_t>(i)},
                                key);
      // Two normal numbers of Box and Muller, or two uniform ones.
      double const radius = Kokkos::sqrt(-2 * Kokkos::log(uniform<double>(words[0])));
      double const angle = 2 * Kokkos::numbers::pi * uniform<double>(words[1]);
      for (int k = 0; k < 2 && i + k < dimension; ++k) {
        double const normal = radius * (k == 0 ? Kokkos::cos(angle) : Kokkos::sin(angle));
        double const t = anew ? uniform<double>(words[2 + k]) : at(index(chain, i + k)) + size(chain) * normal;
        tried(index(chain, i + k)) = t;
        within = within && t > 0 && t < 1;
      }
    }
    inside(chain) = within ? 1 : 0;
    for (int i = 0; i < dimension && !within; ++i)
      tried(index(chain, i)) = at(index(chain, i));
  }
};

template <class Space>
std::vector<double> on_host(Space const& exec, typename PeakEngine<Space>::Numbers const& from) {
  std::vector<double> to(from.size());
  download(exec, from, to.data());
  return to;
}

} // namespace

template <class Space>
typename PeakEngine<Space>::Numbers PeakEngine<Space>::part(std::size_t count) {
  return Numbers(std::exchange(next_, next_ + count), count);
}

template <class Space>
std::vector<double> PeakEngine<Space>::heights(std::vector<double> const& points) {
  auto const n = points.size() / static_cast<std::size_t>(dimension_), c = std::size_t{values_.count()};
  if (n == 0)
    return {};
  next_ = memory_.template as<double>(exec_, points.size() + n * (c + 1)).data();
  auto const at = part(points.size()), values = part(n * c), found = part(n);
  upload(exec_, at, points);
  evaluate_(at, values);
  launch(exec_, "kubature::peaks::heights", n, ReadHeights<Space>{values_, values, found});
  return on_host(exec_, found);
}

template <class Space>
std::vector<double> PeakEngine<Space>::excess(Candidates const& points, std::uint64_t count,
                                              std::vector<double> const& modes) {
  constexpr std::uint64_t at_once = on_device_of_its_own<Space> ? 1 << 20 : 1 << 14; // hosts: within the caches
  auto const d = static_cast<std::size_t>(dimension_), c = std::size_t{values_.count()};
  std::vector<double> result(count);
  next_ = memory_.template as<double>(exec_, modes.size() + std::min(at_once, count) * (d + c + 1)).data();
  auto const gaussians = part(modes.size());
  upload(exec_, gaussians, modes);
  double* const begin = next_;
  for (std::uint64_t first = 0; first < count; first += at_once) {
    auto const n = std::min(at_once, count - first);
    next_ = begin;
    auto const at = part(n * d), values = part(n * c), found = part(n);
    launch(exec_, "kubature::peaks::draw", n, DrawPoints<Space>{points, first, at});
    evaluate_(at, values);
    launch(exec_, "kubature::peaks::compare", n,
           CompareWithModes<Space>{dimension_, values_, gaussians, at, values, found});
    download(exec_, found, result.data() + first);
  }
  return result;
}

template <class Space>
EndsOfAscents PeakEngine<Space>::ascend(std::vector<double> const& starts, std::uint64_t steps, std::uint64_t seed) {
  if (starts.empty())
    return {dimension_, {}, {}};
  auto const& by = policy<PeaksPolicy>();
  auto const n = starts.size() / static_cast<std::size_t>(dimension_), c = std::size_t{values_.count()};
  next_ = memory_.template as<double>(exec_, 2 * starts.size() + n * (3 + c)).data();
  auto const at = part(starts.size()), tried = part(starts.size()), height = part(n), size = part(n), inside = part(n);
  ClimbStep<Space> step{.dimension = dimension_,
                        .of = values_,
                        .longer = by.longer,
                        .shorter = by.shorter,
                        .longest = by.longest,
                        .key = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
                        .step = 0,
                        .last = false,
                        .at = at,
                        .tried = tried,
                        .height = height,
                        .size = size,
                        .inside = inside,
                        .values = part(n * c)};
  upload(exec_, tried, starts);
  launch(exec_, "kubature::peaks::begin", n, BeginChains<Space>{height, size, inside, by.first_step});
  for (; step.step < steps; ++step.step) {
    step.last = step.step + 1 == steps;
    evaluate_(tried, step.values);
    launch(exec_, "kubature::peaks::step", n, step);
  }
  return {dimension_, on_host(exec_, at), on_host(exec_, height)};
}

#define KUBATURE_INSTANTIATE(Space) template class PeakEngine<Space>;
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail

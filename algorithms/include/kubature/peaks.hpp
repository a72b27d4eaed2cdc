#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/audit/point_values.hpp>
#include <kubature/detail/call/solver.hpp>
#include <kubature/detail/peaks/ascents.hpp>
#include <kubature/detail/peaks/modes.hpp>
#include <kubature/detail/policies/peaks_policy.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <source_location>
#include <utility>
#include <vector>

namespace kubature {

/// A local maximum of |f| in a box.
struct Peak {
  std::vector<double> at;         ///< where, in the coordinates of the box
  double log_height;              ///< log |f| there
  std::vector<double> covariance; ///< d x d numbers, by rows: of the Gaussian with the curvature of log |f| there
};

/// How find_peaks() searches.
struct PeakOptions {
  /// Evaluations of the ascents, at least 1000. Telling modes apart takes up to as many again.
  std::uint64_t evaluations = 1'200'000;
  std::uint64_t seed = 0; ///< of the random numbers
};

namespace detail {

/// Modes of the unit cube as peaks of the box.
std::vector<kubature::Peak> peaks_in_box(std::vector<Mode> const& modes, Box<dynamic_many> const& box);

/// Kernels and memory of a search.
template <class Space>
class PeakEngine {
public:
  /// The last points of `chains` ascents of `steps` steps each.
  template <class F, int D>
  EndsOfAscents ascend(Space const& exec, F const& f, Box<D> const& box, std::uint64_t chains, std::uint64_t steps,
                       std::uint64_t seed) {
    using Kernel = Ascend<Space, InKernels<F, Space>, D>;
    using Numbers = typename Kernel::Numbers;
    auto const& by = policy<PeaksPolicy>();
    int const d = box.dimension();
    std::size_t const of_points = chains * static_cast<std::size_t>(d);
    std::size_t const stored = is_batched<F> ? of_points + chains * Kernel::components : 0;
    auto const memory = memory_.template as<double>(exec, of_points + 2 * chains + stored);
    auto* next = memory.data();
    auto const numbers = [&](std::size_t count) { return Numbers(std::exchange(next, next + count), count); };
    Kernel kernel{.f = in_kernels<Space>(f),
                  .transform = Transform<double, D>(box, CoordinateFormat::of<double>()),
                  .dimension = d,
                  .sizes = {by.first_step, by.longer, by.shorter, by.longest},
                  .key = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
                  .chains = chains,
                  .begin = 0,
                  .end = steps,
                  .at = numbers(of_points),
                  .height = numbers(chains),
                  .size = numbers(chains),
                  .points = {},
                  .values = {}};
    if constexpr (is_batched<F>) {
      kernel.points = StoredPoints<Space>(next, chains, d);
      kernel.values = BatchValues<Space>(next + of_points, chains, Kernel::components);
      for (std::uint64_t step = 0; step < steps; ++step) {
        kernel.begin = step;
        launch(exec, typename Kernel::Propose(), chains, kernel);
        f.f(exec, BatchPoints<Space>(kernel.points), kernel.values);
        launch(exec, typename Kernel::Accept(), chains, kernel);
      }
    } else {
      launch(exec, typename Kernel::Climb(), (chains + Kernel::lanes - 1) / Kernel::lanes, kernel);
    }
    return read(exec, kernel.at, kernel.height, d);
  }

  /// log |f| at points of the unit cube.
  template <class F, int D>
  std::vector<double> heights(Space const& exec, F const& f, Box<D> const& box, std::vector<double> const& points) {
    auto const values = values_.template operator()<Fp64>(exec, f, box, points);
    std::size_t const n = points.size() / static_cast<std::size_t>(box.dimension());
    std::size_t const components = n == 0 ? 1 : values.size() / n;
    std::vector<double> result(n);
    Transform<double, D> const transform(box, CoordinateFormat::of<double>());
    Point<double, D> x;
    x.set_size(box.dimension());
    for (std::size_t k = 0; k < n; ++k) {
      double sum = 0, jacobian = transform.volume(); // by which the values are multiplied
      for (int i = 0; i < box.dimension(); ++i)
        x[i] = transform.place(i, points[k * static_cast<std::size_t>(box.dimension()) + static_cast<std::size_t>(i)]);
      if (transform.infinite())
        jacobian *= transform.template map_infinite<double>(x);
      for (std::size_t c = 0; c < components; ++c)
        sum += std::abs(values[k * components + c]);
      result[k] = std::isfinite(sum) ? std::log(sum) - std::log(jacobian) : -std::numeric_limits<double>::infinity();
    }
    return result;
  }

private:
  template <class Tag, class Kernel>
  static void launch(Space const& exec, Tag, std::uint64_t items, Kernel const& kernel) {
    Kokkos::parallel_for("kubature::peaks::ascend",
                         as_argument(Kokkos::RangePolicy<Space, Tag, Kokkos::IndexType<std::uint64_t>>(exec, 0, items)),
                         kernel);
  }

  template <class Numbers>
  static EndsOfAscents read(Space const& exec, Numbers const& at, Numbers const& height, int d) {
    auto const on_host = [&](Numbers const& from) {
      std::vector<double> to(from.size());
      Kokkos::deep_copy(exec, Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(to.data(), to.size()),
                        from);
      return to;
    };
    auto const by_axis = on_host(at);
    EndsOfAscents ends{d, std::vector<double>(by_axis.size()), on_host(height)};
    exec.fence("kubature::peaks::ascend");
    std::size_t const chains = ends.height.size(), axes = static_cast<std::size_t>(d);
    for (std::size_t k = 0; k < chains; ++k)
      for (std::size_t i = 0; i < axes; ++i)
        ends.at[k * axes + i] = by_axis[i * chains + k];
    return ends;
  }

  Buffer<Space> memory_{"kubature::peaks::chains"};
  PointValues<Space> values_;
};

} // namespace detail

/// Searches for the peaks of |f| in a box, derivative-free: many ascents at once from uniform points, whose ends are
/// joined if |f| has no dip between them. Unlike uniform points, ascents find peaks of a width far below the distance
/// of points, since a Gaussian has a slope out to 37 standard deviations. The same on any number of threads.
///
/// @param integrand as for integrate(): a function object, an Expression, or a function of batches; |f| is the sum of
/// the
///                  magnitudes of its components
/// @param box       of 1 to 20 sides
/// @returns the peaks, the highest first. Of a plateau it returns a point.
/// Throws InvalidArgument for fewer than 1000 evaluations.
template <class Space, class F, int D>
  requires Kokkos::is_execution_space_v<Space>
std::vector<Peak> find_peaks(Space const& exec, F const& integrand, Box<D> const& box, PeakOptions search = {},
                             std::source_location where = std::source_location::current()) {
  require(search.evaluations >= 1000, "evaluations", search.evaluations, "a search takes at least 1000", where);
  auto const f = detail::on_device<Fp64, D, true>(exec, integrand, box, where);
  auto const steps = detail::policy<detail::PeaksPolicy>().steps;
  detail::PeakEngine<Space> engine;
  auto const ends = engine.ascend(exec, f, box, search.evaluations / steps + 1, steps, search.seed);
  auto const modes =
      detail::find_modes(ends, [&](std::vector<double> const& points) { return engine.heights(exec, f, box, points); });
  return detail::peaks_in_box(modes, box);
}

/// As above, on the default execution space.
template <class F, int D>
std::vector<Peak> find_peaks(F const& integrand, Box<D> const& box, PeakOptions search = {},
                             std::source_location where = std::source_location::current()) {
  detail::check_kokkos(where);
  return find_peaks(Kokkos::DefaultExecutionSpace(), integrand, box, search, where);
}

} // namespace kubature

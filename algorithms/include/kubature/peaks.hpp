#pragma once

#include <kubature/batched.hpp>
#include <kubature/box.hpp>
#include <kubature/detail/audit/point_values.hpp>
#include <kubature/detail/call/solver.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/peaks/modes.hpp>
#include <kubature/detail/peaks/peak_engine.hpp>
#include <kubature/detail/peaks/peak_search.hpp>
#include <kubature/detail/policies/peaks_policy.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <source_location>
#include <type_traits>
#include <vector>

namespace kubature {

/// A local maximum of |f| in a box.
struct Peak {
  std::vector<double> at;         ///< where, in the coordinates of the box
  double log_height;              ///< log |f| there
  std::vector<double> covariance; ///< d x d numbers, by rows: of the Gaussian with the curvature of log |f| there
};

/// The logarithm of Laplace's estimate of a peak's integral, that of the Gaussian with its height and covariance S over
/// all of space: log_height + (d log(2 pi) + log det S) / 2.
double log_integral(Peak const& peak);

/// How find_peaks() searches.
struct PeakOptions {
  /// Evaluations of the ascents, at least 1000. Telling modes apart takes up to as many again.
  std::uint64_t evaluations = 1'200'000;
  std::uint64_t seed = 0; ///< of the random numbers
};

namespace detail {

/// Modes of the unit cube as peaks of the box.
std::vector<kubature::Peak> peaks_in_box(std::vector<Mode> const& modes, Box<dynamic_many> const& box);

/// The coordinate of the unit cube that a side is mapped from at x.
double place_in_cube(Side const& side, double x);

/// The memory of a search, and of an integrand of batches.
template <class Space>
struct SearchMemory {
  PointValues<Space> values;
  SearchBuffers<Space> search;
  HostThreads<Space> threads;

  explicit SearchMemory(Space const& exec) : threads(exec) {}
};

/// An integrand in its device form, as a search evaluates it.
/// @param components see PeakEngine
template <class Space, class F, int D>
PeakEngine<Space> peak_engine(F const& f, Box<D> const& box, int components, SearchMemory<Space>& memory) {
  return PeakEngine<Space>(
      memory.threads,
      [&f, &box, &memory, steps = std::array<TimedWork, 3>()](SearchPass<Space> const& pass) mutable {
        if constexpr (is_batched<F>) {
          auto const& exec = memory.threads.all();
          run_in_turns(exec, pass, [&] {
            memory.values.template evaluate<Fp64>(memory.threads, steps[0], f, box, pass.at, pass.values, Weight::none);
          });
        } else {
          auto const evaluation = PointValues<Space>::template kernel<Fp64>(f, box, pass.at, pass.values, Weight::none);
          constexpr std::uint64_t lanes = evaluation.lanes;
          SearchKernel<Space, std::remove_const_t<decltype(evaluation)>> const kernel{pass, evaluation};
          auto& step = steps[static_cast<std::size_t>(pass.task)];
          auto work = step.times(static_cast<double>(pass.steps));
          memory.threads.run(work, 0, (pass.count() + lanes - 1) / lanes,
                             [&](Space const& exec, std::uint64_t first, std::uint64_t count) {
                               Kokkos::parallel_for(
                                   "kubature::peaks::pass",
                                   as_argument(Kokkos::RangePolicy<Space, Kokkos::IndexType<std::uint64_t>>(
                                       exec, first, first + count)),
                                   kernel);
                             });
          step = work.times(1 / static_cast<double>(pass.steps));
        }
      },
      box.dimension(), components, memory.search);
}

/// One with the integrand's own components.
template <class Space, class F, int D>
PeakEngine<Space> peak_engine(F const& f, Box<D> const& box, SearchMemory<Space>& memory) {
  return peak_engine(f, box, ValueTraits<IntegrandValue<InKernels<F, Space>, double, D>>::components, memory);
}

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
  detail::SearchMemory<Space> memory(exec);
  auto engine = detail::peak_engine(f, box, memory);
  detail::PeakSearch peak_search(engine, box.dimension(), search.seed);
  auto const rounds = detail::policy<detail::PeaksPolicy>().rounds;
  for (std::uint64_t k = 0; k < rounds; ++k)
    peak_search.round(search.evaluations / rounds);
  return detail::peaks_in_box(peak_search.modes(), box);
}

/// As above, on the default execution space.
template <class F, int D>
std::vector<Peak> find_peaks(F const& integrand, Box<D> const& box, PeakOptions search = {},
                             std::source_location where = std::source_location::current()) {
  detail::check_kokkos(where);
  return find_peaks(Kokkos::DefaultExecutionSpace(), integrand, box, search, where);
}

} // namespace kubature

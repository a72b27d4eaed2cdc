#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/detail/adapted.hpp>
#include <kubature/detail/buffer.hpp>
#include <kubature/detail/chunks.hpp>
#include <kubature/detail/plain_monte_carlo/sample.hpp>
#include <kubature/detail/run.hpp>
#include <kubature/detail/scaling.hpp>
#include <kubature/detail/slices.hpp>
#include <kubature/detail/total.hpp>
#include <kubature/integrator.hpp>
#include <kubature/precision.hpp>

#include <algorithm>
#include <limits>

namespace kubature {

/// Plain Monte Carlo: the mean of f over independent uniform points. The baseline that other methods are compared
/// with, and the best choice for rough integrands of many variables and a modest tolerance.
template <class P = Fp64>
struct PlainMonteCarlo {
  /// Samples an iteration, at least 2.
  std::uint64_t evaluations = 1'000'000;
  /// Iterations at most; each draws new points and counts alike.
  int iterations = 10;
  std::uint64_t seed = 0;
  P precision = {};
  NonFinite non_finite = NonFinite::error;
};

/// The same options with another precision.
template <class To, class From>
PlainMonteCarlo<To> with_precision(PlainMonteCarlo<From> const& options) {
  auto const& [evaluations, iterations, seed, precision, non_finite] = options;
  return {evaluations, iterations, seed, {}, non_finite};
}

template <class P, class Space>
class Integrator<PlainMonteCarlo<P>, Space> {
public:
  explicit Integrator(Space const& exec, PlainMonteCarlo<P> const& options,
                      std::source_location where = std::source_location::current())
      : Integrator(exec, Communicator(), options, where) {}

  Integrator(Space const& exec, Communicator const& ranks, PlainMonteCarlo<P> const& options,
             std::source_location where = std::source_location::current())
      : exec_(exec), ranks_(ranks), options_(options) {
    require(options.evaluations >= 2, "PlainMonteCarlo.evaluations", options.evaluations,
            "an error estimate needs at least 2", where);
    require(options.iterations >= 1, "PlainMonteCarlo.iterations", options.iterations, "at least 1 is needed", where);
  }

  /// See kubature::integrate. Every call draws new points.
  template <class F, int D>
  auto integrate(F const& integrand, Box<D> const& box, Tolerance tolerance = {}, Limits limits = {},
                 Callback const& callback = {}, std::source_location where = std::source_location::current()) {
    return ranks_.together([&] { return compute(integrand, box, tolerance, limits, callback, where); });
  }

private:
  template <class F, int D>
  auto compute(F const& integrand, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
               std::source_location where) {
    auto const f = detail::on_device<P, D>(exec_, integrand, box.dimension(), where);
    using Kernel = detail::SampleUniform<Space, P, std::remove_const_t<decltype(f)>, D>;
    using Moments = typename Kernel::Moments;
    using Value = ResultValue<std::remove_const_t<decltype(f)>, typename P::eval_type, D>;
    Kokkos::Profiling::ScopedRegion region("kubature::plain_monte_carlo");

    detail::Run<Value> run(detail::epsilon<P>, "mc", tolerance, limits, callback, where, ranks_);
    auto const samples = std::max<std::uint64_t>(2, std::min(options_.evaluations, limits.evaluations));
    detail::Chunks const chunks(exec_, ranks_, samples, 1);
    auto const bytes = static_cast<std::size_t>(chunks.count) * sizeof(Moments);
    if (bytes > limits.bytes)
      run.give_up(Status::memory_exhausted);
    using Sample = typename P::sample_type;
    detail::Transform<Sample, D> const transform(box, 1, std::numeric_limits<Sample>::epsilon());
    detail::Scaling<typename P::accumulate_type> scaling;
    while (run.wants_more(options_.iterations, samples)) {
      auto const partials = partials_.template as<Moments>(exec_, static_cast<std::size_t>(chunks.count));
      Kernel const kernel{f,
                          transform,
                          chunks,
                          partials,
                          box.dimension(),
                          {options_.seed, iteration_},
                          options_.non_finite,
                          transform.volume() * scaling.factor()};
      if (!detail::launch_in_slices(exec_, ranks_, run, kernel, chunks))
        break;
      Moments const total = total_.join(exec_, "kubature::plain_monte_carlo::join", partials, ranks_, chunks);
      auto const iteration = total.template estimate<Value>();
      if (scaling.adjust(iteration))
        continue;
      ++iteration_;
      run.add({scaling.restored(iteration), false, total.non_finite}, options_.non_finite);
    }
    return detail::signed_by<Space>(run.finish(), options_.precision, options_.seed, ranks_);
  }

  Space exec_;
  Communicator ranks_;
  PlainMonteCarlo<P> options_;
  std::uint32_t iteration_ = 0;
  detail::Buffer<Space> partials_{"kubature::plain_monte_carlo::partials"};
  detail::Total<Space> total_{"kubature::plain_monte_carlo::total"};
};

/// With the policy `adaptive`.
template <class Space>
class Integrator<PlainMonteCarlo<Adaptive>, Space> : public detail::Adapted<PlainMonteCarlo, Space> {
public:
  explicit Integrator(Space const& exec, PlainMonteCarlo<Adaptive> const& options,
                      std::source_location where = std::source_location::current())
      : Integrator(exec, Communicator(), options, where) {}

  Integrator(Space const& exec, Communicator const& ranks, PlainMonteCarlo<Adaptive> const& options,
             std::source_location where = std::source_location::current())
      : detail::Adapted<PlainMonteCarlo, Space>(exec, ranks, options, detail::SingleBias::plain, options.seed, where) {}
};

} // namespace kubature

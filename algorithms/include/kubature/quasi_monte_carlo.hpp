#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/detail/buffer.hpp>
#include <kubature/detail/epsilon.hpp>
#include <kubature/detail/quasi_monte_carlo/doublings.hpp>
#include <kubature/detail/quasi_monte_carlo/lattice.hpp>
#include <kubature/detail/quasi_monte_carlo/qmc_points.hpp>
#include <kubature/detail/quasi_monte_carlo/shifts.hpp>
#include <kubature/detail/sampling/launch.hpp>
#include <kubature/detail/sampling/moments.hpp>
#include <kubature/detail/scaling.hpp>
#include <kubature/detail/total.hpp>
#include <kubature/integrator.hpp>
#include <kubature/precision.hpp>
#include <kubature/qmc_choices.hpp>

#include <limits>

namespace kubature {

/// Quasi-Monte Carlo: the mean of f over points that fill the box evenly, randomised several times, which says how large
/// the error is. For smooth integrands of up to 20 variables it falls like 1/N to 1/N^2 and faster, where that of random
/// samples falls like 1/sqrt(N).
template <class P = Fp64>
struct QuasiMonteCarlo {
  /// Points in all shifts: for each the nearest power of two. With a tolerance they are doubled until it is met.
  std::uint64_t evaluations = std::uint64_t{1} << 20;
  /// Independent randomisations of the points, whose estimates scatter by the error.
  int shifts = 16;
  QmcTransform transform = QmcTransform::tent;
  std::uint64_t seed = 0;
  P precision = {};
  NonFinite non_finite = NonFinite::error;
};

template <class P>
struct Described<QuasiMonteCarlo<P>> {
  using M = QuasiMonteCarlo<P>;
  static constexpr std::string_view type = "QuasiMonteCarlo", name = "qmc";
  static constexpr bool distributed = true;
  static constexpr double single_bias = detail::SingleBias::plain;
  static constexpr std::tuple options{
      option("evaluations", &M::evaluations, "Points in all shifts, doubled where a tolerance needs more",
             at_least<std::uint64_t>(2, "an error estimate needs at least 2")),
      option("shifts", &M::shifts, "Independent randomisations of the points, which give the error",
             Range<int>{2, 1024, "2 to 1024 are possible"}),
      option("transform", &M::transform, "Change of variable that makes an integrand periodic"),
      option("seed", &M::seed, "Seed of the random numbers"),
      option("non_finite", &M::non_finite, "What is done with values that are not finite", AnyValue{}, false)};
  static void check_together(M const&, std::source_location) {}
};

namespace detail {

template <class P, class Space>
class Solver<QuasiMonteCarlo<P>, Space> {
public:
  Solver(Space const& exec, Communicator const& ranks, QuasiMonteCarlo<P> const& options)
      : exec_(exec), ranks_(ranks), options_(options) {}

  /// Every call draws new shifts.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
             std::source_location where) {
    auto const f = on_device<P, D, true>(exec_, integrand, box.dimension(), where);
    using G = std::remove_const_t<decltype(f)>;
    using Eval = typename P::eval_type;
    using Acc = typename P::accumulate_type;
    using Sample = typename P::sample_type;
    using Value = ResultValue<G, Eval, D>;
    using Points = QmcPoints<P, D, lanes_for<Space, G, Eval, D>, Lattice<D>>;
    using Keep = KeepMoments<Acc, ValueTraits<Value>::components>;
    using Sums = typename Keep::Sums;
    Kokkos::Profiling::ScopedRegion region("kubature::qmc");
    check_dimension(box.dimension(), where);

    Doublings<Value, Sums> run(epsilon<P>, options_.shifts, options_.evaluations, tolerance, limits, callback, where,
                               ranks_);
    Transform<Sample, D> const transform(box, 1, std::numeric_limits<Sample>::epsilon());
    Fold<Sample> const fold(options_.transform);
    Stream const stream(options_.seed, call_++);
    Scaling<Acc> scaling;
    while (run.wants_more()) {
      ShiftPartition const cut(exec_, ranks_, options_.shifts, run.fresh_points());
      auto const count = static_cast<std::size_t>(cut.chunks.count);
      if (count * sizeof(Sums) > limits.bytes) {
        run.end_for_memory();
        break;
      }
      batches_.limit(limits.bytes - count * sizeof(Sums));
      auto const partials = partials_.template as<Sums>(exec_, count);
      Lattice<D> const lattice(box.dimension(), run.next_power(), run.done() == 0, stream);
      Points const points{transform,    lattice,         fold, cut.points, cut.segments, box.dimension(),
                          transform.volume() * scaling.factor()};
      SampleChunks<Space, Eval, G, Points, Keep> const kernel{f, points, {}, cut.chunks, partials, options_.non_finite};
      if (!launch_sampling(exec_, ranks_, run, kernel, "kubature::qmc::sample", &batches_))
        break;
      auto const sums =
          total_.join_each(exec_, "kubature::qmc::join", partials, ranks_, cut.chunks, options_.shifts);
      if (!scaling.adjust(run.estimate(sums)))
        run.add(sums, scaling, options_.non_finite);
    }
    return signed_by<Space>(run.finish(), options_.precision, options_.seed, ranks_);
  }

private:
  void check_dimension(int dimension, std::source_location where) const {
    constexpr int most = 6;
    require(dimension <= most || options_.transform < QmcTransform::korobov1, "QuasiMonteCarlo.transform", dimension,
            "Korobov's polynomials serve up to 6 variables, as the variance grows with each; take tent", where);
  }

  Space exec_;
  Communicator ranks_;
  QuasiMonteCarlo<P> options_;
  std::uint32_t call_ = 0;
  Buffer<Space> partials_{"kubature::qmc::partials"};
  Total<Space> total_{"kubature::qmc::total"};
  Batches<Space> batches_{"kubature::qmc::batches"};
};

} // namespace detail
} // namespace kubature

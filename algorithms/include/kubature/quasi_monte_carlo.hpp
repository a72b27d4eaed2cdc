#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/channel_use.hpp>
#include <kubature/communicator.hpp>
#include <kubature/covariance.hpp>
#include <kubature/detail/call/solver.hpp>
#include <kubature/detail/components/padded.hpp>
#include <kubature/detail/quasi_monte_carlo/course.hpp>
#include <kubature/detail/quasi_monte_carlo/lattice.hpp>
#include <kubature/detail/quasi_monte_carlo/sobol.hpp>
#include <kubature/integrator.hpp>
#include <kubature/precision.hpp>
#include <kubature/qmc_choices.hpp>
#include <kubature/several_result.hpp>

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace kubature {

/// Quasi-Monte Carlo: the mean of f over points that fill the box evenly, randomised several times to estimate the
/// error. For smooth integrands of up to 20 variables the error falls like 1/N to 1/N^2 and faster; that of random
/// samples falls like 1/sqrt(N).
template <class P = Fp64>
struct QuasiMonteCarlo {
  /// Points in all shifts: for each the nearest power of two. With a tolerance they are doubled until it is met; if it
  /// needs many more, a better map is trained on the way, and the points start afresh in it.
  std::uint64_t evaluations = std::uint64_t{1} << 20;
  /// Independent randomisations of the points; the scatter of their estimates gives the error.
  int shifts = 16;
  /// Makes the integrand periodic, as lattices require. Trials of transforms use an eighth of the evaluations, if these
  /// are many, and on the way to a tolerance half as many as there are points so far.
  QmcTransform transform = QmcTransform::automatic;
  QmcRule rule = QmcRule::lattice; ///< the source of the points
  /// Importance sampling by a map that is trained and tried beforehand, with at most two thirds as many evaluations
  /// (nine tenths in calls that are just long enough to refine a smooth map), an eighth more if a map is unreliable,
  /// and a fifth (four tenths) more if rotated points or the axes of a peak are tried.
  QmcMap trained_map = QmcMap::automatic;
  /// With several components: whether the errors of pairs are estimated together, as needed for their ratios and sums.
  Covariance covariance = Covariance::diagonal;
  std::uint64_t seed = 0;                  ///< of the shifts, and of the training of the map
  P precision = {};                        ///< fp64, fp32, fp32_pure, fp16 or adaptive
  NonFinite non_finite = NonFinite::error; ///< what happens to values that are not finite
  Channels channels = Channels::automatic; ///< whether narrow peaks are searched for, and integrated one by one
  /// Points near peaks, [point][axis] in the coordinates of the box: the integral is computed by channels about the
  /// peaks near them.
  std::vector<double> known = {};
};

template <class P>
struct Described<QuasiMonteCarlo<P>> {
  using M = QuasiMonteCarlo<P>;
  static constexpr std::string_view type = "QuasiMonteCarlo", name = "qmc";
  static constexpr Abilities serves{.batches = true, .several = true, .many_variables = true, .distributed = true};
  static constexpr double single_bias = detail::SingleBias::plain;
  static constexpr std::tuple options{
      option("evaluations", &M::evaluations, "Points in all shifts, doubled where a tolerance needs more",
             at_least<std::uint64_t>(2, "an error estimate needs at least 2")),
      option("shifts", &M::shifts, "Independent randomisations of the points, whose scatter gives the error",
             Range<int>{2, 1024, "must be between 2 and 1024"}),
      option("transform", &M::transform, "Change of variable that makes an integrand periodic"),
      option("rule", &M::rule, "Sequence of points"),
      option("trained_map", &M::trained_map, "Map that is trained beforehand, through which points are taken"),
      option("covariance", &M::covariance, detail::covariance_summary),
      option("seed", &M::seed, "Seed of the random numbers"),
      option("non_finite", &M::non_finite, "Treatment of values that are not finite", AnyValue{}, false),
      option("channels", &M::channels, detail::channels_summary, AnyValue{}, false),
      option("known", &M::known, detail::known_summary, AnyValue{}, false)};
  static void check_combinations(M const&, std::source_location) {}
};

namespace detail {

template <class P, class Space>
class Solver<QuasiMonteCarlo<P>, Space> {
public:
  Solver(Space const& exec, Communicator const& ranks, QuasiMonteCarlo<P> const& options)
      : memory_{HostThreads<Space>(exec), ranks, options, {exec, ranks, options.seed, options.non_finite}} {}

  /// Every call draws new shifts, and trains the map further.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Request const& request) {
    auto const f = on_device<P, D, Described<QuasiMonteCarlo<P>>::serves.batches>(memory_.threads.all(), integrand, box,
                                                                                  request.where);
    using G = std::remove_const_t<decltype(f)>;
    auto const by = [&]<class Sequence>(Sequence const*) {
      Course<G, D, Sequence> course(*this, f, box, request);
      course.go_on([](auto const&, std::uint64_t) { return false; });
      return to_result<ResultValue<G, typename P::eval_type, D>>(course.finish());
    };
    return memory_.options.rule == QmcRule::sobol ? by(static_cast<Sobol<Space, D> const*>(nullptr))
                                                  : by(static_cast<Lattice<D> const*>(nullptr));
  }

  /// Components known at run time, see padded().
  template <class F, int D>
  SeveralResult solve(BatchedComponents<F> const& integrand, Box<D> const& box, Request const& request) {
    return padded(integrand, std::string(Described<QuasiMonteCarlo<P>>::name), request.where,
                  [&](auto const& f) { return solve(f, box, request); });
  }

  /// One call, see QmcCourse.
  template <class F, int D, class Sequence = Lattice<D>>
  struct Course : QmcCourse<QmcMemory<QuasiMonteCarlo<P>, P, Space>, F, D, Sequence> {
    Course(Solver& solver, F const& f, Box<D> const& box, Request const& request)
        : QmcCourse<QmcMemory<QuasiMonteCarlo<P>, P, Space>, F, D, Sequence>(solver.memory_, f, box, request) {}
  };

private:
  QmcMemory<QuasiMonteCarlo<P>, P, Space> memory_;
};

} // namespace detail
} // namespace kubature

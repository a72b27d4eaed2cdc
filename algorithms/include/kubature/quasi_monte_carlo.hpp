#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/covariance.hpp>
#include <kubature/detail/buffer.hpp>
#include <kubature/detail/epsilon.hpp>
#include <kubature/detail/quasi_monte_carlo/coordinate_map.hpp>
#include <kubature/detail/quasi_monte_carlo/doublings.hpp>
#include <kubature/detail/quasi_monte_carlo/lattice.hpp>
#include <kubature/detail/quasi_monte_carlo/map_training.hpp>
#include <kubature/detail/quasi_monte_carlo/qmc_points.hpp>
#include <kubature/detail/quasi_monte_carlo/shifts.hpp>
#include <kubature/detail/quasi_monte_carlo/sobol.hpp>
#include <kubature/detail/sampling/launch.hpp>
#include <kubature/detail/sampling/moments.hpp>
#include <kubature/detail/sampling/products.hpp>
#include <kubature/detail/scaling.hpp>
#include <kubature/detail/total.hpp>
#include <kubature/integrator.hpp>
#include <kubature/precision.hpp>
#include <kubature/qmc_choices.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubature {

/// Quasi-Monte Carlo: the mean of f over points that fill the box evenly, randomised several times, which says how
/// large the error is. For smooth integrands of up to 20 variables it falls like 1/N to 1/N^2 and faster, where that of
/// random samples falls like 1/sqrt(N).
template <class P = Fp64>
struct QuasiMonteCarlo {
  /// Points in all shifts: for each the nearest power of two. With a tolerance they are doubled until it is met.
  std::uint64_t evaluations = std::uint64_t{1} << 20;
  /// Independent randomisations of the points, whose estimates scatter by the error.
  int shifts = 16;
  QmcTransform transform = QmcTransform::tent; ///< makes the integrand periodic, which lattices need
  QmcRule rule = QmcRule::lattice;             ///< where points come from
  /// Importance sampling by a map that is trained beforehand, by two fifths as many evaluations or fewer.
  QmcMap smooth_map = QmcMap::automatic;
  /// Of several components: whether the errors of each two are estimated together, which ratios and sums of them need.
  Covariance covariance = Covariance::diagonal;
  std::uint64_t seed = 0;                  ///< of the shifts, and of what trains the map
  P precision = {};                        ///< fp64, fp32, fp32_pure, fp16 or adaptive
  NonFinite non_finite = NonFinite::error; ///< what happens to values that are not finite
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
      option("rule", &M::rule, "The sequence of points"),
      option("smooth_map", &M::smooth_map, "Importance sampling by a map that VEGAS+ trains beforehand"),
      option("covariance", &M::covariance, detail::covariance_summary),
      option("seed", &M::seed, "Seed of the random numbers"),
      option("non_finite", &M::non_finite, "What is done with values that are not finite", AnyValue{}, false)};
  static void check_together(M const&, std::source_location) {}
};

namespace detail {

template <class P, class Space>
class Solver<QuasiMonteCarlo<P>, Space> {
public:
  Solver(Space const& exec, Communicator const& ranks, QuasiMonteCarlo<P> const& options)
      : exec_(exec), ranks_(ranks), options_(options), training_(exec, ranks, options.seed, options.non_finite) {}

  /// Every call draws new shifts; the map is trained further by each.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
             std::source_location where) {
    auto const f = on_device<P, D, true>(exec_, integrand, box.dimension(), where);
    Kokkos::Profiling::ScopedRegion region("kubature::qmc");
    check_transform(options_.transform, box.dimension(), where);
    using G = std::remove_const_t<decltype(f)>;
    auto const by = [&]<class Sequence>(Sequence const*) {
      Course<G, D, Sequence> course(*this, f, box, tolerance, limits, callback, where);
      course.prepare(callback, where);
      while (course.wants_more() && course.iterate()) {
      }
      return course.finish();
    };
    auto result = options_.rule == QmcRule::sobol ? by(static_cast<Sobol<Space, D> const*>(nullptr))
                                                  : by(static_cast<Lattice<D> const*>(nullptr));
    ++call_;
    return signed_by<Space>(std::move(result), options_.precision, options_.seed, ranks_);
  }

private:
  /// One call.
  template <class F, int D, class Sequence>
  class Course {
    using Eval = typename P::eval_type;
    using Acc = typename P::accumulate_type;
    using Sample = typename P::sample_type;
    using Value = ResultValue<F, Eval, D>;
    using Points = QmcPoints<Space, P, D, lanes_for<Space, F, Eval, D>, Sequence>;
    using Keep = KeepMoments<Acc, ValueTraits<Value>::components>;
    using Sums = typename Keep::Sums;

  public:
    Course(Solver& solver, F const& f, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
           std::source_location where)
        : solver_(solver), options_(solver.options_), f_(f), box_(box), bytes_(limits.bytes),
          evaluations_(std::min(options_.evaluations, limits.evaluations)),
          transform_(box, 1, std::numeric_limits<Sample>::epsilon()), fold_(options_.transform),
          run_(epsilon<P>, 1 - transform_.inner(), options_.shifts, evaluations_, Sequence::longest,
               with_products<Keep::components>(options_, where, [](bool full) { return full; }),
               used_components<Keep::components>(f), tolerance, limits, callback, where, solver.ranks_) {}

    /// Chooses the map, after training it.
    void prepare(Callback const& callback, std::source_location where) {
      bool const trial = options_.smooth_map == QmcMap::automatic;
      if (options_.smooth_map == QmcMap::none || (trial && run_.target() < least_trial))
        return;
      auto const edges = solver_.training_.train(f_, box_, evaluations_, run_, callback, where);
      if (edges.empty())
        return;
      int const axes = box_.dimension();
      auto const hold = [&](QmcMap form) {
        if (form == QmcMap::none)
          map_ = {};
        else
          map_ = solver_.map_.hold(
              solver_.exec_, form == QmcMap::linear ? linear_map(edges, axes) : smooth_map(edges, axes, pieces), axes);
      };
      hold(trial ? best(hold) : options_.smooth_map);
    }

    bool wants_more() { return run_.wants_more(); }

    /// @returns false where the call has ended meanwhile: the iteration stays out of it
    bool iterate() {
      auto const sums = draw(run_.next_power(), run_.done() == 0, 0);
      if (sums.empty())
        return false;
      if (!scaling_.adjust(run_.estimate(sums)))
        run_.add(sums, scaling_, options_.non_finite);
      return true;
    }

    Result<Value> finish() { return run_.finish(); }

  private:
    /// The form of the map whose estimates scatter least with a few points, or a simpler one where that does about as
    /// well: without kinks the error falls faster with more of them. An estimate that is far off that through the
    /// smooth map has missed a peak.
    template <class Hold>
    QmcMap best(Hold const& hold) {
      QmcMap const forms[] = {QmcMap::smooth, QmcMap::linear, QmcMap::none};
      double scatter[3], value = 0;
      for (int i = 0; i < 3; ++i) {
        hold(forms[i]);
        auto const trial = [&] { return draw(std::min(run_.target() - trial_part, most_trial), true, 1u << 31); };
        auto sums = trial();
        if (!sums.empty() && scaling_.adjust(run_.estimate(sums)))
          sums = trial();
        if (sums.empty())
          return QmcMap::none;
        auto const estimate = scaling_.restored(run_.estimate_first(sums));
        run_.learn(estimate.evaluations, 0, Status::completed);
        value = i == 0 ? estimate.value : value;
        scatter[i] = std::max(estimate.error, std::abs(estimate.value - value) / 4);
      }
      double const alike = 2 * std::min({scatter[0], scatter[1], scatter[2]});
      return scatter[2] <= alike ? QmcMap::none : scatter[0] <= alike ? QmcMap::smooth : QmcMap::linear;
    }

    /// The sums of each shift over all 2^power points, or over those that are not among half as many. Nothing where
    /// the call has ended.
    std::vector<Sums> draw(int power, bool all, std::uint32_t other_stream) {
      auto const& exec = solver_.exec_;
      auto const& ranks = solver_.ranks_;
      ShiftPartition const cut(exec, ranks, options_.shifts, std::uint64_t{1} << (all ? power : power - 1));
      auto const count = static_cast<std::size_t>(cut.chunks.count);
      if (count * sizeof(Sums) > bytes_) {
        run_.end_for_memory();
        return {};
      }
      solver_.batches_.limit(bytes_ - count * sizeof(Sums));
      auto const partials = solver_.partials_.template as<Sums>(exec, count);
      Stream const stream(options_.seed, solver_.call_ | other_stream);
      auto const sequence = [&] {
        if constexpr (std::is_same_v<Sequence, Lattice<D>>)
          return Sequence(box_.dimension(), power, all, stream);
        else
          return Sequence(solver_.directions_.hold(exec), power, all, stream);
      }();
      Points const points{transform_,
                          sequence,
                          fold_,
                          map_,
                          cut.points,
                          cut.segments,
                          box_.dimension(),
                          transform_.volume() * scaling_.factor()};
      SampleChunks<Space, Eval, F, Points, Keep> const kernel{f_,         points,   {},
                                                              cut.chunks, partials, options_.non_finite};
      if (!launch_sampling(exec, ranks, run_, kernel, "kubature::qmc::sample", &solver_.batches_))
        return {};
      return solver_.total_.join_each(exec, "kubature::qmc::join", partials, ranks, cut.chunks, options_.shifts);
    }

    /// A trial takes 2^trial_part fewer points than the call for each form of the map, and none at all is made for
    /// less than 2^least_trial points a shift.
    static constexpr int trial_part = 5, most_trial = 14, least_trial = 11;
    /// Of the smooth map along an axis (docs/quasi-monte-carlo.md).
    static constexpr int pieces = 32;

    Solver& solver_;
    QuasiMonteCarlo<P> const& options_;
    F const& f_;
    Box<D> const& box_;
    std::size_t bytes_;
    std::uint64_t evaluations_; ///< that are drawn in any case
    Transform<Sample, D> transform_;
    Fold<Sample> fold_;
    CoordinateMap<Space> map_;
    Scaling<Acc> scaling_;
    Doublings<Value, Sums> run_;
  };

  Space exec_;
  Communicator ranks_;
  QuasiMonteCarlo<P> options_;
  std::uint32_t call_ = 0;
  MapTraining<P, Space> training_;
  CoordinateMapMemory<Space> map_;
  DirectionNumbers<Space> directions_;
  Buffer<Space> partials_{"kubature::qmc::partials"};
  Total<Space> total_{"kubature::qmc::total"};
  Batches<Space> batches_{"kubature::qmc::batches"};
};

} // namespace detail
} // namespace kubature

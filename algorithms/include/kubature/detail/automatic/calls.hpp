#pragma once

#include <kubature/box.hpp>
#include <kubature/communicator.hpp>
#include <kubature/cubature_rule.hpp>
#include <kubature/detail/any_course.hpp>
#include <kubature/detail/automatic/pace.hpp>
#include <kubature/detail/automatic/prospect.hpp>
#include <kubature/detail/cubature/close_look.hpp>
#include <kubature/detail/solver.hpp>
#include <kubature/integrand.hpp>
#include <kubature/integrator.hpp>
#include <kubature/pagani.hpp>
#include <kubature/precision.hpp>
#include <kubature/progress.hpp>
#include <kubature/quasi_monte_carlo.hpp>
#include <kubature/result.hpp>
#include <kubature/tolerance.hpp>
#include <kubature/vegas_plus.hpp>

#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <source_location>
#include <string_view>
#include <type_traits>
#include <utility>

namespace kubature::detail {

/// The methods that Auto chooses from.
struct AutoMethods {
  enum { cubature, sampling, lattice, count };
};

/// What the methods that Auto chooses from have done in one of its calls. PAGANI and quasi-Monte Carlo go on where they
/// paused; VEGAS+ begins again in the map that it has.
template <class P, class Space, class F, int D>
class AutoCalls : protected AutoMethods {
  template <class Method>
  using SolverOf = typename SolverFor<Method, Space>::type;
  using OnDevice = std::remove_cvref_t<decltype(on_device<P, D, true>(std::declval<Space const&>(),
                                                                      std::declval<F const&>(), 0, {}))>;
  using Value = ResultValue<OnDevice, typename P::eval_type, D>;
  using Course = AnyCourse<Value>;

public:
  using Answer = Result<Value>;

  /// What all calls have in common.
  struct Request {
    Space const& exec;
    Communicator const& ranks;
    std::uint64_t seed;
    P precision;
    NonFinite non_finite;
    F const& f;
    Box<D> const& box;
    Tolerance tolerance;
    Limits limits;
    Callback const& callback;
    std::source_location where;
  };

  /// @param pagani, close are used by no other call meanwhile
  AutoCalls(SolverOf<Pagani<P>>& pagani, SolverOf<Pagani<P>>& close, Request const& request)
      : request_(limited(request)), pagani_(pagani), close_(close),
        on_device_(on_device<P, D, true>(request.exec, request.f, request.box.dimension(), request.where)),
        callback_([this](Progress progress) {
          progress.evaluations += of_others_;
          progress.seconds = timer_.seconds();
          return request_.callback(progress);
        }) {}

protected:
  using Pace = detail::Pace<Space>;

  struct Candidate {
    std::string_view name;
    std::optional<Answer> result = {};
    /// Evaluations that it is expected to take in all; and the limit of its last call, or those that it had made where
    /// it broke its promise.
    double needed = std::numeric_limits<double>::infinity();
    double budget = 0;
    bool alive = true;
  };

  /// Calls a method with at most `budget` evaluations, or has it go on until it has made about so many.
  /// @param promise cubature and lattices pause where they are expected to need more than that in all
  /// @returns false if too few are left for it
  bool ask(int m, double budget, double promise = std::numeric_limits<double>::infinity()) {
    auto const limits = left(m, budget);
    of_others_ = spent_ - made(m);
    if (spent_ > 0 && limits.evaluations < made(m) + Pace::least)
      return false;
    auto& of = candidates_[m];
    double const before = std::exchange(of.budget, budget);
    auto const begun = made(m);
    of.result = call(m, limits, promise);
    if (std::isfinite(promise) && made(m) > begun) // the rest is left to a later call
      of.budget = std::max(before, static_cast<double>(made(m)));
    spent_ = of_others_ + of.result->evaluations;
    return true;
  }

  /// See CloseLook.
  std::optional<Answer> look_closely(Answer const& found) {
    int const d = request_.box.dimension();
    CloseLook const look{d, CubatureRule(Rule::automatic, d, request_.where).points(), Pace::on_gpu, request_.ranks};
    auto const made = std::min(request_.limits.evaluations, spent_);
    return look(found, request_.limits.evaluations - made, [&](int level, std::uint64_t most) {
      auto limits = left(cubature, std::numeric_limits<double>::infinity());
      limits.evaluations = most;
      of_others_ = spent_;
      auto const looking = make_course<Value>(close_, on_device_, request_.box, request_.tolerance, limits,
                                              request_.callback ? callback_ : request_.callback, request_.where, level);
      looking->go_on({});
      auto result = looking->finish();
      spent_ += result.evaluations;
      return result;
    });
  }

  /// Evaluations of a call that will go on.
  std::uint64_t made(int m) const {
    bool const goes_on = m == cubature ? refining_ != nullptr : m == lattice && doubling_ != nullptr;
    return goes_on && candidates_[m].result ? candidates_[m].result->evaluations : 0;
  }

  /// What the limits leave to a call of at most `budget` evaluations.
  Limits left(int m, double budget) const {
    Limits limits = request_.limits;
    limits.evaluations =
        std::min(static_cast<std::uint64_t>(std::min(budget, 1e18)),
                 request_.limits.evaluations - std::min(request_.limits.evaluations, spent_ - made(m)));
    limits.seconds = std::max(request_.limits.seconds - timer_.seconds(), std::numeric_limits<double>::min());
    return limits;
  }

  /// Between which powers of N the errors of cubature or lattices may be expected to fall.
  static Powers powers(int m) { return m == cubature ? Pace::of_cubature : Pace::of_lattices; }

  Request request_;
  std::array<Candidate, count> candidates_{{{"pagani"}, {"vegas+"}, {"qmc"}}};
  std::uint64_t spent_ = 0; ///< evaluations of all calls so far
  Kokkos::Timer timer_;

private:
  /// Cubature and lattices begin, or go on where they paused; VEGAS+ begins again in the map that it has, and so do
  /// lattices, with more points, whose values were all the same.
  Answer call(int m, Limits limits, double promise) {
    auto const& callback = request_.callback ? callback_ : request_.callback;
    if (m == cubature) {
      bool const first = !refining_;
      if (first)
        refining_ = make_course<Value>(pagani_, on_device_, request_.box, request_.tolerance, request_.limits, callback,
                                       request_.where, 0);
      return go_on(m, *refining_, limits.evaluations, promise,
                   [&](auto const& so_far) { return first && gives_way(so_far); });
    }
    if (m == lattice) {
      if (!doubling_) {
        lattice_.emplace(request_.exec, request_.ranks,
                         QuasiMonteCarlo<P>{.evaluations = part(limits, Pace::first_parts),
                                            .seed = request_.seed,
                                            .precision = request_.precision,
                                            .non_finite = request_.non_finite});
        auto whole = request_.limits;
        whole.seconds = limits.seconds; // those that are left
        doubling_ = make_course<Value>(*lattice_, on_device_, request_.box, request_.tolerance, whole, callback,
                                       request_.where);
      }
      auto result = go_on(m, *doubling_, limits.evaluations, promise, [](auto const&) { return false; });
      if (result.status == Status::no_variance) {
        doubling_.reset();
        candidates_[m].alive = true;
      }
      return result;
    }
    bool const first = !candidates_[m].result;
    auto const map = first ? std::nullopt : std::optional(sampling_->map());
    sampling_.emplace(request_.exec, request_.ranks,
                      VegasPlus<P>{.evaluations = part(limits, Pace::parts),
                                   .redistribute = first ? Pace::redistribute : own_choice,
                                   .seed = request_.seed + static_cast<std::uint64_t>(calls_++),
                                   .precision = request_.precision,
                                   .non_finite = request_.non_finite});
    if (map)
      sampling_->use(*map);
    return solve<Value>(*sampling_, request_.f, request_.box, request_.tolerance, limits, callback, request_.where);
  }

  /// The evaluations of the first iteration of a call.
  static std::uint64_t part(Limits limits, std::uint64_t parts) {
    return std::clamp<std::uint64_t>(limits.evaluations / parts, Pace::least, Pace::longest);
  }

  /// A call goes on until more than half of an iteration would exceed so many evaluations in all, or it does not keep
  /// its promise; or until gives_way(its result so far).
  template <class GivesWay>
  Answer go_on(int m, Course& course, std::uint64_t most, double promise, GivesWay const& gives_way) {
    course.limit(request_.limits.evaluations - of_others_);
    auto const begun = made(m);
    if (course.go_on([&](Answer const& so_far, std::uint64_t next) {
          if (m == cubature && so_far.iterations.size() < Pace::least_iterations)
            return false;
          return so_far.evaluations + next / 2 > most || gives_way(so_far) ||
                 (so_far.evaluations > begun && needed(so_far, request_.tolerance, powers(m)) > promise);
        })) {
      candidates_[m].alive = false;
      return course.finish();
    }
    auto result = course.so_far();
    result.status = Status::evaluation_limit;
    return result;
  }

  /// Whether cubature leaves the rest of its first turn to samples: if these are expected to meet the tolerance at
  /// once and it does not promise to with the call of the next round; unless its first error exceeds the value so far
  /// that the integrand must cancel, in which case samples would scatter as widely.
  bool gives_way(Answer const& so_far) const {
    double const turn = candidates_[cubature].budget;
    auto const& first = so_far.iterations.front();
    auto const iterations = so_far.iterations.size();
    double const done = static_cast<double>(so_far.evaluations) + static_cast<double>(iterations) * Pace::launches;
    return iterations > 2 && done >= Pace::glance * turn &&
           first_of(first.error) <= Pace::cancels * std::abs(first_of(first.value)) &&
           needed(so_far, request_.tolerance, Pace::of_cubature, Pace::launches) > Pace::growth * turn &&
           needed_by_sampling(so_far.value, Pace::scatter, request_.tolerance) <= Pace::first_samples;
  }

  /// A request without any limit gets one.
  static Request limited(Request request) {
    constexpr Limits none;
    if (request.limits.evaluations == none.evaluations && request.limits.seconds == none.seconds)
      request.limits.evaluations = Pace::unlimited;
    return request;
  }

  SolverOf<Pagani<P>>&pagani_, &close_;
  OnDevice on_device_;
  Callback callback_;
  std::uint64_t of_others_ = 0; ///< evaluations besides the present call's
  std::unique_ptr<Course> refining_;
  std::optional<SolverOf<QuasiMonteCarlo<P>>> lattice_;
  std::unique_ptr<Course> doubling_;
  std::optional<SolverOf<VegasPlus<P>>> sampling_;
  int calls_ = 0; ///< of VEGAS+
};

} // namespace kubature::detail

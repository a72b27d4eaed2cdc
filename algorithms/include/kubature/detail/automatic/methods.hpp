#pragma once

#include <kubature/box.hpp>
#include <kubature/communicator.hpp>
#include <kubature/detail/automatic/auto_engine.hpp>
#include <kubature/detail/call/pausable_call.hpp>
#include <kubature/detail/call/solver.hpp>
#include <kubature/integrator.hpp>
#include <kubature/pagani.hpp>
#include <kubature/precision.hpp>
#include <kubature/progress.hpp>
#include <kubature/quasi_monte_carlo.hpp>
#include <kubature/several_result.hpp>
#include <kubature/tolerance.hpp>
#include <kubature/vegas_plus.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

namespace kubature::detail {

/// The methods that Auto chooses from, for one integrand.
template <class P, class Space, class F, int D>
class AutoMethods final : public AutoEngine {
  template <class Method>
  using SolverOf = typename SolverFor<Method, Space>::type;
  using OnDevice = std::remove_cvref_t<decltype(on_device<P, D, Described<Pagani<P>>::serves.batches>(
      std::declval<Space const&>(), std::declval<F const&>(), std::declval<Box<D> const&>(), {}))>;

public:
  using Value = ResultValue<OnDevice, typename P::eval_type, D>;

  /// The common arguments of all calls.
  struct Common {
    Space const& exec;
    Communicator const& ranks;
    std::uint64_t seed;
    P precision;
    NonFinite non_finite;
    F const& f;
    Box<D> const& box;
    Request const& request;
  };

  /// @param pagani, close are used by no other call at the same time
  AutoMethods(SolverOf<Pagani<P>>& pagani, SolverOf<Pagani<P>>& close, Common const& common)
      : common_(common), pagani_(pagani), close_(close),
        on_device_(on_device<P, D, Described<Pagani<P>>::serves.batches>(common.exec, common.f, common.box,
                                                                         common.request.where)) {}

  PausableCall& begin_cubature(Limits const& limits, Callback const& callback) override {
    cubature_ = cubature(pagani_, limits, callback, 0);
    return *cubature_;
  }
  SeveralResult look(int level, Limits const& limits, Callback const& callback) override {
    auto const looking = cubature(close_, limits, callback, level);
    looking->go_on([](auto const&, std::uint64_t) { return false; });
    return looking->finish();
  }
  PausableCall& begin_lattice(std::uint64_t first_iteration, Limits const& limits, Callback const& callback) override {
    doubling_.reset();
    lattice_.emplace(common_.exec, common_.ranks,
                     QuasiMonteCarlo<P>{.evaluations = first_iteration,
                                        .seed = common_.seed,
                                        .precision = common_.precision,
                                        .non_finite = common_.non_finite});
    doubling_ = make_course(*lattice_, on_device_, common_.box, part(limits, callback));
    return *doubling_;
  }
  PausableCall& begin_sampling(std::uint64_t first_iteration, double redistribute, int number, Limits const& limits,
                               Callback const& callback) override {
    iterating_.reset();
    auto const map = sampling_ ? std::optional(sampling_->map()) : std::nullopt;
    sampling_.emplace(common_.exec, common_.ranks,
                      VegasPlus<P>{.evaluations = first_iteration,
                                   .redistribute = redistribute,
                                   .seed = common_.seed + static_cast<std::uint64_t>(number),
                                   .precision = common_.precision,
                                   .non_finite = common_.non_finite});
    if (map)
      sampling_->use(*map);
    iterating_ = make_course(*sampling_, on_device_, common_.box, part(limits, callback));
    return *iterating_;
  }

private:
  std::unique_ptr<PausableCall> cubature(SolverOf<Pagani<P>>& solver, Limits const& limits, Callback const& callback,
                                         int level) {
    return make_course(solver, on_device_, common_.box, part(limits, callback), level);
  }
  Request part(Limits const& limits, Callback const& callback) const {
    return common_.request.within(limits).reporting_to(callback);
  }

  Common common_;
  SolverOf<Pagani<P>>&pagani_, &close_;
  OnDevice on_device_;
  std::unique_ptr<PausableCall> cubature_;
  std::optional<SolverOf<QuasiMonteCarlo<P>>> lattice_;
  std::unique_ptr<PausableCall> doubling_;
  std::optional<SolverOf<VegasPlus<P>>> sampling_;
  std::unique_ptr<PausableCall> iterating_;
};

} // namespace kubature::detail

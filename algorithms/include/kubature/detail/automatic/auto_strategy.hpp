#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/automatic/auto_engine.hpp>
#include <kubature/detail/automatic/prospect.hpp>
#include <kubature/detail/policies/auto_policy.hpp>
#include <kubature/progress.hpp>
#include <kubature/several_result.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_Timer.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kubature::detail {

/// How one call of Auto chooses among PAGANI, VEGAS+ and quasi-Monte Carlo (docs/methods/auto.md).
class AutoStrategy {
public:
  AutoStrategy(AutoPolicy const& policy, AutoEngine& engine, int dimension, Request const& request,
               Communicator const& ranks);
  AutoStrategy(AutoStrategy const&) = delete; // the callback refers to it

  /// Makes rounds of calls of growing length. The work of independent samples can be predicted: as long as a round
  /// costs a small part of it, every method has its turn; then VEGAS+ finishes.
  SeveralResult finish();

private:
  enum { cubature, sampling, lattice, count };
  static constexpr double none = std::numeric_limits<double>::infinity();

  struct Candidate {
    std::string_view name;
    std::optional<SeveralResult> result = {};
    PausableCall* call = nullptr; ///< to continue
    /// Total evaluations that it is predicted to need; and the limit of its last call, or the evaluations it had made
    /// when the prediction failed.
    double needed = none;
    double budget = 0;
    bool alive = true;
  };

  /// The next call of a round.
  struct NextCall {
    int method;
    double evaluations;
    /// If it is not the method's turn: the predicted total evaluations with which it may continue.
    double predicted = none;
    std::string why = {};
  };

  std::optional<NextCall> next_call(double budget);
  NextCall before_lattices(double budget) const;
  double turn_of(int m, double budget) const;
  bool due(int m, double budget) const {
    return candidates_[m].alive && turn_of(m, budget) >= 2 * candidates_[m].budget;
  }
  double first_grids() const;
  std::array<int, count> by_prospect() const;
  int closest() const;
  bool alive() const;
  Powers powers(int m) const {
    return m == cubature ? Powers{policy_.least_power_of_cubature, policy_.most_power_of_cubature}
                         : Powers{policy_.least_power_of_lattices, policy_.most_power_of_lattices};
  }

  void attempt(int m, double budget, double predicted = none);
  bool ask(int m, double budget, double predicted = none);
  SeveralResult call(int m, Limits limits, double predicted);
  SeveralResult go_on(int m, std::uint64_t most, double predicted, bool first);
  bool leaves_the_rest(SeveralResult const& so_far) const;
  bool looks_different();
  void confirm(int m);
  void end(Status status);
  SeveralResult answer();

  Callback const& callback() const { return asked_ ? callback_ : asked_; }
  std::uint64_t made(int m) const;
  Limits left(int m, double budget) const;
  std::uint64_t part(Limits const& limits, std::uint64_t parts) const;

  AutoPolicy policy_;
  AutoEngine& engine_;
  int dimension_;
  Tolerance tolerance_;
  Limits limits_;
  Callback const& asked_;
  Communicator ranks_;
  Callback callback_; ///< with the evaluations of all methods
  std::array<Candidate, count> candidates_{{{"pagani"}, {"vegas+"}, {"qmc"}}};
  std::uint64_t spent_ = 0;     ///< evaluations of all calls so far
  std::uint64_t of_others_ = 0; ///< evaluations besides the present call's
  int calls_ = 0;               ///< of VEGAS+
  Kokkos::Timer timer_;
  std::optional<int> winner_; ///< the method whose result converged, or was not finite
  bool ended_ = false, contradicted_ = false;
  Status status_ = Status::completed;
  std::string chosen_;
};

} // namespace kubature::detail

#pragma once

#include <kubature/detail/audit/audits.hpp>
#include <kubature/detail/call/call_state.hpp>
#include <kubature/detail/policies/qmc_policy.hpp>
#include <kubature/detail/quasi_monte_carlo/jumps.hpp>
#include <kubature/detail/quasi_monte_carlo/shift_sums.hpp>
#include <kubature/detail/sampling/scaling.hpp>
#include <kubature/result.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace kubature::detail {

/// The estimate of one component from the shifts of quasi-Monte Carlo, as scaled in the kernel.
struct OfShifts {
  double value, error;
  double magnitude; ///< the root mean square of all values
  double deviation; ///< that of their differences from the mean of their shift
  bool varies;

  /// The mean of the shifts' means, and the standard error from their scatter, with Student's factor.
  OfShifts(ShiftSums const& sums, int component);
};

/// The spread of a component's values: the factor by which the error is smaller than that of random points, and the
/// standard error of the mean square of all values in units of it, from its scatter over the shifts. The latter is near
/// 1 if a few points make up most of the mean square; others yet unseen may then make up more.
struct Spread {
  double gain = 0, unsure = 1;

  Spread(ShiftSums const& sums, int component);
  /// Whether lattices gain by their evenness.
  bool gains() const { return !(gain < policy<QmcPolicy>().least_gain); }
};

/// The largest of the values and errors as scaled in a kernel (see ValueScale).
double size_of(ShiftSums const& sums);

/// The estimates of one call of quasi-Monte Carlo: each iteration doubles the points of all shifts, whose means scatter
/// by the error. Decides when to stop, and why.
class ShiftEstimates : public CallState {
public:
  /// Constant during a call.
  struct Fixed {
    double epsilon;            ///< of the numbers in which the integrand is evaluated
    double left_out;           ///< the fraction of the box that no point reaches
    int shifts;                ///< their number
    std::uint64_t evaluations; ///< points of all shifts that a call draws in any case
    int longest;               ///< maximum binary logarithm of the points of a shift
    bool correlated;           ///< whether the errors of pairs of components are estimated together
    int components;            ///< of the sums
    int used;                  ///< components of the integrand; those behind them are zero and ignored
  };

  ShiftEstimates(Fixed const& fixed, Request const& request, Communicator const& ranks);

  /// Whether to do another iteration; if not, the status has been set.
  bool wants_more();

  /// Keeps an estimate that was made before the first iteration, for a call that is cut short before that ends. Its
  /// evaluations are counted in any case.
  /// @param all     all points of each shift
  /// @param scaling by which the kernel multiplied values
  void keep_pilot(ShiftSums const& all, ValueScale const& scaling, NonFinite policy);
  /// Begins with iterations of at most about this many points of all shifts.
  void begin_with(std::uint64_t evaluations) { most_at_first_ = nearest_power(evaluations); }

  /// The binary logarithm of the points that each shift has after the next iteration, and how many of them are new.
  int next_power() const { return begins() ? power_ : power_ + 1; }
  /// Whether all its points are new.
  bool begins() const { return done() == 0 || anew_; }
  std::uint64_t fresh_points() const { return std::uint64_t{1} << power_; }
  std::uint64_t all_fresh_points() const { return static_cast<std::uint64_t>(fixed_.shifts) << power_; }

  /// Whether the tolerance is predicted to need at least `times` as many points as drawn so far. Errors may fall faster
  /// than before, so they are assumed to fall at least like 1/N.
  bool needs(double times) const;
  /// log2 of the points per shift for which a new map should be trained, with a small part of the remaining points, if
  /// the tolerance is predicted to need many times the points so far.
  /// @param trained points for which the map was trained
  /// @returns 0: none, the call continues as it is
  int worth_training(int trained) const;
  /// Drops all points after the next iteration, the first of those that lead to 2^power new ones of each shift.
  void begin_anew(int power);

  /// The limits for training a map; and its result, which ends the call if the training was cut short.
  Limits limits_left() const;
  /// @returns false if it was; without memory for another map the call continues in the present one
  bool learn(std::uint64_t evaluations, std::uint64_t non_finite, Status status);
  /// The argument of a callback meanwhile.
  Progress before_iterations(std::uint64_t evaluations) const;

  /// See Estimates::audit_by().
  void audit_by(std::function<Audited(std::uint64_t most)> audit) { audits_.by(std::move(audit)); }
  /// Points of all shifts so far.
  double points() const;

  /// See Audits.
  void audit();

  /// The part of a component that points drawn in a peak miss: its error is at least that.
  void leave_out(int c, double amount) { left_out_of_peak_[static_cast<std::size_t>(c)] = amount; }

  /// The binary logarithm of the points that each shift has so far.
  int power() const { return power_; }
  /// The binary logarithm of the points that each shift has unless a tolerance requires more.
  int target() const { return target_; }
  int shifts() const { return fixed_.shifts; }
  int used() const { return fixed_.used; }
  /// The binary logarithm of the points of a shift nearest to this many evaluations.
  int nearest_power(std::uint64_t evaluations) const;

  /// There is no memory for the next iteration: the result so far remains.
  void end_for_memory();

  /// Adds the sums of an iteration.
  /// @param scaling by which the kernel multiplied values
  void add(ShiftSums const& fresh, ValueScale const& scaling, NonFinite policy);

  SeveralResult finish();

private:
  std::uint64_t evaluations_left() const;
  double ahead() const;
  double excess(Iteration<std::vector<double>> const& iteration) const;
  std::vector<double> allowed(std::vector<double> const& values, std::vector<double> const& errors) const;
  void forget();
  std::vector<double> means(int c) const;
  double rounding(OfShifts const& of) const;
  double caution(int c) const;
  void correlate(Iteration<std::vector<double>>& iteration) const;
  int first() const;
  int power_within(std::uint64_t evaluations) const;
  bool zero(std::size_t c) const;
  bool all_zero() const;
  bool heavy() const;
  bool met() const;
  void apply_audits();
  bool conclude(Status status);
  void conclude_if_met();

  QmcPolicy const& by_ = policy<QmcPolicy>();
  Fixed fixed_;
  std::size_t used_;
  int target_, power_ = 0, exponent_ = 0;
  int given_up_ = 0;  ///< iterations whose points were dropped for a better map
  bool anew_ = false; ///< the next iteration starts afresh
  ShiftSums sums_;
  std::vector<double> rounding_, left_out_of_peak_;
  std::vector<Jumps> jumps_;
  std::vector<bool> varies_;
  Audits audits_;
  int most_at_first_;
  std::optional<Iteration<std::vector<double>>> pilot_;
};

} // namespace kubature::detail

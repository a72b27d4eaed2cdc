#pragma once

#include <kubature/covariance.hpp>
#include <kubature/detail/audit/audits.hpp>
#include <kubature/detail/call.hpp>
#include <kubature/detail/quasi_monte_carlo/caution.hpp>
#include <kubature/detail/quasi_monte_carlo/jumps.hpp>
#include <kubature/detail/scaling.hpp>
#include <kubature/statistics.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace kubature::detail {

/// The course of one call of quasi-Monte Carlo: each iteration doubles the points of all shifts, whose means scatter by
/// the error. Decides when to stop, and why.
/// @tparam Sums Moments of the points of a shift
template <class Value, class Sums>
class Doublings : public Call<Value> {
public:
  using Base = Call<Value>;
  using Base::components, Base::done, Base::end, Base::ended, Base::give_up;
  using typename Base::Traits;

  /// @param epsilon     of the numbers in which the integrand is evaluated
  /// @param left_out    the part of the box that no point reaches
  /// @param evaluations points of all shifts that a call draws in any case
  /// @param longest     the binary logarithm of the points of a shift at most
  /// @param correlated  whether the errors of each two components are estimated together
  /// @param used        components that the integrand has; those behind them are zero and count for nothing
  Doublings(double epsilon, double left_out, int shifts, std::uint64_t evaluations, int longest, bool correlated,
            int used, Tolerance tolerance, Limits limits, Callback const& callback, std::source_location where,
            Communicator const& ranks)
      : Base("qmc", tolerance, limits, callback, where, ranks), epsilon_(epsilon), left_out_(left_out), shifts_(shifts),
        longest_(longest), used_(used), correlated_(correlated), target_(nearest_power(evaluations)),
        sums_(static_cast<std::size_t>(shifts)) {}

  /// Whether to do another iteration; if not, the status is settled.
  bool wants_more() {
    if (ended())
      return false;
    if (done() == 0)
      power_ = std::min(first(), power_within(evaluations_left()));
    else if (!tolerance_.asked() && power_ >= target_)
      return conclude(Status::completed);
    if (done() >= limits_.iterations)
      return conclude(Status::iteration_limit);
    if ((!begins() && power_ == longest_) || evaluations_left() < all_fresh_points())
      return conclude(Status::evaluation_limit);
    this->keep_time();
    return !ended();
  }

  /// Keeps an estimate that was made before the first iteration, for a call that is cut short before that ends. Its
  /// evaluations are counted in any case.
  /// @param all     points of each shift, all that there are
  /// @param scaling by which the kernel multiplied values
  template <class Acc>
  void reserve(std::vector<Sums> const& all, Scaling<Acc> const& scaling, NonFinite policy) {
    Iteration<Value> iteration;
    std::uint64_t bad = 0;
    for (auto const& shift : all) {
      iteration.evaluations += shift.count;
      bad += shift.serious;
    }
    for (int c = 0; c < components; ++c) {
      auto const of = estimate(all, c);
      Traits::get(iteration.value, c) = scaling.restored(of.value);
      Traits::get(iteration.error, c) = scaling.restored(std::max(of.error, rounding(of)));
    }
    result_.evaluations += iteration.evaluations;
    if (bad == 0 || policy != NonFinite::error)
      reserve_ = iteration;
  }
  /// Begins with iterations of about so many points of all shifts at most.
  void begin_with(std::uint64_t evaluations) { most_at_first_ = nearest_power(evaluations); }

  /// The binary logarithm of the points that each shift has after the next iteration, and how many of them are new.
  int next_power() const { return begins() ? power_ : power_ + 1; }
  /// Whether all its points are new.
  bool begins() const { return done() == 0 || anew_; }
  std::uint64_t fresh_points() const { return std::uint64_t{1} << power_; }
  std::uint64_t all_fresh_points() const { return static_cast<std::uint64_t>(shifts_) << power_; }

  /// Whether the tolerance promises to take so many times the points so far. Errors may well fall faster than they did,
  /// so they are expected to fall like 1/N at least.
  bool far_away(double times) const {
    return !ended() && tolerance_.asked() && !anew_ && power_ >= target_ && done() - given_up_ >= least_known &&
           ahead() >= times * points();
  }
  /// How many points of each shift, as a binary logarithm, another map should be trained for, by a small part of what
  /// is to come, where the tolerance takes `far` times the points so far.
  /// @param trained as many points the map was trained for
  /// @returns 0: none, the call goes on as it is
  int worth_training(int trained) const {
    if (!far_away(far))
      return 0;
    double const wanted = std::min({ahead() / of_training, far * points(), most_training}) / shifts_;
    int const result = std::min(longest_, static_cast<int>(std::log2(std::max(1.0, wanted))));
    return result > trained ? result : 0;
  }
  /// Gives up all points after the next iteration, the first of those that lead to so many new ones of each shift.
  void begin_anew(int power) {
    anew_ = true;
    target_ = power;
    power_ = first();
  }

  /// What training a map may use, and what it did: it ends the call where it did not come to its own end.
  Limits limits_left() const {
    Limits left = limits_;
    left.evaluations = evaluations_left();
    left.seconds = std::max(this->seconds_left(), std::numeric_limits<double>::min());
    left.iterations = Limits{}.iterations;
    return left;
  }
  /// @returns whether it did; without memory for another map the call goes on in the one that it has
  bool learn(std::uint64_t evaluations, std::uint64_t non_finite, Status status) {
    result_.evaluations += evaluations;
    result_.non_finite += non_finite;
    if (status == Status::memory_exhausted && done() > 0)
      return false;
    if (status == Status::non_finite || status == Status::memory_exhausted)
      give_up(status);
    else if (status == Status::time_limit || status == Status::stopped)
      end(status);
    return !ended();
  }
  /// What a callback is told meanwhile.
  Progress before_iterations(std::uint64_t evaluations) const {
    return {"qmc",
            done(),
            result_.evaluations + evaluations,
            Traits::get(result_.value, 0),
            Traits::get(result_.error, 0),
            this->seconds()};
  }

  /// See Run::audit_by().
  void audit_by(std::function<Audited(std::uint64_t most)> audit) { audits_.by(std::move(audit)); }
  /// Points of all shifts so far.
  double points() const { return static_cast<double>(shifts_) * std::ldexp(1.0, power_); }

  /// See Audits.
  void audit() {
    if (done() == 0)
      return;
    result_.evaluations += audits_.audit(result_.evaluations, evaluations_left());
    double on_poles = 0;
    for (auto const& shift : sums_)
      on_poles += static_cast<double>(shift.on_poles);
    audits_.note_poles(on_poles / points());
    apply_audits();
  }

  /// What points that are drawn in a peak do not see of a component: its error is not below that.
  void leave_out(int c, double amount) { left_out_of_peak_[c] = amount; }

  /// The binary logarithm of the points that each shift has so far.
  int power() const { return power_; }
  /// The binary logarithm of the points that each shift has where no tolerance asks for more.
  int target() const { return target_; }
  int shifts() const { return shifts_; }
  /// The binary logarithm of the points of a shift that comes nearest to so many evaluations.
  int nearest_power(std::uint64_t evaluations) const {
    double const each = static_cast<double>(evaluations) / shifts_;
    return each <= 1 ? 0 : std::min(longest_, static_cast<int>(std::lround(std::log2(each))));
  }

  /// No memory for the next iteration: what there is remains.
  void end_for_memory() {
    if (done() > 0)
      end(Status::memory_exhausted);
    else
      give_up(Status::memory_exhausted);
  }

  /// Adds what the shifts got in an iteration.
  /// @param scaling by which the kernel multiplied values
  template <class Acc>
  void add(std::vector<Sums> const& fresh, Scaling<Acc> const& scaling, NonFinite policy) {
    power_ = next_power();
    if (anew_)
      forget();
    Iteration<Value> iteration;
    std::uint64_t bad = 0, serious = 0;
    rescale(scaling.exponent());
    for (std::size_t r = 0; r < fresh.size(); ++r) {
      iteration.evaluations += fresh[r].count;
      bad += fresh[r].non_finite;
      serious += fresh[r].serious;
      sums_[r].join(fresh[r]);
    }
    double largest = 1;
    for (int c = 0; correlated_ && c < used_; ++c)
      largest = std::max(largest, caution(c));
    for (int c = 0; c < components; ++c) {
      auto const now = estimate(sums_, c);
      double const error = now.error * (correlated_ ? largest : caution(c));
      rounding_[c] = scaling.restored(rounding(now));
      Traits::get(iteration.value, c) = scaling.restored(now.value);
      jumps_[c].add(means(c), 64 * rounding(now), [&](double distance) { return scaling.restored(distance); });
      Traits::get(iteration.error, c) =
          std::max({scaling.restored(error), rounding_[c], jumps_[c].least_error(), left_out_of_peak_[c]});
      varies_[c] = now.varies;
    }
    if (correlated_)
      correlate(iteration);
    result_.iterations.push_back(iteration);
    result_.value = iteration.value;
    apply_audits();
    result_.correlations = iteration.correlations;
    result_.evaluations += iteration.evaluations;
    this->count_non_finite(bad, serious);
    if (serious > 0 && policy == NonFinite::error)
      return give_up(Status::non_finite);
    this->report();
    if (!ended() && tolerance_.asked() && power_ >= target_)
      conclude_if_met();
  }

  /// Of one iteration alone, as the kernel made it.
  static Iteration<Value> estimate(std::vector<Sums> const& sums) {
    Iteration<Value> result;
    for (int c = 0; c < components; ++c) {
      auto const of = estimate(sums, c);
      Traits::get(result.value, c) = of.value;
      Traits::get(result.error, c) = std::max(of.error, of.magnitude);
    }
    return result;
  }

  /// Of the first component, as the kernel made it.
  static Iteration<double> estimate_first(std::vector<Sums> const& sums) {
    auto const of = estimate(sums, 0);
    Iteration<double> result{of.value, of.error};
    for (auto const& shift : sums)
      result.evaluations += shift.count;
    return result;
  }

  /// The root mean square of its values, as the kernel made them.
  static double magnitude_first(std::vector<Sums> const& sums) { return estimate(sums, 0).magnitude; }

  /// How the values of a component spread: by which factor the error is smaller than that of random points, and the
  /// standard error of the mean square of all values in units of it, from its scatter over the shifts. Where a few
  /// points make up most of the mean square that is near 1, and others yet unseen may make up more.
  struct Spread {
    double gain = 0, unsure = 1;
    /// Whether lattices gain anything by their evenness.
    bool gains() const { return !(gain < 2); }
  };
  static Spread spread(std::vector<Sums> const& sums, int c) {
    auto const n = static_cast<double>(sums.size());
    auto const of = estimate(sums, c);
    double const mean = of.magnitude * of.magnitude;
    if (!(mean > 0))
      return {};
    double scatter = 0, points = 0;
    for (auto const& shift : sums) {
      auto const count = static_cast<double>(shift.count);
      double const square = shift.squares[c] / count + static_cast<double>(shift.mean[c]) * shift.mean[c];
      scatter += (square / mean - 1) * (square / mean - 1);
      points += count;
    }
    return {of.deviation / std::sqrt(points) / of.error, std::sqrt(scatter / (n * (n - 1)))};
  }

  Result<Value> finish() {
    if (done() == 0 && this->cut_short() && reserve_) {
      result_.iterations.push_back(*reserve_);
      result_.value = reserve_->value;
      result_.error = reserve_->error;
      this->remark("the call ended within its first iteration: this is the estimate of " +
                   std::to_string(reserve_->evaluations) + " points that were drawn before");
      return Base::finish();
    }
    if (this->status() != Status::non_finite && this->status() != Status::memory_exhausted)
      audit();
    for (int c = 0; c < used_; ++c)
      for (auto const& remark : audits_.remarks(c, Traits::get(result_.value, c), Traits::get(result_.error, c)))
        this->remark(remark);
    for (int c = 0; c < used_; ++c)
      if (done() > 0 && !varies_[c])
        this->remark("all values" + (used_ > 1 ? " of component " + std::to_string(c + 1) : std::string()) +
                     " were the same: a peak may have been missed");
    return Base::finish();
  }

private:
  using Base::limits_, Base::result_, Base::tolerance_;

  /// Doublings that lead to the target at least, which tell what the error of the last is at least, and the binary
  /// logarithm of the points of a shift that the first iteration has at least and at most.
  static constexpr int doublings = 8, least_first = 3, most_first = 10;
  /// Another map is worth training where so many times the points so far are needed, of which it takes one in
  /// of_training, and most_training at most; least_known iterations have to tell.
  static constexpr double far = 32, of_training = 16, most_training = 1 << 22;
  static constexpr int least_known = 3;

  /// What the limit leaves, which maps and trials may have exceeded.
  std::uint64_t evaluations_left() const {
    return limits_.evaluations - std::min(limits_.evaluations, result_.evaluations);
  }

  /// The points of all shifts that the tolerance promises to take, if errors keep falling as in the last iterations.
  double ahead() const {
    auto const last = result_.iterations.end() - 1;
    double const fell = excess(*(last - 2)) / excess(*last), power = std::clamp(std::log2(fell) / 2, 1.0, 4.0);
    return std::min({points() * std::pow(excess(*last), 1 / power), static_cast<double>(evaluations_left()),
                     std::ldexp(points(), std::min(64, limits_.iterations - done()))});
  }

  /// How many times the error that is allowed that of an iteration is, or that of rounding where it is larger.
  double excess(Iteration<Value> const& iteration) const {
    double worst = 0;
    for (int c = 0; c < used_; ++c)
      if (!zero(c))
        worst = std::max(worst, Traits::get(iteration.error, c) /
                                    std::max(tolerance_.allowed(Traits::get(iteration.value, c)), rounding_[c]));
    return worst;
  }

  /// The points so far, for those of another map.
  void forget() {
    this->remark("restarted after iteration " + std::to_string(done()) +
                 " in a map or transform chosen with more evaluations; the points so far were discarded");
    given_up_ = done();
    sums_.assign(sums_.size(), Sums());
    for (auto& jumps : jumps_)
      jumps.begin_anew();
    anew_ = false;
  }

  /// Of all points so far of each shift.
  std::vector<double> means(int c) const {
    std::vector<double> result;
    for (auto const& shift : sums_)
      result.push_back(shift.mean[c]);
    return result;
  }

  struct OfShifts {
    double value, error;
    double magnitude; ///< the root mean square of all values
    double deviation; ///< that of their differences from the mean of their shift
    bool varies;
  };

  /// What the rounding of values may move the mean by, and the ends of the sides that points keep away from.
  double rounding(OfShifts const& of) const { return 4 * epsilon_ * of.magnitude + left_out_ * of.deviation; }

  /// By what factor the error of a component is enlarged, or of all if errors are correlated: linear relations hold
  /// then.
  double caution(int c) const {
    Spread const of = spread(sums_, c);
    return estimate(sums_, c).varies ? detail::caution(of.gains(), of.unsure, means(c)) : 1;
  }

  /// The mean of the shifts' means, and the standard error that their scatter gives, by Student's factor.
  static OfShifts estimate(std::vector<Sums> const& sums, int c) {
    auto const n = static_cast<double>(sums.size());
    double const origin = sums[0].mean[c];
    double shifted = 0, squares = 0, within = 0, scatter = 0;
    bool varies = false;
    for (auto const& shift : sums) {
      double const mean = shift.mean[c];
      shifted += mean - origin;
      squares += mean * mean;
      within += shift.squares[c] / static_cast<double>(shift.count);
      varies = varies || shift.squares[c] > 0 || mean != origin;
    }
    double const value = origin + shifted / n;
    for (auto const& shift : sums) {
      double const off = shift.mean[c] - value;
      scatter += off * off;
    }
    int const dof = static_cast<int>(sums.size()) - 1;
    return {value, student_factor(dof) * std::sqrt(scatter / dof / n), std::sqrt((squares + within) / n),
            std::sqrt(within / n), varies};
  }

  /// Adds the correlations of the shifts' means; none for a component whose error is rounding.
  void correlate(Iteration<Value>& iteration) const {
    std::size_t const n = sums_.size();
    std::vector<std::vector<double>> off(components, std::vector<double>(n)); // of a component, a unit vector
    for (int c = 0; c < components; ++c) {
      double const value = estimate(sums_, c).value;
      double squares = 0;
      for (std::size_t r = 0; r < n; ++r) {
        off[c][r] = sums_[r].mean[c] - value;
        squares += off[c][r] * off[c][r];
      }
      bool const known = Traits::get(iteration.error, c) > rounding_[c] && squares > 0;
      for (double& x : off[c])
        x = known ? x / std::sqrt(squares) : 0;
    }
    iteration.correlations.resize(pairs(components));
    for (int j = 1; j < components; ++j)
      for (int i = 0; i < j; ++i)
        iteration.correlations[pair_place(i, j)] =
            std::clamp(std::inner_product(off[i].begin(), off[i].end(), off[j].begin(), 0.0), -1.0, 1.0);
  }

  int first() const {
    return std::min({target_, most_at_first_, std::clamp(target_ - doublings, least_first, most_first)});
  }
  int power_within(std::uint64_t evaluations) const {
    return std::max(0, static_cast<int>(std::bit_width(evaluations / static_cast<std::uint64_t>(shifts_))) - 1);
  }

  /// Whether the values of a component are zero, as far as anyone has seen.
  bool zero(int c) const { return !varies_[c] && Traits::get(result_.value, c) == 0; }
  bool all_zero() const {
    for (int c = 0; c < used_; ++c)
      if (!zero(c))
        return false;
    return done() > 0;
  }

  bool heavy() const {
    for (int c = 0; c < used_; ++c)
      if (audits_.no_variance(c, Traits::get(result_.iterations.back().error, c)))
        return true;
    return false;
  }

  bool met() const {
    for (int c = 0; c < used_; ++c)
      if (!tolerance_.met(Traits::get(result_.value, c), Traits::get(result_.error, c)))
        return false;
    return true;
  }

  void apply_audits() {
    auto const& iteration = result_.iterations.back();
    for (int c = 0; c < components; ++c)
      Traits::get(result_.error, c) =
          c < used_ ? audits_.error(c, Traits::get(iteration.value, c), Traits::get(iteration.error, c))
                    : Traits::get(iteration.error, c);
    result_.k_hat = audits_.k_hat();
  }

  /// Always false.
  bool conclude(Status status) { return end(all_zero() ? Status::no_variance : status); }

  void conclude_if_met() {
    if (all_zero()) {
      end(Status::no_variance);
      return;
    }
    if (met())
      audit();
    bool rounded = false;
    for (int c = 0; c < used_; ++c) {
      double const value = Traits::get(result_.value, c), error = Traits::get(result_.error, c);
      rounded = rounded || (!tolerance_.met(value, error) && !zero(c) &&
                            (error <= rounding_[c] || audits_.out_of_reach(c, value, tolerance_.allowed(value))));
    }
    if (met())
      end(heavy() ? Status::no_variance : Status::converged);
    else if (rounded)
      end(Status::precision_limit);
  }

  /// Takes the sums so far to the scale of those that are to come.
  void rescale(int exponent) {
    int const by = exponent_ - exponent;
    exponent_ = exponent;
    for (auto& shift : sums_)
      for (int c = 0; by != 0 && c < components; ++c) {
        using Acc = std::remove_cvref_t<decltype(shift.mean[c])>;
        shift.mean[c] = static_cast<Acc>(std::ldexp(shift.mean[c], by));
        shift.squares[c] = static_cast<Acc>(std::ldexp(shift.squares[c], 2 * by));
      }
  }

  double epsilon_, left_out_;
  int shifts_, longest_, used_;
  bool correlated_;
  int target_, power_ = 0, exponent_ = 0;
  int given_up_ = 0;  ///< iterations, the points of which were given up for a better map
  bool anew_ = false; ///< the next iteration begins anew
  std::vector<Sums> sums_;
  double rounding_[components] = {}, left_out_of_peak_[components] = {};
  Jumps jumps_[components];
  bool varies_[components] = {};
  Audits audits_;
  int most_at_first_ = most_first;
  std::optional<Iteration<Value>> reserve_;
};

} // namespace kubature::detail

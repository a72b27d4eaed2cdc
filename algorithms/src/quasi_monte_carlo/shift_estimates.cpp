#include <kubature/detail/quasi_monte_carlo/shift_estimates.hpp>

#include <kubature/covariance.hpp>
#include <kubature/detail/allowed_errors.hpp>
#include <kubature/detail/quasi_monte_carlo/caution.hpp>
#include <kubature/statistics.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>

namespace kubature::detail {

OfShifts::OfShifts(ShiftSums const& sums, int c) {
  auto const n = static_cast<double>(sums.size());
  double const origin = sums.mean(0, c);
  double shifted = 0, all_squares = 0, within = 0, scatter = 0;
  varies = false;
  for (std::size_t r = 0; r < sums.size(); ++r) {
    double const mean = sums.mean(r, c), squares = sums.squares(r, c);
    shifted += mean - origin;
    all_squares += mean * mean;
    within += squares / static_cast<double>(sums.counts(r).points);
    varies = varies || squares > 0 || mean != origin;
  }
  value = origin + shifted / n;
  for (std::size_t r = 0; r < sums.size(); ++r) {
    double const off = sums.mean(r, c) - value;
    scatter += off * off;
  }
  int const dof = static_cast<int>(sums.size()) - 1;
  error = student_factor(dof) * std::sqrt(scatter / dof / n);
  magnitude = std::sqrt((all_squares + within) / n);
  deviation = std::sqrt(within / n);
}

Spread::Spread(ShiftSums const& sums, int c) {
  auto const n = static_cast<double>(sums.size());
  OfShifts const of(sums, c);
  double const mean_square = of.magnitude * of.magnitude;
  if (!(mean_square > 0))
    return;
  double scatter = 0;
  for (std::size_t r = 0; r < sums.size(); ++r) {
    double const mean = sums.mean(r, c);
    double const square = sums.squares(r, c) / static_cast<double>(sums.counts(r).points) + mean * mean;
    scatter += (square / mean_square - 1) * (square / mean_square - 1);
  }
  gain = of.deviation / std::sqrt(static_cast<double>(sums.points())) / of.error;
  unsure = std::sqrt(scatter / (n * (n - 1)));
}

double size_of(ShiftSums const& sums) {
  double size = 0;
  for (int c = 0; c < sums.components(); ++c) {
    OfShifts const of(sums, c);
    size = ValueScale::larger(ValueScale::larger(size, of.value), std::max(of.error, of.magnitude));
  }
  return size;
}

ShiftEstimates::ShiftEstimates(Fixed const& fixed, Request const& request, Communicator const& ranks)
    : CallState("qmc", fixed.components, request, ranks), fixed_(fixed), used_(static_cast<std::size_t>(fixed.used)),
      target_(nearest_power(fixed.evaluations)), sums_(static_cast<std::size_t>(fixed.shifts), fixed.components),
      rounding_(static_cast<std::size_t>(fixed.components)), left_out_of_peak_(rounding_.size()),
      jumps_(rounding_.size()), varies_(rounding_.size()), most_at_first_(by_.most_first_power) {}

bool ShiftEstimates::wants_more() {
  if (ended())
    return false;
  if (done() == 0)
    power_ = std::min(first(), power_within(evaluations_left()));
  else if (!tolerance_.asked() && power_ >= target_)
    return conclude(Status::completed);
  if (done() >= limits_.iterations)
    return conclude(Status::iteration_limit);
  if ((!begins() && power_ == fixed_.longest) || evaluations_left() < all_fresh_points())
    return conclude(Status::evaluation_limit);
  keep_time();
  return !ended();
}

void ShiftEstimates::keep_pilot(ShiftSums const& all, ValueScale const& scaling, NonFinite policy) {
  Iteration<std::vector<double>> iteration;
  iteration.evaluations = all.points();
  std::uint64_t bad = 0;
  for (std::size_t r = 0; r < all.size(); ++r)
    bad += all.counts(r).serious;
  for (int c = 0; c < components(); ++c) {
    OfShifts const of(all, c);
    iteration.value.push_back(scaling.restored(of.value));
    iteration.error.push_back(scaling.restored(std::max(of.error, rounding(of))));
  }
  result_.evaluations += iteration.evaluations;
  if (bad == 0 || policy != NonFinite::error)
    pilot_ = std::move(iteration);
}

bool ShiftEstimates::needs(double times) const {
  return !ended() && tolerance_.asked() && !anew_ && power_ >= target_ && done() - given_up_ >= by_.least_known &&
         ahead() >= times * points();
}

int ShiftEstimates::worth_training(int trained) const {
  if (!needs(by_.many_for_map))
    return 0;
  double const wanted =
      std::min({ahead() / by_.retraining_part, by_.many_for_map * points(), by_.most_retraining}) / fixed_.shifts;
  int const result = std::min(fixed_.longest, static_cast<int>(std::log2(std::max(1.0, wanted))));
  return result > trained ? result : 0;
}

void ShiftEstimates::begin_anew(int power) {
  anew_ = true;
  target_ = power;
  power_ = first();
}

Limits ShiftEstimates::limits_left() const {
  Limits left = limits_;
  left.evaluations = evaluations_left();
  left.seconds = std::max(seconds_left(), std::numeric_limits<double>::min());
  left.iterations = Limits{}.iterations;
  return left;
}

bool ShiftEstimates::learn(std::uint64_t evaluations, std::uint64_t non_finite, Status status) {
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

Progress ShiftEstimates::before_iterations(std::uint64_t evaluations) const {
  return {"qmc", done(), result_.evaluations + evaluations, result_.value[0], result_.error[0], seconds()};
}

double ShiftEstimates::points() const { return static_cast<double>(fixed_.shifts) * std::ldexp(1.0, power_); }

void ShiftEstimates::audit() {
  if (done() == 0)
    return;
  result_.evaluations += audits_.audit(result_.evaluations, evaluations_left());
  double on_poles = 0;
  for (std::size_t r = 0; r < sums_.size(); ++r)
    on_poles += static_cast<double>(sums_.counts(r).on_poles);
  audits_.note_poles(on_poles / points());
  apply_audits();
}

int ShiftEstimates::nearest_power(std::uint64_t evaluations) const {
  double const each = static_cast<double>(evaluations) / fixed_.shifts;
  return each <= 1 ? 0 : std::min(fixed_.longest, static_cast<int>(std::lround(std::log2(each))));
}

void ShiftEstimates::end_for_memory() {
  if (done() > 0)
    end(Status::memory_exhausted);
  else
    give_up(Status::memory_exhausted);
}

void ShiftEstimates::add(ShiftSums const& fresh, ValueScale const& scaling, NonFinite policy) {
  power_ = next_power();
  if (anew_)
    forget();
  Iteration<std::vector<double>> iteration;
  std::uint64_t bad = 0, serious = 0;
  sums_.scale(exponent_ - scaling.exponent()); // to the scale of later ones
  exponent_ = scaling.exponent();
  iteration.evaluations = fresh.points();
  for (std::size_t r = 0; r < fresh.size(); ++r) {
    bad += fresh.counts(r).non_finite;
    serious += fresh.counts(r).serious;
  }
  sums_.join(fresh);
  double largest = 1;
  for (int c = 0; fixed_.correlated && c < fixed_.used; ++c)
    largest = std::max(largest, caution(c));
  for (int c = 0; c < components(); ++c) {
    auto const k = static_cast<std::size_t>(c);
    OfShifts const now(sums_, c);
    double const error = now.error * (fixed_.correlated ? largest : caution(c));
    rounding_[k] = scaling.restored(rounding(now));
    jumps_[k].add(means(c), by_.rounding_range * rounding(now),
                  [&](double distance) { return scaling.restored(distance); });
    iteration.value.push_back(scaling.restored(now.value));
    iteration.error.push_back(
        std::max({scaling.restored(error), rounding_[k], jumps_[k].least_error(), left_out_of_peak_[k]}));
    varies_[k] = now.varies;
  }
  if (fixed_.correlated)
    correlate(iteration);
  result_.value = iteration.value;
  result_.correlations = iteration.correlations;
  result_.evaluations += iteration.evaluations;
  result_.iterations.push_back(std::move(iteration));
  apply_audits();
  count_non_finite(bad, serious);
  if (serious > 0 && policy == NonFinite::error)
    return give_up(Status::non_finite);
  report();
  if (!ended() && tolerance_.asked() && power_ >= target_)
    conclude_if_met();
}

SeveralResult ShiftEstimates::finish() {
  if (done() == 0 && cut_short() && pilot_) {
    result_.value = pilot_->value;
    result_.error = pilot_->error;
    remark("the call ended within its first iteration: this is the estimate of " + std::to_string(pilot_->evaluations) +
           " points that were drawn before");
    result_.iterations.push_back(*std::move(pilot_));
    return CallState::finish();
  }
  if (status() != Status::non_finite && status() != Status::memory_exhausted)
    audit();
  for (std::size_t c = 0; c < used_; ++c)
    for (auto const& sentence : audits_.remarks(static_cast<int>(c), result_.value[c], result_.error[c]))
      remark(sentence);
  for (std::size_t c = 0; c < used_; ++c)
    if (done() > 0 && !varies_[c])
      remark("all values" + (used_ > 1 ? " of component " + std::to_string(c + 1) : std::string()) +
             " were the same: a peak may have been missed");
  return CallState::finish();
}

/// The remaining evaluations of the limit, which maps and trials may have exceeded.
std::uint64_t ShiftEstimates::evaluations_left() const {
  return limits_.evaluations - std::min(limits_.evaluations, result_.evaluations);
}

/// The points of all shifts that the tolerance is predicted to need, if errors keep falling as in the last iterations.
double ShiftEstimates::ahead() const {
  auto const last = result_.iterations.end() - 1;
  double const fell = excess(*(last - 2)) / excess(*last),
               power = std::clamp(std::log2(fell) / 2, by_.least_power, by_.most_power);
  return std::min({points() * std::pow(excess(*last), 1 / power), static_cast<double>(evaluations_left()),
                   std::ldexp(points(), std::min(64, limits_.iterations - done()))});
}

/// The error of an iteration, or of rounding if that is larger, divided by the allowed error.
double ShiftEstimates::excess(Iteration<std::vector<double>> const& iteration) const {
  auto const allowed = this->allowed(iteration.value, iteration.error);
  double worst = 0;
  for (std::size_t c = 0; c < used_; ++c)
    if (!zero(c))
      worst = std::max(worst, iteration.error[c] / std::max(allowed[c], rounding_[c]));
  return worst;
}

/// Drops the points so far, for those of another map.
void ShiftEstimates::forget() {
  remark("restarted after iteration " + std::to_string(done()) +
         " in a map or transform chosen with more evaluations; the points so far were discarded");
  given_up_ = done();
  sums_ = ShiftSums(sums_.size(), components());
  for (auto& jumps : jumps_)
    jumps.begin_anew();
  anew_ = false;
}

/// Over all points so far of each shift.
std::vector<double> ShiftEstimates::means(int c) const {
  std::vector<double> result;
  for (std::size_t r = 0; r < sums_.size(); ++r)
    result.push_back(sums_.mean(r, c));
  return result;
}

/// The possible shift of the mean by the rounding of values, and by the ends of the sides that points avoid.
double ShiftEstimates::rounding(OfShifts const& of) const {
  return by_.rounding * fixed_.epsilon * of.magnitude + fixed_.left_out * of.deviation;
}

/// The factor by which the error of a component is enlarged, or of all if errors are correlated: linear relations hold
/// then.
double ShiftEstimates::caution(int c) const {
  Spread const of(sums_, c);
  return OfShifts(sums_, c).varies ? detail::caution(of.gains(), of.unsure, means(c)) : 1;
}

/// Adds the correlations of the shifts' means; none for a component whose error is due to rounding.
void ShiftEstimates::correlate(Iteration<std::vector<double>>& iteration) const {
  std::size_t const n = sums_.size();
  std::vector<std::vector<double>> off(rounding_.size(), std::vector<double>(n)); // of a component, a unit vector
  for (int c = 0; c < components(); ++c) {
    auto const k = static_cast<std::size_t>(c);
    double const value = OfShifts(sums_, c).value;
    double squares = 0;
    for (std::size_t r = 0; r < n; ++r) {
      off[k][r] = sums_.mean(r, c) - value;
      squares += off[k][r] * off[k][r];
    }
    bool const known = iteration.error[k] > rounding_[k] && squares > 0;
    for (double& x : off[k])
      x = known ? x / std::sqrt(squares) : 0;
  }
  for (std::size_t j = 1; j < off.size(); ++j)
    for (std::size_t i = 0; i < j; ++i)
      iteration.correlations.push_back(
          std::clamp(std::inner_product(off[i].begin(), off[i].end(), off[j].begin(), 0.0), -1.0, 1.0));
}

int ShiftEstimates::first() const {
  return std::min(
      {target_, most_at_first_, std::clamp(target_ - by_.doublings, by_.least_first_power, by_.most_first_power)});
}

int ShiftEstimates::power_within(std::uint64_t evaluations) const {
  return std::max(0, static_cast<int>(std::bit_width(evaluations / static_cast<std::uint64_t>(fixed_.shifts))) - 1);
}

/// Whether all values of a component so far are zero.
bool ShiftEstimates::zero(std::size_t c) const { return !varies_[c] && result_.value[c] == 0; }

bool ShiftEstimates::all_zero() const {
  for (std::size_t c = 0; c < used_; ++c)
    if (!zero(c))
      return false;
  return done() > 0;
}

bool ShiftEstimates::heavy() const {
  for (std::size_t c = 0; c < used_; ++c)
    if (audits_.no_variance(static_cast<int>(c), result_.iterations.back().error[c]))
      return true;
  return false;
}

/// What the tolerance allows to each component in use, of an estimate of them.
std::vector<double> ShiftEstimates::allowed(std::vector<double> const& values,
                                            std::vector<double> const& errors) const {
  return allowed_errors(tolerance_, std::span(values).first(used_), std::span(errors).first(used_));
}

bool ShiftEstimates::met() const {
  auto const allowed = this->allowed(result_.value, result_.error);
  for (std::size_t c = 0; c < used_; ++c)
    if (!(allowed[c] > 0 && result_.error[c] <= allowed[c]) && !(zero(c) && used_ > 1))
      return false;
  return true;
}

void ShiftEstimates::apply_audits() {
  auto const& iteration = result_.iterations.back();
  result_.error = iteration.error;
  for (std::size_t c = 0; c < used_; ++c)
    result_.error[c] = audits_.error(static_cast<int>(c), iteration.value[c], iteration.error[c]);
  result_.k_hat = audits_.k_hat();
}

/// Always false.
bool ShiftEstimates::conclude(Status status) { return end(all_zero() ? Status::no_variance : status); }

void ShiftEstimates::conclude_if_met() {
  if (all_zero()) {
    end(Status::no_variance);
    return;
  }
  if (met())
    audit();
  bool rounded = false;
  auto const allowed = this->allowed(result_.value, result_.error);
  for (std::size_t c = 0; c < used_; ++c) {
    double const value = result_.value[c], error = result_.error[c];
    bool const hidden = audits_.out_of_reach(static_cast<int>(c), value, allowed[c]),
               met = allowed[c] > 0 && error <= allowed[c];
    rounded = rounded || (!met && !zero(c) && (error <= rounding_[c] || hidden));
  }
  if (met())
    end(heavy() ? Status::no_variance : Status::converged);
  else if (rounded)
    end(Status::precision_limit);
}

} // namespace kubature::detail

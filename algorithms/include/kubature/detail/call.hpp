#pragma once

#include <kubature/communicator.hpp>
#include <kubature/progress.hpp>
#include <kubature/result.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <source_location>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubature::detail {

/// One call of a method: what was asked, the result as it grows, and why it ends.
template <class Value>
class Call {
public:
  using Traits = ValueTraits<Value>;
  static constexpr int components = Traits::components;

  Call(std::string_view method, Tolerance tolerance, Limits limits, Callback const& callback,
       std::source_location where, Communicator const& ranks = {})
      : tolerance_(tolerance), limits_(limits), method_(method), callback_(callback), ranks_(ranks) {
    check(tolerance, where);
    check(limits, where);
    set_nan(result_.value);
    set_nan(result_.error);
    set_nan(result_.chi2_per_dof);
    set_nan(result_.q_value);
  }

  /// Iterations so far.
  int done() const { return static_cast<int>(result_.iterations.size()); }
  bool ended() const { return ended_; }
  Status status() const { return result_.status; }

  /// Ends the call. Always false.
  bool end(Status status) {
    result_.status = status;
    ended_ = true;
    return false;
  }

  /// Changes the limit of evaluations, to one that is not below those so far.
  void limit(std::uint64_t evaluations) { limits_.evaluations = evaluations; }

  /// Ends the call if its time is up on any process.
  void keep_time() {
    if (timed() && ranks_.any(seconds_left() + grace_ <= 0))
      end(Status::time_limit);
  }
  /// Grants additional seconds for as long as a method has no estimate at all.
  void grant(double seconds) { grace_ = seconds; }
  double seconds_left() const { return limits_.seconds - timer_.seconds(); }
  /// Seconds since the call began.
  double seconds() const { return timer_.seconds(); }

  /// Whether the call has a time limit.
  bool timed() const { return limits_.seconds < Limits{}.seconds; }
  /// Whether anything may end the call during an iteration.
  bool watched() const { return timed() || callback_; }

  /// Called between the slices of a long iteration (see Slices): looks at the clock and, ten times a second, asks the
  /// callback, unless the iteration is done and will be reported anyway.
  /// @returns whether to go on, which is the same on all processes
  bool look(bool done) {
    if (!done && callback_ && timer_.seconds() - reported_ >= 0.1)
      stop_ = stop_ || !call_back();
    if (!watched() && ranks_.size() == 1)
      return true;
    if (ranks_.any(stop_))
      end(Status::stopped);
    if (!ended())
      keep_time();
    return !ended();
  }

  /// Tells the caller something; the same sentence only once.
  void remark(std::string const& sentence) {
    if (std::find(result_.remarks.begin(), result_.remarks.end(), sentence) == result_.remarks.end())
      result_.remarks.push_back(sentence);
  }

  /// Counts values that were not finite, some of which may matter (harmless_values.hpp).
  void count_non_finite(std::uint64_t all, std::uint64_t serious) {
    result_.non_finite += all;
    serious_ += serious;
  }

  /// Has a call that ends with Status::non_finite say where.
  /// @param locate locate(n) looks at n points
  void locate_by(std::function<std::vector<double>(std::uint64_t)> locate) { locate_ = std::move(locate); }

  /// Ends the call without an estimate: out of memory, or an integrand that is not finite.
  void give_up(Status status) {
    set_nan(result_.value);
    set_nan(result_.error);
    end(status);
  }

  /// The result so far, of a call that is to go on.
  Result<Value> so_far() const {
    auto result = result_;
    result.seconds = timer_.seconds();
    result.method = method_;
    return result;
  }

  Result<Value> finish() {
    if (locate_ && status() == Status::non_finite && limits_.evaluations - result_.evaluations >= looked_at) {
      result_.evaluations += looked_at;
      result_.non_finite_at = locate_(looked_at);
      if (!result_.non_finite_at.empty())
        remark("the value is not finite at " + in_words(result_.non_finite_at));
    }
    if (result_.non_finite > 0 && std::isfinite(Traits::get(std::as_const(result_.value), 0)))
      remark(std::to_string(result_.non_finite) + " values were not finite, " +
             (serious_ == 0 ? "on a pole or where the integrand has died away, " : "") + "and count as zero");
    result_.seconds = timer_.seconds();
    result_.method = method_;
    return std::move(result_);
  }

protected:
  /// Whether a limit or the callback ended the call.
  bool cut_short() const {
    auto const status = result_.status;
    return status == Status::time_limit || status == Status::stopped || status == Status::evaluation_limit ||
           status == Status::iteration_limit;
  }

  /// Tells the callback how far the call is, and ends the call if the callback asks for it, on any process.
  void report() {
    stop_ = stop_ || (callback_ && !call_back());
    if (ranks_.any(stop_))
      end(Status::stopped);
  }

  Tolerance tolerance_;
  Limits limits_;
  Result<Value> result_;

private:
  bool call_back() {
    reported_ = timer_.seconds();
    return callback_(Progress{method_, done(), result_.evaluations, Traits::get(std::as_const(result_.value), 0),
                              Traits::get(std::as_const(result_.error), 0), reported_});
  }

  /// "(0.25, 1.5)".
  static std::string in_words(std::vector<double> const& point) {
    std::ostringstream text;
    for (std::size_t i = 0; i < point.size(); ++i)
      text << (i == 0 ? "(" : ", ") << point[i];
    return text.str() + ")";
  }

  static constexpr std::uint64_t looked_at = 1 << 12; ///< points

  static void set_nan(Value& value) {
    for (int c = 0; c < components; ++c)
      Traits::get(value, c) = std::numeric_limits<double>::quiet_NaN();
  }

  std::string_view method_;
  Callback const& callback_;
  Communicator ranks_;
  Kokkos::Timer timer_;
  std::uint64_t serious_ = 0;
  std::function<std::vector<double>(std::uint64_t)> locate_;
  double reported_ = 0, grace_ = 0;
  bool ended_ = false, stop_ = false;
};

} // namespace kubature::detail

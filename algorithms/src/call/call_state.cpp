#include <kubature/detail/call/call_state.hpp>

#include <kubature/detail/policies/call_policy.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace kubature::detail {
namespace {

/// "(0.25, 1.5)".
std::string in_words(std::vector<double> const& point) {
  std::ostringstream text;
  for (std::size_t i = 0; i < point.size(); ++i)
    text << (i == 0 ? "(" : ", ") << point[i];
  return text.str() + ")";
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

} // namespace

CallState::CallState(std::string_view method, int components, Request const& request, Communicator const& ranks)
    : tolerance_(request.tolerance), limits_(request.limits), method_(method), callback_(request.callback),
      ranks_(ranks) {
  check(tolerance_, request.where);
  check(limits_, request.where);
  result_.value.assign(static_cast<std::size_t>(components), nan);
  result_.error = result_.chi2_per_dof = result_.q_value = result_.value;
}

bool CallState::end(Status status) {
  result_.status = status;
  ended_ = true;
  return false;
}

void CallState::keep_time() {
  if (timed() && ranks_.any(seconds_left() + grace_ <= 0))
    end(Status::time_limit);
}

bool CallState::look(bool done) {
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

void CallState::remark(std::string const& sentence) {
  if (std::find(result_.remarks.begin(), result_.remarks.end(), sentence) == result_.remarks.end())
    result_.remarks.push_back(sentence);
}

void CallState::count_non_finite(std::uint64_t all, std::uint64_t serious) {
  result_.non_finite += all;
  serious_ += serious;
}

void CallState::give_up(Status status) {
  result_.value.assign(result_.value.size(), nan);
  result_.error = result_.value;
  end(status);
}

SeveralResult CallState::so_far() const {
  auto result = result_;
  result.seconds = timer_.seconds();
  result.method = method_;
  return result;
}

SeveralResult CallState::finish() {
  auto const looked_at = policy<CallPolicy>().points_for_non_finite;
  if (locate_ && status() == Status::non_finite && limits_.evaluations - result_.evaluations >= looked_at) {
    result_.evaluations += looked_at;
    result_.non_finite_at = locate_(looked_at);
    if (!result_.non_finite_at.empty())
      remark("the value is not finite at " + in_words(result_.non_finite_at));
  }
  if (result_.non_finite > 0 && std::isfinite(result_.value[0]))
    remark(std::to_string(result_.non_finite) + " values were not finite, " +
           (serious_ == 0 ? "on a pole or where the integrand has vanished, " : "") + "and count as zero");
  result_.seconds = timer_.seconds();
  result_.method = method_;
  return std::move(result_);
}

bool CallState::cut_short() const {
  auto const status = result_.status;
  return status == Status::time_limit || status == Status::stopped || status == Status::evaluation_limit ||
         status == Status::iteration_limit;
}

void CallState::report() {
  stop_ = stop_ || (callback_ && !call_back());
  if (ranks_.any(stop_))
    end(Status::stopped);
}

bool CallState::call_back() {
  reported_ = timer_.seconds();
  return callback_(Progress{method_, done(), result_.evaluations, result_.value[0], result_.error[0], reported_});
}

} // namespace kubature::detail

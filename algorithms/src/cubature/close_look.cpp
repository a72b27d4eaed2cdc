#include <kubature/detail/cubature/close_look.hpp>

#include "call/agreement.hpp"

#include <kubature/detail/policies/cubature_policy.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace kubature::detail {
namespace {

/// How long a grid will take: as long as the last one and, for its further evaluations, what those took by which the
/// last one exceeded the one before. Launching a kernel is not among these: on busy hosts it takes milliseconds.
class Times {
public:
  /// @param filled evaluations that take no longer than launching their kernels
  explicit Times(double filled) : filled_(filled) {}

  void add(SeveralResult const& one) {
    before_ = std::exchange(last_, {static_cast<double>(one.evaluations), one.seconds});
  }
  /// The last one once more: another process may have had the processor the first time.
  void repeat(SeveralResult const& one) { last_.seconds = std::min(last_.seconds, one.seconds); }
  double expected(double evaluations) const {
    double const each =
        std::max(0.0, last_.seconds - before_.seconds) / std::max(filled_, last_.evaluations - before_.evaluations);
    return last_.seconds + each * std::max(0.0, evaluations - last_.evaluations);
  }

private:
  struct Taken {
    double evaluations = 0, seconds = 0;
  };
  double filled_;
  Taken before_, last_;
};

} // namespace

std::optional<SeveralResult>
CloseLook::operator()(SeveralResult const& found, std::uint64_t left,
                      std::function<SeveralResult(int level, std::uint64_t most)> const& call) const {
  auto const& by = policy<CubaturePolicy>();
  std::optional<SeveralResult> last;
  if (dimension > 2)
    return last;
  bool confirmed = true, settled = true;
  double const allowed = std::clamp(by.look_share * (found.seconds - by.quiet_launch), by.look_seconds,
                                    std::max(by.look_seconds, by.most_look_seconds));
  Times times(on_gpu ? by.device_launch : by.host_launch);
  times.add(found);
  int tried = 0;
  for (int const level : dimension == 1 ? std::array{6, 9, 13} : std::array{3, 5, 7}) {
    auto const wanted = static_cast<double>(points << dimension * level);
    auto const most =
        std::min(left, static_cast<std::uint64_t>(by.look_limit * (wanted + static_cast<double>(found.evaluations))));
    bool const unsettled = !settled || (on_gpu && !last); // time does not matter then
    auto const takes_too_long = [&] { return ranks.any(times.expected(wanted) > allowed && !unsettled); };
    if (wanted > static_cast<double>(most))
      break;
    if (takes_too_long()) {
      if (tried == 0)
        break;
      auto const again = call(tried, most);
      times.repeat(again);
      left -= std::min(left, again.evaluations);
      if (takes_too_long())
        break;
    }
    auto result = call(level, most);
    tried = level;
    times.add(result);
    left -= std::min(left, result.evaluations);
    bool const converged = result.status == Status::converged;
    if (!converged && agree(result, found, 1))
      break; // a limit has ended it, and it contradicts nothing
    settled = converged && agree(result, last ? *last : found, 1);
    confirmed = confirmed && converged && agree(result, found, 1);
    last = std::move(result);
  }
  if (confirmed)
    last.reset();
  else if (!settled && last->status == Status::converged)
    last->status = Status::iteration_limit;
  return last;
}

void CloseLook::check(SeveralResult& result, Limits const& limits,
                      std::function<SeveralResult(int level, Limits const& rest)> const& call) const {
  if (result.status != Status::converged)
    return;
  auto evaluations = result.evaluations;
  double seconds = result.seconds;
  auto other = (*this)(result, limits.evaluations - std::min(limits.evaluations, evaluations),
                       [&](int level, std::uint64_t most) {
                         Limits rest = limits;
                         rest.evaluations = most;
                         rest.seconds = std::max(limits.seconds - seconds, std::numeric_limits<double>::min());
                         auto found = call(level, rest);
                         evaluations += found.evaluations;
                         seconds += found.seconds;
                         return found;
                       });
  if (other)
    result = *std::move(other);
  result.evaluations = evaluations;
  result.seconds = seconds;
}

} // namespace kubature::detail

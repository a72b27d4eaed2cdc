#include <kubature/detail/cubature/close_look.hpp>

#include "call/agreement.hpp"

#include <kubature/detail/policies/cubature_policy.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace kubature::detail {

std::optional<SeveralResult>
CloseLook::operator()(SeveralResult const& found, std::uint64_t left,
                      std::function<SeveralResult(int level, std::uint64_t most)> const& call) const {
  auto const& by = policy<CubaturePolicy>();
  std::optional<SeveralResult> last;
  if (dimension > 2)
    return last;
  bool confirmed = true, settled = true;
  double last_seconds = found.seconds, evaluations = static_cast<double>(found.evaluations);
  double const filled = on_gpu ? by.look_launch : 1; // shorter calls take as long
  for (int const level : dimension == 1 ? std::array{6, 9, 13} : std::array{3, 5, 7}) {
    auto const wanted = static_cast<double>(points << dimension * level);
    auto const most =
        std::min(left, static_cast<std::uint64_t>(by.look_limit * (wanted + static_cast<double>(found.evaluations))));
    double const expected =
        last_seconds * (evaluations < filled ? std::max(1.0, wanted / filled) : wanted / evaluations);
    bool const unsettled = !settled || (on_gpu && !last); // time does not matter then
    if (ranks.any((expected > by.look_seconds && !unsettled) || wanted > static_cast<double>(most)))
      break;
    auto result = call(level, most);
    last_seconds = result.seconds;
    evaluations = static_cast<double>(result.evaluations);
    left -= std::min(left, result.evaluations);
    bool const converged = result.status == Status::converged;
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

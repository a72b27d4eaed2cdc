#include <kubature/detail/call/schedule.hpp>

#include <kubature/detail/policies/call_policy.hpp>

#include <algorithm>

namespace kubature::detail {

Schedule find_schedule(Communicator const& ranks, CallState const& call, std::uint64_t samples, int iterations,
                       std::function<std::uint64_t(std::uint64_t)> const& draw) {
  auto const& by = policy<CallPolicy>();
  if (!call.timed())
    return {samples, iterations};
  auto const shortest = [&](double seconds) { // of all ranks
    return 1e-6 * static_cast<double>(ranks.least(static_cast<std::uint64_t>(1e6 * std::clamp(seconds, 0.0, 1e12))));
  };
  for (std::uint64_t n = by.least_pilot; !call.ended(); n *= by.pilot_growth) {
    double const before = shortest(call.seconds_left());
    std::uint64_t const drawn = draw(std::min(n, samples));
    if (drawn == 0)
      break;
    double const left = shortest(call.seconds_left()), taken = std::max(before - left, 1e-6);
    double const rate = static_cast<double>(drawn) / taken, wanted = static_cast<double>(samples) / rate;
    double const shorter = std::max(static_cast<double>(by.least_pilot), rate * left / by.iterations_that_fit);
    if (wanted <= by.iteration_part * left || wanted * iterations <= 2 * by.iteration_part * left ||
        shorter >= static_cast<double>(samples))
      return {samples, iterations, rate * left};
    if (taken < by.pilot_part * left && by.pilot_growth * n < samples)
      continue;
    double const more = iterations * (static_cast<double>(samples) / shorter);
    return {static_cast<std::uint64_t>(shorter), static_cast<int>(std::min(more, 1e9)), rate * left};
  }
  return {samples, iterations};
}

} // namespace kubature::detail

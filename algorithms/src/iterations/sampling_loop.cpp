#include <kubature/detail/iterations/sampling_loop.hpp>

#include <utility>

namespace kubature::detail {

std::optional<Drawn> SamplingLoop::draw(SamplingPlan const& plan) {
  for (;;) {
    auto drawn = engine_.draw(plan, scale_);
    if (drawn && (plan.purpose == Purpose::trial || !scale_.adjust_to(drawn->size)))
      return drawn;
    engine_.forget(scale_.exponent());
    if (!drawn)
      return drawn;
  }
}

Schedule SamplingLoop::find_schedule(std::uint64_t samples, int iterations,
                                     std::function<SamplingPlan(std::uint64_t)> const& pilot) {
  return detail::find_schedule(ranks_, estimates_, samples, iterations, [&](std::uint64_t n) -> std::uint64_t {
    auto plan = pilot(n);
    plan.stream = pilot_stream;
    auto drawn = draw(plan);
    if (!drawn)
      return 0;
    estimates_.keep_pilot(std::move(drawn->step), non_finite_);
    return drawn->samples;
  });
}

void SamplingLoop::iterate(int iterations, SamplingPlan plan, std::uint32_t& stream) {
  while (estimates_.wants_more(iterations, plan.samples)) {
    plan.stream = stream;
    auto drawn = draw(plan);
    if (!drawn)
      break;
    ++stream;
    add(std::move(*drawn));
  }
}

} // namespace kubature::detail

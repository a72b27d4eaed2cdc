#pragma once

#include <kubature/progress.hpp>
#include <kubature/tolerance.hpp>

#include <algorithm>
#include <cstdint>

namespace kubature::runtime {

/// Integrates an integrand each of whose evaluations needs several of another one, and counts those of the other.
/// @param integrate called with the limits and the callback in terms of the integrand
template <class Integrate>
auto counted(int pieces, Limits limits, Callback const& callback, Integrate const& integrate) {
  auto const each = static_cast<std::uint64_t>(pieces);
  if (limits.evaluations < Limits{}.evaluations)
    limits.evaluations = std::max(limits.evaluations / each, std::uint64_t{1});
  auto const report = [&](Progress progress) {
    progress.evaluations *= each;
    return callback(progress);
  };
  auto result = integrate(limits, callback ? Callback(report) : callback);
  result.evaluations *= each;
  result.non_finite *= each;
  for (auto& iteration : result.iterations)
    iteration.evaluations *= each;
  return result;
}

} // namespace kubature::runtime

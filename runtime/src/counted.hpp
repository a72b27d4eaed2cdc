#pragma once

#include <kubature/progress.hpp>
#include <kubature/tolerance.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

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

/// "(0.5, 1)", as remarks have it.
inline std::string in_words(std::vector<double> const& point) {
  std::ostringstream text;
  for (std::size_t i = 0; i < point.size(); ++i)
    text << (i == 0 ? "(" : ", ") << point[i];
  return text.str() + ")";
}

/// Replaces the point of a result at which a value is not finite by the one that original(point) returns.
template <class AnyResult, class Original>
void locate(AnyResult& result, Original const& original) {
  if (result.non_finite_at.empty())
    return;
  auto const before = in_words(result.non_finite_at);
  result.non_finite_at = original(result.non_finite_at);
  for (auto& remark : result.remarks)
    if (auto const at = remark.find(before); at != remark.npos)
      remark.replace(at, before.size(), in_words(result.non_finite_at));
}

} // namespace kubature::runtime

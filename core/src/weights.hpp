#pragma once

#include <kubature/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace kubature::detail {

/// The weights relative to the first, scaled by a power of two that keeps sums in range; or all equal.
class Weights {
public:
  explicit Weights(std::span<Estimate const> estimates)
      : weighted_(std::all_of(estimates.begin(), estimates.end(),
                              [](Estimate const& e) { return e.weight > 0 && std::isfinite(e.weight); })) {
    if (!weighted_)
      return;
    first_ = estimates.front().weight;
    double most = 1;
    for (auto const& e : estimates)
      most = std::max(most, e.weight / first_);
    unit_ = std::ldexp(1.0, -std::ilogb(most));
  }
  double operator()(Estimate const& e) const { return weighted_ ? e.weight / first_ * unit_ : 1; }

private:
  bool weighted_;
  double first_ = 1, unit_ = 1;
};

} // namespace kubature::detail

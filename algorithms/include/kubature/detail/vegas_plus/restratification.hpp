#pragma once

#include <kubature/detail/checkpoint/archive.hpp>
#include <kubature/detail/policies/vegas_policy.hpp>
#include <kubature/detail/vegas_plus/redistribution.hpp>
#include <kubature/detail/vegas_plus/training.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace kubature::detail {

/// Whether VEGAS+ distributes its strata among the axes according to the variation along each axis of the integral over
/// the others: decided once, by a trial (docs/design/vegas-adaptation.md, "Strata where they matter"). An iteration is
/// drawn again in such strata, from the same map, and they are kept if its error is clearly smaller.
class Restratification {
public:
  Restratification(std::optional<bool> asked, std::uint64_t evaluations)
      : learns_(!asked && learns_fast(evaluations)) {}

  bool learns() const { return learns_; }

  /// Returns to the state before the first iteration.
  void restart() {
    tried_ = false;
    iterations_ = 0;
    before_.fill(infinite);
  }

  /// Learns from an adaptive iteration.
  /// @param error of the integral, from `samples` samples
  void learn(double error, std::uint64_t samples) {
    before_ = {before_[1], before_[2], error * std::sqrt(static_cast<double>(samples))};
    iterations_ = std::min(iterations_ + 1, by_.trial_after);
  }

  /// Whether it is time for a trial: the map is trained, there are few strata per axis, and enough iterations lie ahead
  /// for it to pay.
  bool tries(double cubes, int dimension, double ahead) const {
    return learns_ && !tried_ && iterations_ == by_.trial_after && ahead >= by_.least_ahead &&
           !few_variables(cubes, dimension);
  }

  /// Whether the trial may continue after its first iteration, in which samples are not yet redistributed.
  bool may_pay(double error, std::uint64_t samples) const { return error < by_.may_pay * known(samples); }
  /// Whether its last iteration shows that the other strata are better.
  bool pays(double error, std::uint64_t samples) const { return error < by_.pays * known(samples); }

  void end() { tried_ = true; }

  /// Saves or restores it as part of a checkpoint; does nothing if there is nothing to learn.
  void transfer(Archive& archive) {
    if (!learns_)
      return;
    archive.transfer(tried_);
    archive.transfer(iterations_);
    for (double& error : before_) {
      archive.transfer(error);
      archive.expect(error >= 0, "an error is negative");
    }
    archive.expect(iterations_ <= by_.trial_after && (!tried_ || iterations_ == by_.trial_after),
                   "its strata are not those of VEGAS+");
  }

private:
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  /// The known error of the strata with this many samples: the least of the last three iterations, since one with a
  /// rare large value is not representative.
  double known(std::uint64_t samples) const {
    return *std::min_element(before_.begin(), before_.end()) / std::sqrt(static_cast<double>(samples));
  }

  VegasPolicy by_ = policy<VegasPolicy>();
  bool learns_;
  bool tried_ = false;
  std::uint32_t iterations_ = 0;                               ///< since it began
  std::array<double, 3> before_{infinite, infinite, infinite}; ///< of the last iterations, scaled to one sample
};

} // namespace kubature::detail

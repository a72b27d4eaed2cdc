#pragma once

#include <kubature/detail/checkpoint/archive.hpp>
#include <kubature/detail/policies/vegas_policy.hpp>
#include <kubature/detail/vegas_plus/training.hpp>
#include <kubature/options.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kubature::detail {

/// The part of the samples that is allocated to strata by weight.
/// @param asked the option `redistribute`
inline double part_by_weight(double asked) {
  return asked == own_choice ? policy<VegasPolicy>().part_by_weight : asked;
}

/// The samples of an iteration that are spread evenly over the strata, two each, if a part is allocated by weight.
inline std::uint64_t spread_evenly(double part, std::uint64_t evaluations) {
  return std::max<std::uint64_t>(2, static_cast<std::uint64_t>((1 - part) * static_cast<double>(evaluations)));
}

/// Whether there are so few variables that there are many strata per axis.
inline bool few_variables(double cubes, int dimension) {
  return std::pow(cubes, 1.0 / dimension) > policy<VegasPolicy>().few_variables;
}

/// Whether VEGAS+ redistributes samples, or instead has cubes of two samples each, four times as many. This is decided
/// once, from the third to fifth iterations (docs/design/vegas-adaptation.md, "Cubes or samples").
///
/// The variances of the cubes, which are unbiased however few their samples, give the error of these cubes with equal
/// numbers of samples. The gain is its square divided by that of the iteration's error. Finer cubes are chosen if they
/// are likely to gain more.
class Redistribution {
public:
  Redistribution(double asked, std::uint64_t evaluations)
      : part_(part_by_weight(asked)), learns_(asked == own_choice && learns_fast(evaluations)) {}

  /// The part of the samples that is redistributed in the next iteration.
  double part() const { return finer_ ? 0 : part_; }
  /// Whether finer cubes have been found to be better.
  bool finer() const { return finer_; }

  /// Returns to the state before the first iteration.
  void restart() {
    finer_ = false;
    iterations_ = 0;
    least_ = infinite;
    most_ = 0;
  }

  /// Whether the gain of the iteration that is ending, with this many cubes, is needed.
  bool asks(double cubes, int dimension) const {
    return learns_ &&
           (iterations_ == by_.last_measured ||
            (iterations_ >= by_.first_measured && iterations_ < by_.last_measured && few_variables(cubes, dimension)));
  }

  /// Learns from an adaptive iteration.
  /// @param samples of the iteration
  /// @param finer   the number of cubes if each had two samples
  /// @param gain    of the iteration, if needed
  /// @returns whether finer cubes are used from now on
  bool learn(std::uint64_t samples, double cubes, double finer, int dimension, double gain) {
    if (asks(cubes, dimension)) {
      least_ = std::min(least_, gain);
      most_ = std::max(most_, gain);
    }
    // The gain of finer cubes if the integrand jumps; in many variables the gain still grows a little after it is
    // measured.
    bool const worth =
        gain < std::pow(finer / cubes, (few_variables(cubes, dimension) ? 1 : by_.finer_power) / dimension);
    // With many strata per axis, samples and map adapt to each other. Until they have converged, the gain exceeds the
    // measured one.
    bool const settled =
        !few_variables(cubes, dimension) || (least_ > by_.least_settled && most_ < by_.most_settled * least_);
    finer_ = learns_ && iterations_ == by_.last_measured && worth && settled;
    samples_ = samples;
    iterations_ = std::min(iterations_ + 1, by_.last_measured + 1);
    return finer_;
  }

  /// Whether the choice was made for iterations so much smaller that it has to be repeated.
  bool outgrown(std::uint64_t samples) const { return finer_ && samples / by_.outgrown > samples_; }

  /// Saves or restores it as part of a checkpoint; does nothing if there is nothing to learn.
  void transfer(Archive& archive) {
    if (!learns_)
      return;
    archive.transfer(finer_);
    archive.transfer(iterations_);
    archive.transfer(least_);
    archive.transfer(most_);
    archive.transfer(samples_);
    archive.expect(iterations_ <= by_.last_measured + 1 && (!finer_ || iterations_ > by_.last_measured),
                   "its strata are not those of VEGAS+");
    archive.expect(least_ >= 0 && most_ >= 0, "a variance is negative");
  }

private:
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  VegasPolicy by_ = policy<VegasPolicy>();
  double part_;
  bool learns_;
  bool finer_ = false;
  std::uint32_t iterations_ = 0; ///< since it began
  double least_ = infinite, most_ = 0;
  std::uint64_t samples_ = 0; ///< of the last iteration that it learnt from
};

} // namespace kubature::detail

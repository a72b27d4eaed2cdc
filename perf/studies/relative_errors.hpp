#pragma once

#include "record.hpp"

#include <cmath>
#include <vector>

namespace kubature::perf {

/// Of one integral over several seeds: root mean squares of errors, reported and true, in units of the true value.
class RelativeErrors {
public:
  explicit RelativeErrors(double truth) : truth_(truth) {}

  void add(double value, double error, double seconds) {
    reported_ += std::pow(error / truth_, 2);
    true_ += std::pow((value - truth_) / truth_, 2);
    seconds_.push_back(seconds);
  }
  double milliseconds() const { return 1e3 * median(seconds_); } ///< the median
  double reported() const { return root_mean(reported_); }
  double off() const { return root_mean(true_); }

private:
  double root_mean(double sum) const { return std::sqrt(sum / static_cast<double>(seconds_.size())); }

  double truth_, reported_ = 0, true_ = 0;
  std::vector<double> seconds_;
};

} // namespace kubature::perf

#pragma once

#include "record.hpp"

#include <kubature/progress.hpp>

#include <vector>

namespace kubature::perf {

/// The seconds of each iteration, as seen by the callback, which is also called within long ones. The first iterations,
/// which include the set-up, are left out.
class IterationTimes {
public:
  explicit IterationTimes(int left_out = 1) : left_out_(left_out) {}

  Callback callback() {
    return [this](Progress const& progress) {
      if (progress.iteration == iteration_)
        return true;
      iteration_ = progress.iteration;
      if (progress.iteration > left_out_)
        seconds_.push_back(progress.seconds - last_);
      last_ = progress.seconds;
      return true;
    };
  }
  double median() const { return perf::median(seconds_); }

private:
  int left_out_, iteration_ = 0;
  double last_ = 0;
  std::vector<double> seconds_;
};

} // namespace kubature::perf

#include "calls_job.hpp"

#include <vector>

namespace kubature::perf {

std::vector<app::Job> jobs_of_sums() {
  return {sum<2, VegasPlus<>>("sum-2d"), sum<4, VegasPlus<>>("sum-4d"), sum<16, VegasPlus<>>("sum-16d"),
          sum<32, VegasPlus<>>("sum-32d")};
}

} // namespace kubature::perf

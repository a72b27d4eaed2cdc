#include "calls_job.hpp"

#include <vector>

namespace kubature::perf {

std::vector<app::Job> jobs_of_sums_by_mcubes() {
  return {sum<5, MCubes<>>("sum-5d"), sum<6, MCubes<>>("sum-6d"), sum<8, VegasPlus<>, MCubes<>>("sum-8d")};
}

} // namespace kubature::perf

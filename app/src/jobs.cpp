#include "jobs.hpp"

#include <kubature/precision.hpp>

namespace kubature::app {

std::vector<Job> jobs(std::string_view precision) {
  if (precision == "fp64")
    return all_compiled_jobs<Fp64>();
#ifndef KUBATURE_FP64_ONLY
  if (precision == "fp32")
    return all_compiled_jobs<Fp32>();
#endif
  return formula_jobs();
}

} // namespace kubature::app

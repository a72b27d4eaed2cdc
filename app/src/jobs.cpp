#include "jobs.hpp"

namespace kubature::app {

std::vector<Job> jobs(std::string_view precision) { return precision == "fp64" ? all_compiled_jobs() : formula_jobs(); }

} // namespace kubature::app

#pragma once

#include "jobs.hpp"

#include <oracle/cuhre.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// What the study `calls` has in several sources, since kernels take long to compile.
namespace kubature::perf {

/// The integrands of papers that the suite lacks, by VEGAS+ and m-Cubes.
std::vector<app::Job> jobs_of_papers();

/// A sequential Cuhre for an integral: to a relative tolerance, within a number of evaluations.
using Cuhre = std::function<oracle::CuhreResult(double relative, std::uint64_t evaluations)>;

/// Cuhre for the integrals of the papers on PAGANI and the two-phase method, by name; for the latter's integrands also
/// in numbers of variables that the suite lacks.
std::map<std::string, Cuhre, std::less<>> sequential_cuhre();

/// Sums of all variables, which take next to no time to evaluate: in the numbers of variables that the cuVegas paper
/// varies, by VEGAS+, and in those of integrands of the m-Cubes paper, by m-Cubes, among these 8 by both.
std::vector<app::Job> jobs_of_sums();
std::vector<app::Job> jobs_of_sums_by_mcubes();

} // namespace kubature::perf

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

/// Where a sequential Cuhre was when it met a tolerance, or when a limit ended it.
struct CuhreRung {
  double tolerance = 0, seconds = 0;
  oracle::CuhreResult result = {};
};
struct CuhreLimits {
  std::uint64_t evaluations = 0;
  double seconds = 0;
};

/// A sequential Cuhre for an integral, to relative tolerances in turn, each tighter than the one before, until one is
/// missed. A rung's time counts from the start, as that of a call to this tolerance alone.
using Cuhre = std::function<std::vector<CuhreRung>(std::vector<double> const& tolerances, CuhreLimits limits)>;

/// Cuhre for the integrals of the papers on PAGANI and the two-phase method, by name; for the latter's integrands also
/// in numbers of variables that the suite lacks.
std::map<std::string, Cuhre, std::less<>> sequential_cuhre();

/// Sums of all variables, which take next to no time to evaluate: in the numbers of variables that the cuVegas paper
/// varies, by VEGAS+, and in those of integrands of the m-Cubes paper, by m-Cubes, among these 8 by both.
std::vector<app::Job> jobs_of_sums();
std::vector<app::Job> jobs_of_sums_by_mcubes();

} // namespace kubature::perf

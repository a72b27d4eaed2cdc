#pragma once

#include <kubature/progress.hpp>
#include <kubature/result.hpp>
#include <kubature/runtime/settings.hpp>
#include <kubature/suite/entry.hpp>

#include <functional>
#include <string_view>
#include <vector>

namespace kubature::app {

/// A reference integral, ready to be computed in a given precision.
struct Job {
  suite::Entry entry;
  std::function<Result<>(runtime::Settings const&, Callback const&)> run;
};

/// The reference integrals available in a precision, in the suite's order.
std::vector<Job> jobs(std::string_view precision);

/// All of them, compiled for fp64, in the suite's order.
std::vector<Job> all_compiled_jobs();

/// Those with First to Last dimensions.
template <int First, int Last>
std::vector<Job> compiled_jobs();

/// Those whose formulas Expression::parse accepts, for every precision.
std::vector<Job> formula_jobs();

} // namespace kubature::app

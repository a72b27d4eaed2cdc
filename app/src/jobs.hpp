#pragma once

#include <kubature/progress.hpp>
#include <kubature/result.hpp>
#include <kubature/runtime/settings.hpp>
#include <kubature/suite/entry.hpp>

#include <functional>
#include <string_view>
#include <vector>

namespace kubature::app {

/// A reference integral, ready to be computed in one precision.
struct Job {
  suite::Entry entry;
  std::function<Result<>(runtime::Settings const&, Callback const&)> run;
};

/// The reference integrals of a precision, in the suite's order.
std::vector<Job> jobs(std::string_view precision);

/// Those that have First to Last dimensions, compiled for fp64 and fp32.
template <class P, int First, int Last>
std::vector<Job> compiled_jobs();

/// Those whose formulas Expression::parse takes, for every precision.
std::vector<Job> formula_jobs();

} // namespace kubature::app

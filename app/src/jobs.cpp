#include "jobs.hpp"

#include "processes.hpp"

#include <kubature/precision.hpp>
#include <kubature/runtime/integrator.hpp>
#include <kubature/suite/suite.hpp>

#include <algorithm>
#include <span>

namespace kubature::app {
namespace {

template <class P>
std::vector<Job> all_compiled() {
  std::vector<std::string_view> order;
  suite::for_each<suite::All>([&](suite::Entry const& entry, auto&&...) { order.push_back(entry.name); });
  auto const place = [&](Job const& job) { return std::ranges::find(order, job.entry.name); };
  std::vector<Job> all;
  for (auto const& some :
       {compiled_jobs<P, 2, 4>(), compiled_jobs<P, 5, 7>(), compiled_jobs<P, 8, 8>(), compiled_jobs<P, 9, 10>()})
    all.insert(all.end(), some.begin(), some.end());
  std::ranges::sort(all, {}, place);
  return all;
}

/// Those that Expression parses.
std::vector<Job> of_formulas() {
  std::vector<Job> all;
  suite::for_each<suite::All>([&](suite::Entry const& entry, auto&&...) {
    if (!entry.variables.empty())
      all.push_back({entry, [entry](runtime::Settings const& settings, Callback const& callback) {
                       runtime::Integrator integrator({}, processes(), settings);
                       return integrator.integrate(Expression::parse(entry.formula, entry.variables),
                                                   Box<dynamic>(std::span(&entry.side, 1), entry.dimension), callback);
                     }});
  });
  return all;
}

} // namespace

std::vector<Job> jobs(std::string_view precision) {
  if (precision == "fp64")
    return all_compiled<Fp64>();
#ifndef KUBATURE_FP64_ONLY
  if (precision == "fp32")
    return all_compiled<Fp32>();
#endif
  return of_formulas();
}

} // namespace kubature::app

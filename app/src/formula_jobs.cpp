#include "jobs.hpp"

#include "processes.hpp"

#include <kubature/runtime/integrator.hpp>
#include <kubature/suite/suite.hpp>

#include <span>

namespace kubature::app {

std::vector<Job> formula_jobs() {
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

} // namespace kubature::app

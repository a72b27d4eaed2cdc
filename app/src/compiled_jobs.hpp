#pragma once

#include "jobs.hpp"
#include "processes.hpp"

#include <kubature/runtime/detail/methods.hpp>
#include <kubature/suite/suite.hpp>

namespace kubature::app {

template <int First, int Last>
std::vector<Job> compiled_jobs() {
  std::vector<Job> jobs;
  suite::for_each_by_dimension<First, Last>([&](suite::Entry const& entry, auto const& integrand, auto const& box) {
    jobs.push_back({entry, [=](runtime::Settings const& settings, Callback const& callback) {
                      Result<> result;
                      runtime::detail::visit_method<Fp64>(settings, [&]<class M>(M const& method) {
                        if constexpr (!runtime::detail::is_mixed<M>) // see suite_tasks
                          result = runtime::detail::integrator({}, processes(), method)
                                       .integrate(integrand, box, settings.tolerance(), settings.limits(), callback);
                      });
                      return result;
                    }});
  });
  return jobs;
}

} // namespace kubature::app

#pragma once

#include "calls.hpp"

#include <kubature/integrator.hpp>
#include <kubature/runtime/detail/methods.hpp>
#include <kubature/suite/cuvegas.hpp>

#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace kubature::perf {

/// An integrand that the suite lacks, in D variables, by the given methods alone, since kernels take long to compile.
template <int D, class... Methods, class F>
app::Job job(suite::Entry entry, F const& f) {
  entry.dimension = D;
  Box<D> const box(entry.side.lower, entry.side.upper);
  return {entry, [f, box, name = std::string(entry.name)](runtime::Settings const& settings, Callback const& callback) {
            Result<> result;
            runtime::detail::visit_method<Fp64>(settings, [&]<class M>(M const& method) {
              if constexpr ((std::is_same_v<M, Methods> || ...))
                result = Integrator<M, Kokkos::DefaultExecutionSpace>({}, method)
                             .integrate(f, box, settings.tolerance(), settings.limits(), callback);
              else
                throw std::invalid_argument(name + " is not compiled for this method");
            });
            return result;
          }};
}

/// The sum of D variables.
template <int D, class... Methods>
app::Job sum(std::string_view name) {
  return job<D, Methods...>(
      {.name = name, .formula = "sum x_i", .value = D / 2.0, .source = "cuVegas table 3", .suites = {}},
      suite::Linear<D>{});
}

} // namespace kubature::perf

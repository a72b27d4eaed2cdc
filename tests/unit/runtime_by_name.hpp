#pragma once

#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>
#include <kubature/runtime/detail/region_kernels.hpp>
#include <kubature/runtime/integrator.hpp>

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

/// What the tests of methods by name share: an integrand, boxes, and how results by name compare with the templates'.
namespace runtime_by_name {

using namespace kubature;
using runtime::Settings;

inline Expression peak() { return Expression::parse("1/(0.05 + (x-0.4)^2 + (y-0.4)^2)"); }
inline Box<dynamic> const square{{0, 1}, {0, 2}};
inline Box<dynamic> const cube{{0, 1}, {0, 1}};

inline void expect_same(Result<> const& named, Result<> const& compiled) {
  EXPECT_EQ(named.value, compiled.value);
  EXPECT_EQ(named.error, compiled.error);
  bool const by_auto = !named.remarks.empty() && named.remarks.back().starts_with("auto: ");
  if (!by_auto) { // how closely Auto looks at two variables depends on the clock
    EXPECT_EQ(named.evaluations, compiled.evaluations);
  }
  EXPECT_EQ(named.regions, compiled.regions);
  EXPECT_EQ(named.status, compiled.status);
  EXPECT_EQ(named.method, compiled.method);
  EXPECT_EQ(named.precision, compiled.precision);
}

template <class Method>
void expect_same(Settings const& settings, Method const& method, Tolerance tolerance = {},
                 Box<dynamic> const& box = square) {
  SCOPED_TRACE(settings.method().name);
  SCOPED_TRACE(settings.precision().name);
  kubature::Integrator compiled(Kokkos::DefaultExecutionSpace(), method);
  runtime::Integrator named(settings);
  for (int call = 0; call < 2; ++call) // the second one continues from the first
    expect_same(named.integrate(peak(), box), compiled.integrate(peak(), box, tolerance));
}

inline Settings sampling(char const* method, char const* precision = "") {
  return Settings(method, precision).set("evaluations", 2e4).set("iterations", 6).set("skip", 2).set("seed", 3);
}

} // namespace runtime_by_name

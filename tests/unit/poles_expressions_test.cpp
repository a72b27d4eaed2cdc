#include "poles.hpp"

#include <kubature/expression.hpp>
#include <kubature/runtime/integrator.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

/// Values of expressions that are not finite, with the kernels of the library.
namespace poles_expressions_test {
namespace {

using namespace kubature;

std::vector<std::string> const sampling{"mc", "mcubes", "vegas+", "qmc", "mixed"};

Result<> by_name(std::string const& method, Expression const& f, Box<dynamic> const& box) {
  runtime::Settings settings(method);
  settings.set("relative", 1e-3).set("max_evaluations", 2e6);
  if (method != "pagani" && method != "two-phase" && method != "auto")
    settings.set("evaluations", 1e5);
  return runtime::Integrator(settings).integrate(f, box);
}

TEST(PolesOfExpressions, TailsCountAsZero) {
  // Not two exponentials in one product: those are one in the program.
  auto const f = Expression::parse("exp(2*x)*2^(-x^2/(2*log(2)))");
  for (auto const& method : sampling) {
    auto const result = by_name(method, f, Box<>{{-infinity, infinity}});
    SCOPED_TRACE(method);
    poles::expect_product<1>(result);
    if (method == "mc") {
      EXPECT_GT(result.non_finite, 100u) << result;
    }
  }
}

TEST(PolesOfExpressions, NotANumberInHalfOfTheBoxEndsTheCall) {
  auto const f = Expression::parse("sqrt(x - 0.5)", {"x", "y"});
  auto methods = sampling;
  methods.insert(methods.end(), {"pagani", "two-phase", "auto"});
  for (auto const& method : methods) {
    auto const result = by_name(method, f, Box<>{{0, 1}, {0, 1}});
    EXPECT_EQ(result.status, Status::non_finite) << method << ' ' << result;
    EXPECT_TRUE(std::isnan(result.value)) << method;
    EXPECT_GT(result.non_finite, 0u) << method;
  }
}

} // namespace
} // namespace poles_expressions_test

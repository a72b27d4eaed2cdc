#include "refused_text.hpp"

#include <kubature/formula_domain.hpp>
#include <kubature/runtime/integrator.hpp>

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

/// Distributions in domains that are known at run time.
namespace formula_measures_test {
namespace {

using namespace kubature;
using std::numbers::pi;

Result<> integral(std::string const& formula, std::string const& text, std::string const& breaks = "",
                  char const* method = "auto", char const* relative = "1e-8") {
  auto const domain = FormulaDomain::parse(text, {}, breaks);
  return runtime::Integrator(runtime::Settings(method).set("relative", relative).set("max_evaluations", "1e8"))
      .integrate(Expression::parse(formula, domain.variables()), domain);
}

/// The expectation of max(x - strike, 0), where ln(x) is normal.
double call(double mean, double deviation, double strike) {
  auto const below = [](double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; };
  double const d = (mean - std::log(strike)) / deviation;
  return std::exp(mean + deviation * deviation / 2) * below(d + deviation) - strike * below(d);
}

struct Known {
  std::string domain, formula;
  double value;
};

TEST(FormulaMeasures, HaveTheExpectationsThatAreKnown) {
  for (auto const& [domain, formula, value] :
       std::vector<Known>{{"x~normal(1, 2)", "x^2", 5},
                          {"x ~ normal(0,1)", "cos(x)", std::exp(-0.5)},
                          {"x~uniform(-1, 3)", "x^2", 7 / 3.0},
                          {"x~exponential(2)", "x^3", 0.75},
                          {"x~exponential(2)", "exp(x)", 2},
                          {"x~gamma(0.1, 2)", "x^2", 0.1 * 1.1 * 4},
                          {"x~gamma(2500, 0.01)", "x^2", 2500 * 2501e-4},
                          {"x~beta(0.3, 0.2)", "x", 0.6},
                          {"x~lognormal(0, 0.2)", "exp(x)", 2.835988297}, // the next line's, in normal variables
                          {"x~normal(0, 0.2)", "exp(exp(x))", 2.835988297},
                          {"x~student_t(6)", "x^4", 13.5},
                          {"x~student_t(3, 1, 2)", "x", 1},
                          {"x~normal(0,1), y=0:x", "y", 0.5},
                          {"x=0:2, y~normal(x, 1)", "y^2", 2 + 8 / 3.0},
                          {"m~gamma(3, 2), x~exponential(m)", "x", 0.25}, // the mean of 1/m
                          {"x~uniform(0, 1), y~uniform(x, x+1)", "y", 1},
                          {"x~normal(0, 1), y=0:2, s~gamma(2, 0.5)", "x^2*y*s", 2},
                          {"~normal(0,1), 0:1", "x1^2*x2", 0.5},
                          {"normal 3; 4", "x1^2", 13},
                          {"normal 0,0,0; 1,0.5,0; 0.5,1,0.2; 0,0.2,1", "x1*x2 + x2*x3", 0.7},
                          {"normal 1,0; 2,-0.3; -0.3,0.5", "exp(x1+x2)", std::exp(1 + (2.5 - 0.6) / 2)}}) {
    auto const result = integral(formula, domain);
    EXPECT_EQ(result.status, Status::converged) << domain;
    EXPECT_NEAR(result.value, value, 2e-8 * std::abs(value)) << formula << " over " << domain;
  }
}

TEST(FormulaMeasures, ServeEveryMethod) {
  std::vector<char const*> methods{"pagani", "vegas+", "qmc", "mcubes", "mc"};
  if (Kokkos::SpaceAccessibility<Kokkos::HostSpace, Kokkos::DefaultExecutionSpace::memory_space>::accessible)
    methods.push_back("two-phase"); // GPUs evaluate special functions in batches, which it does not take
  for (auto const* method : methods)
    for (auto const& [domain, formula, value] :
         std::vector<Known>{{"x~lognormal(0, 0.2), y~normal(0, 1)", "if(x > 1, x-1, 0)*y^2", call(0, 0.2, 1)},
                            {"normal 0,0; 1,0.5; 0.5,1", "exp(x1)*(1+x2)", 1.5 * std::exp(0.5)}}) {
      auto const result = integral(formula, domain, "", method, "3e-3");
      EXPECT_EQ(result.status, Status::converged) << method << ", " << domain;
      EXPECT_NEAR(result.value, value, 1e-2 * value) << method << ", " << domain;
    }
}

/// Break points are those of the variable that has the distribution.
TEST(FormulaMeasures, AreCut) {
  for (auto const& [domain, breaks, formula, value, pieces] :
       std::vector<std::tuple<std::string, std::string, std::string, double, int>>{
           {"x~lognormal(0, 0.2)", "x=1.1", "if(x > 1.1, x-1.1, 0)", call(0, 0.2, 1.1), 2},
           {"x~normal(0, 1)", "x=-1,1", "abs(abs(x)-1)",
            (4 * std::exp(-0.5) - 2) / std::sqrt(2 * pi) + 1 - 2 * std::erfc(1 / std::numbers::sqrt2), 3},
           {"x~exponential(1)", "x=2", "x > 2", std::exp(-2), 2},
           {"x~exponential(1)", "x=20", "if(x > 20, exp(x/2)-exp(10), 0)", std::exp(-10), 2},
           {"x~normal(0, 1)", "x=20", "if(x > 20, x-20, 0)", 1.37001249470995e-90, 2}, // by mpmath
           {"x~gamma(1, 2)", "x=3", "x > 3", std::exp(-1.5), 2},
           {"x~beta(2, 1)", "x=0.3", "x < 0.3", 0.09, 2},
           {"x~student_t(1)", "x=1", "x > 1", 0.25, 2},
           {"x~uniform(0, 4)", "x=1", "x < 1", 0.25, 2},
           {"x=0:1, y~uniform(x, x+1)", "y=1", "y > 1", 0.5, 2},
           {"x~normal(0, 1), y~normal(x, 1)", "y=0", "abs(y)", 2 / std::sqrt(pi), 2}}) {
    EXPECT_EQ(FormulaDomain::parse(domain, {}, breaks).pieces(), pieces);
    auto const result = integral(formula, domain, breaks);
    EXPECT_EQ(result.status, Status::converged) << domain << ", " << breaks;
    EXPECT_NEAR(result.value, value, 2e-8 * std::abs(value)) << formula << " over " << domain << ", " << breaks;
  }
}

TEST(FormulaMeasures, AreQuantiles) {
  auto const place = [](std::string const& text, double u) {
    auto const domain = FormulaDomain::parse(text);
    EXPECT_FALSE(domain.is_box());
    EXPECT_EQ(domain.box()[0], (Side{0, 1}));
    return domain.original({u})[0];
  };
  for (double const u : {1e-300, 0.3, 0.7, 1 - 0x1p-53}) {
    auto const same = [&](std::string const& side, std::string const& formula) {
      EXPECT_EQ(place(side, u), Expression::parse(formula)(std::vector{u})) << side << " at " << u;
    };
    same("x~normal(0,1)", "norminv(x)");
    same("x~gamma(0.3, 2)", "2*gamma_quantile(0.3, x)");
    same("x~beta(0.3, 2)", "beta_quantile(0.3, 2, x)");
    same("x~student_t(3)", "student_t_quantile(3, x)");
    EXPECT_NEAR(place("x~exponential(3)", u), -std::log1p(-u) / 3, 1e-15 * -std::log1p(-u));
  }
}

TEST(FormulaMeasures, RefuseWhatIsNone) {
  refused_text::expect_refused(
      {{"x~normal(0,-1)", "", "box", "the standard deviation must be above 0, not -1"},
       {"x~normal(0,0)", "", "box", "the standard deviation must be above 0, not 0"},
       {"x~normal(inf,1)", "", "box", "the mean must be a finite number, not inf"},
       {"x~gamma(1-2,1)", "", "box", "the shape must be above 0, not 1-2"},
       {"x~uniform(1,0)", "", "box", "the upper bound must be above the lower bound, 1, not 0"},
       {"x~student_t(0)", "", "box", "degrees of freedom must be above 0, not 0"},
       {"x~normal(0)", "", "box", "write normal(mean, standard deviation)"},
       {"x~normal(0,1,2)", "", "box", "write normal(mean, standard deviation)"},
       {"x~exponential()", "", "box", "write exponential(rate)"},
       {"x~student_t(1,2,3,4)", "", "box", "[, location][, scale]"},
       {"x~cauchy(0,1)", "", "box", "no distribution 'cauchy'; there are uniform, normal"},
       {"x~normal", "", "box", "is written x~normal(0,1)"},
       {"x~normal(0,1", "", "box", "is written x~normal(0,1)"},
       {"x~normal(0,1)+normal(0,1)", "", "box", "is written x~normal(0,1)"},
       {"x~normal(q,1)", "", "box", "'q' is not a parameter: "},
       {"x~normal(x,1)", "", "box", "x itself"},
       {"x~normal(y,1), y=0:1", "", "box", "declared after x"},
       {"x~normal(0,1), x=0:1", "", "box", "given twice"},
       {"x~normal(0,1), 0:1", "", "box", "all sides or none"},
       {"~normal(x1,1)", "", "box", "name the sides"},
       {"x~gamma(2,1)", "x=-1", "breaks", "no piece is empty"},
       {"normal(0,1)", "", "domain", "x~normal(0,1)"},
       {"normal 0,0; 1,0.5; 0.4,1", "", "domain", "row 2 has 0.4 in column 1"},
       {"normal 0,0; 1,2; 2,1", "", "domain", "variable 2, given those before, is -3"},
       {"normal 0,0; 1,1; 1,1", "", "domain", "variable 2, given those before, is 0"},
       {"normal 0; -4", "", "domain", "variable 1 is -4"},
       {"normal 0,0; 1,0", "", "domain", "the covariance 1 row"},
       {"normal 0,0; 1,0; 0", "", "domain", "1 entry, not 2"},
       {"normal 0,0", "", "domain", "MEAN; ROW"},
       {"normal 0,0; 1,q; 0,1", "", "domain", "'q' is not a number"}});
}

} // namespace
} // namespace formula_measures_test

#include <kubature/expressions.hpp>
#include <kubature/runtime/integrator.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace several_test {
namespace {

using namespace kubature;

TEST(Expressions, ShareTheirVariables) {
  auto const three = Expressions::parse("x; 1; x < y");
  EXPECT_EQ(three.size(), 3);
  EXPECT_EQ(three.variables(), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(Expressions::parse("a", {"a", "b"}).dimension(), 2);
  EXPECT_EQ(Expressions::parse("x3").size(), 1);
}

int column(std::string const& text) {
  try {
    Expressions::parse(text);
  } catch (ExpressionError const& error) {
    EXPECT_EQ(error.value(), text);
    return error.column();
  }
  return 0;
}

TEST(Expressions, ErrorsNameTheColumnOfTheWholeText) {
  EXPECT_EQ(column("x; y + * 2"), 8);
  EXPECT_EQ(column("x;"), 3);
  EXPECT_EQ(column("; x"), 1);
  EXPECT_EQ(column("sin(x; y)"), 4);
  EXPECT_EQ(column("x1; y"), 5);
  EXPECT_EQ(column("1; 2"), 1);
}

TEST(Expressions, OneExpressionHasNoSemicolon) { EXPECT_THROW(Expression::parse("x; y"), ExpressionError); }

TEST(Expressions, MoreThanThereIsRoomForAreRefused) {
  EXPECT_THROW(Expressions::parse("x; y; x").components<2>(), InvalidArgument);
}

/// The components at one point, one by one and side by side.
template <int C>
struct Evaluate {
  DeviceExpressions<Kokkos::HostSpace, C> f;
  Point<double, 2> const (&x)[8];
  double (&one)[C];
  double (&eight)[C][8];

  void operator()() const {
    auto const values = f(x[3]);
    for (int c = 0; c < C; ++c)
      one[c] = values[c];
    f.batch(x, eight);
  }
};

TEST(Expressions, GiveTheValuesOfEach) {
  std::vector<std::string> const texts{"exp(-x*y)", "x + 2*y", "if(x < y, 1, 0)"};
  auto const f = Expressions::parse(texts[0] + ";" + texts[1] + " ; " + texts[2]).components<5>();
  Point<double, 2> x[8];
  for (int w = 0; w < 8; ++w) {
    x[w][0] = 0.1 * w;
    x[w][1] = 0.3;
  }
  double one[5], eight[5][8];
  Evaluate<5>{f.on(Kokkos::DefaultHostExecutionSpace()), x, one, eight}();
  for (int c = 0; c < 5; ++c) {
    auto const expected = [&](int w) {
      double const at[] = {x[w][0], x[w][1]};
      return c < 3 ? Expression::parse(texts[c], {"x", "y"})(at) : 0.0;
    };
    EXPECT_EQ(one[c], expected(3)) << c;
    for (int w = 0; w < 8; ++w)
      EXPECT_EQ(eight[c][w], expected(w)) << c << ' ' << w;
  }
}

runtime::SeveralResult run(std::string const& method, std::string const& text, std::string const& covariance,
                           std::string const& driver = "balanced") {
  runtime::Settings settings(method, "fp64");
  settings.set("evaluations", 10'000).set("covariance", covariance).set("relative", 0.01).set("iterations", 12);
  if (settings.has("driver"))
    settings.set("driver", driver);
  Box<dynamic> const box(std::vector<Side>{{0, 1}}, 2);
  return runtime::Integrator(settings).integrate(Expressions::parse(text, {"x", "y"}), box);
}

TEST(Several, AnyNumberOfExpressions) {
  for (std::string const method : {"mc", "mcubes", "vegas+", "mixed"})
    for (int const count : {1, 2, 3, 9, 32}) {
      std::string text = "exp(-x*y)";
      for (int c = 1; c < count; ++c)
        text += "; x^" + std::to_string(c % 4) + "*exp(-x*y) + y";
      auto const result = run(method, text, "full", "first"); // whose correlations are nearly 1
      ASSERT_EQ(result.components(), count);
      EXPECT_EQ(result.status, Status::converged) << method << ' ' << count;
      EXPECT_TRUE(result.remarks.empty()) << result;
      EXPECT_NEAR(result.value[0], 0.796599599297053134, 5 * result.error[0]) << method << ' ' << count;
      EXPECT_EQ(static_cast<int>(result.correlations.size()), count * (count - 1) / 2);
      if (count > 1) {
        // x exp(-x y) is 1 - exp(-x) after y, so its integral is 1/e
        EXPECT_NEAR(result.value[1], std::exp(-1.0) + 0.5, 5 * result.error[1]);
        auto const ratio = result.ratio(1, 0);
        EXPECT_DOUBLE_EQ(ratio.value, result.value[1] / result.value[0]);
        EXPECT_GT(ratio.error, 0);
      }
      if (count >= 9) {
        EXPECT_NEAR(result.correlation(1, 5), 1, 1e-9); // the same text
      }
    }
}

/// By cubature, by lattices and by whichever suits; Padded in as many as kernels are compiled for.
TEST(Several, AnyNumberUpTo32OfSmoothExpressions) {
  Box<dynamic> const box(std::vector<Side>{{0, 1}}, 2);
  for (std::string const method : {"pagani", "qmc", "auto"})
    for (int const count : {1, 2, 3, 9, 32}) {
      std::string text = "exp(-x*y)";
      for (int c = 1; c < count; ++c)
        text += "; x^" + std::to_string(c % 4) + "*exp(-x*y) + y";
      runtime::Settings settings(method, "fp64");
      settings.set("relative", 1e-7);
      if (settings.has("covariance"))
        settings.set("covariance", "full");
      auto const result = runtime::Integrator(settings).integrate(Expressions::parse(text, {"x", "y"}), box);
      ASSERT_EQ(result.components(), count);
      EXPECT_EQ(result.status, Status::converged) << method << ' ' << count << '\n' << result;
      EXPECT_NEAR(result.value[0], 0.796599599297053134, 1e-7) << method << ' ' << count;
      if (count > 1) {
        EXPECT_NEAR(result.value[1], std::exp(-1.0) + 0.5, 1e-7) << method << ' ' << count;
        EXPECT_LE(result.error[1], 1e-7);
      }
      if (count > 1 && method == "qmc") {
        EXPECT_GT(result.ratio(1, 0).error, 0);
        EXPECT_LT(result.ratio(1, 0).error, result.error[1] + result.error[0]);
      }
    }
}

/// Where one component is zero, and where it is rounding.
TEST(Several, AComplexNumberWithoutImaginaryPart) {
  Box<dynamic> const box(std::vector<Side>{{-1, 1}}, 2);
  for (std::string const method : {"pagani", "qmc", "auto", "vegas+"})
    for (std::string const text : {"cos(3*x + y); 0", "cos(3*x + y); sin(3*x + y)"}) {
      double const relative = method == "vegas+" ? 1e-3 : 1e-7;
      runtime::Settings settings(method, "fp64");
      settings.set("relative", relative).set("error_norm", "paired");
      auto const result = runtime::Integrator(settings).integrate(Expressions::parse(text, {"x", "y"}), box);
      double const truth = 4 * std::sin(3.0) * std::sin(1.0) / 3;
      EXPECT_EQ(result.status, Status::converged) << method << ' ' << text << '\n' << result;
      EXPECT_NEAR(result.value[0], truth, 5 * relative * truth) << method << ' ' << text;
      EXPECT_NEAR(result.value[1], 0, 5 * relative * truth) << method << ' ' << text;
    }
}

TEST(Several, MoreThan32AreForSamplesAlone) {
  std::string text = "x";
  for (int c = 1; c < 33; ++c)
    text += "; x^" + std::to_string(c);
  for (std::string const method : {"pagani", "qmc", "auto"}) {
    runtime::Integrator integrator(runtime::Settings(method, "fp64").set("relative", 1e-3));
    EXPECT_THROW(integrator.integrate(Expressions::parse(text, {"x"}), Box<dynamic>(std::vector<Side>{{0, 1}}, 1)),
                 InvalidArgument);
  }
}

TEST(Several, NoCovarianceIsValuesAndErrorsAlone) {
  std::string many = "exp(-x*y)"; // more than kernels are compiled for, so known only at run time
  for (int c = 1; c < 40; ++c)
    many += "; x^" + std::to_string(c);
  for (std::string const method : {"mc", "mcubes", "vegas+", "mixed"})
    for (std::string const& text : {std::string("exp(-x*y); x"), many}) {
      auto const none = run(method, text, "none"), diagonal = run(method, text, "diagonal");
      EXPECT_EQ(none.value, diagonal.value) << method;
      EXPECT_EQ(none.error, diagonal.error) << method;
      EXPECT_FALSE(none.has_covariance()) << method;
      EXPECT_EQ(none.dof, 0) << method;
      EXPECT_THROW(none.ratio(0, 1), InvalidArgument) << method;
    }
  EXPECT_EQ(runtime::Settings("vegas+").set("covariance", "none").get("covariance"), "none");
}

TEST(Several, ValuesDoNotDependOnWhatKernelsAreCompiledFor) {
  // Two components by the kernel for two, and three by the one for eight.
  // The first one trains alone, since the third would train as well.
  auto const two = run("vegas+", "exp(-x*y); x", "diagonal", "first"),
             three = run("vegas+", "exp(-x*y); x; y", "diagonal", "first");
  for (int c = 0; c < 2; ++c) {
    EXPECT_EQ(two.value[c], three.value[c]);
    EXPECT_EQ(two.error[c], three.error[c]);
  }
  EXPECT_TRUE(two.correlations.empty());
  EXPECT_THROW(two.ratio(0, 1), InvalidArgument);
}

struct ThreeValues {
  BatchPoints<Kokkos::DefaultExecutionSpace> points;
  BatchValues<Kokkos::DefaultExecutionSpace> values;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    values(k, 0) = points(k, 0) * points(k, 1);
    values(k, 1) = points(k, 0) + points(k, 1);
    values(k, 2) = 2 * values(k, 0);
  }
};

TEST(Several, FunctionsOfBatchesGiveWhatExpressionsGive) {
  Box<dynamic> const box(std::vector<Side>{{0, 1}}, 2);
  runtime::BatchFunction const f = [](auto const& exec, auto const& points, auto const& values) {
    EXPECT_EQ(values.extent(1), 3u);
    auto const n = static_cast<std::int64_t>(points.extent(0));
    Kokkos::parallel_for(
        Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
        ThreeValues{points, values});
  };
  for (std::string const method : {"mc", "mcubes", "vegas+", "mixed"}) {
    runtime::Settings settings(method, "fp64");
    settings.set("evaluations", 5000).set("iterations", 4).set("covariance", "full");
    auto const formulas = runtime::Integrator(settings).integrate(Expressions::parse("x*y; x+y; 2*x*y"), box);
    runtime::Integrator integrator(settings);
    auto const functions = integrator.integrate(f, 3, box);
    EXPECT_EQ(functions.value, formulas.value) << method;
    EXPECT_EQ(functions.error, formulas.error) << method;
    EXPECT_EQ(functions.correlations, formulas.correlations) << method;
    EXPECT_EQ(functions.status, formulas.status) << method;
    EXPECT_TRUE(functions.remarks.empty()) << functions;
    ASSERT_EQ(functions.iterations.size(), 4u);
    EXPECT_EQ(functions.iterations[1].value.size(), 3u);
    EXPECT_EQ(functions.iterations[1].value, formulas.iterations[1].value);
    EXPECT_THROW(integrator.integrate(f, 0, box), InvalidArgument);
    EXPECT_THROW(integrator.integrate(f, 33, box), InvalidArgument);
    if (settings.has("driver")) {
      EXPECT_THROW(runtime::Integrator(settings.set("driver", 4)).integrate(f, 3, box), InvalidArgument);
    }
  }
  EXPECT_THROW(runtime::Integrator(runtime::Settings("two-phase").set("relative", 0.1)).integrate(f, 3, box),
               InvalidArgument);
}

/// As a user would call it. With the first component as the driver these took 2e8 evaluations and more.
TEST(Several, AllComponentsMeetATolerance) {
  Box<dynamic> const square(std::vector<Side>{{0, 1}}, 2), line(std::vector<Side>{{0, 1}}, 1);
  std::string many = "x^2";
  for (int c = 1; c < 40; ++c) // more than kernels are compiled for
    many += "; " + std::to_string(c) + "*x^" + std::to_string(c % 5) + "*y";
  for (std::string const method : {"vegas+", "mcubes"}) {
    auto const call = [&](std::string const& text, std::vector<std::string> const& variables, double relative) {
      runtime::Settings settings(method, "fp64");
      settings.set("relative", relative).set("covariance", "diagonal").set("evaluations", 100'000);
      auto const result = runtime::Integrator(settings).integrate(Expressions::parse(text, variables),
                                                                  variables.size() == 1 ? line : square);
      EXPECT_EQ(result.status, Status::converged) << method << ' ' << result;
      EXPECT_LT(result.evaluations, 3'000'000u) << method << ' ' << result;
      return result;
    };
    auto const moments = call("x^2; x*y; y^2", {"x", "y"}, 1e-3);
    EXPECT_NEAR(moments.value[2], 1.0 / 3, 5 * moments.error[2]);
    auto const waves = call("cos(5*x); sin(5*x)", {"x"}, 1e-5);
    EXPECT_NEAR(waves.value[1], (1 - std::cos(5.0)) / 5, 5 * waves.error[1]);
    auto const unequal = call("1e-9*x^2; 1e9*y^2; 0*x", {"x", "y"}, 1e-3);
    EXPECT_NEAR(unequal.value[0], 1e-9 / 3, 5 * unequal.error[0]);
    EXPECT_EQ(unequal.value[2], 0);
    call(many, {"x", "y"}, 1e-2);
  }
}

TEST(Several, ADriverIsGivenByItsNumber) {
  std::string const text = "exp(-50*(x - 0.3)^2); exp(-50*(y - 0.7)^2); x*y";
  auto const first = run("mcubes", text, "diagonal", "first"), second = run("mcubes", text, "diagonal", "2");
  EXPECT_NE(first.value[0], second.value[0]);
  EXPECT_NE(first.value[0], run("mcubes", text, "diagonal").value[0]);
  EXPECT_NE(run("vegas+", text, "diagonal", "sum").value[0], run("vegas+", text, "diagonal").value[0]);
  EXPECT_THROW(run("vegas+", text, "diagonal", "4"), InvalidArgument);
  EXPECT_THROW(run("vegas+", text, "diagonal", "0"), InvalidArgument);
  EXPECT_EQ(runtime::Settings("vegas+").set("driver", "3").get("driver"), "3");
  EXPECT_EQ(runtime::Settings("vegas+").set("driver", "1").get("driver"), "first");
  EXPECT_EQ(runtime::Settings("vegas+").get("driver"), "balanced");
}

TEST(Several, OtherMethodsAndPrecisionsAreRefused) {
  auto const text = Expressions::parse("x; x^2");
  Box<dynamic> const box(std::vector<Side>{{0, 1}}, 1);
  EXPECT_THROW(runtime::Integrator(runtime::Settings("two-phase").set("relative", 1e-3)).integrate(text, box),
               InvalidArgument);
  EXPECT_THROW(runtime::Integrator(runtime::Settings("mc", "fp32")).integrate(text, box), InvalidArgument);
  EXPECT_THROW(runtime::Integrator(runtime::Settings("mixed")).integrate(text, box), InvalidArgument); // adaptive
}

TEST(Several, ArePrintedAsAResult) {
  runtime::SeveralResult result;
  result.value = {1.5, 2.5};
  result.error = {0.2, 0.3};
  result.chi2_per_dof = result.q_value = {0.5, 9};
  result.chi2 = 11;
  result.dof = 10;
  result.correlations = {-0.25};
  std::ostringstream text;
  text << result;
  EXPECT_EQ(text.str().substr(0, 25), "1.5(2)  2.5(3)  completed");
  EXPECT_NE(text.str().find("chi2/dof 1.10"), std::string::npos);
  EXPECT_NE(text.str().find("\n  -0.250  1.000"), std::string::npos);
  EXPECT_EQ(result.sum().value, 4);
  EXPECT_DOUBLE_EQ(result.covariance(0, 1), -0.25 * 0.2 * 0.3);
}

} // namespace
} // namespace several_test

#include "refused.hpp"
#include "temporary.hpp"

#include <kubature/formula_domain.hpp>
#include <kubature/integrate.hpp>
#include <kubature/runtime/integrator.hpp>

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

/// Integrals over up to 1024 variables whose number is known at run time.
namespace many_variables_by_name_test {
namespace {

using namespace kubature;
using runtime::Settings, runtime::BatchFunction;
using Space = Kokkos::DefaultExecutionSpace;

/// The text of each variable, joined by an operator.
std::string joined(int d, char const* by, std::function<std::string(std::string const&)> const& of) {
  std::string text;
  for (int i = 1; i <= d; ++i)
    text.append(i > 1 ? by : "").append(of("x" + std::to_string(i)));
  return text;
}

Box<dynamic_many> cube(int d) {
  Side const side{0, 1};
  return Box<dynamic_many>(std::span(&side, 1), d);
}

#ifndef KOKKOS_ENABLE_CUDA // docs/many-variables.md

/// An integrand as a formula, and its integral over the unit cube.
struct Known {
  std::string formula;
  double value;
};

Known sum(int d) {
  return {joined(d, "+", [](auto const& x) { return x; }), d / 2.0};
}
Known product(int d) {
  int i = 0;
  return {joined(d, "*",
                 [&](auto const& x) {
                   ++i;
                   return "(1+(" + x + "-0.5)/" + std::to_string(i * i) + ")";
                 }),
          1};
}
Known gaussian(int d) {
  double const a = std::sqrt(9.0 / d);
  return {"exp(-9*(" + joined(d, "+", [](auto const& x) { return "(" + x + "-0.4)^2"; }) + ")/" + std::to_string(d) +
              ")",
          std::pow(std::sqrt(std::numbers::pi) / (2 * a) * (std::erf(0.6 * a) + std::erf(0.4 * a)), d)};
}
Known oscillatory(int d) {
  auto const wave = std::pow((std::polar(1.0, 4.0 / d) - 1.0) / std::complex<double>(0, 4.0 / d), d);
  return {"cos(1+4*(" + sum(d).formula + ")/" + std::to_string(d) + ")", (std::polar(1.0, 1.0) * wave).real()};
}
/// As Keister's, the mean of a function of |z| for normal variables z: of |z|^2 exp(-|z|^2 / (2 d)).
Known radial(int d) {
  double const c = 1 + 1.0 / d;
  return {"let r = " + joined(d, "+", [](auto const& x) { return "norminv(" + x + ")^2"; }) + "; r/" +
              std::to_string(d) + "*exp(-r/" + std::to_string(2 * d) + ")",
          std::pow(c, -d / 2.0 - 1)};
}

std::vector<Settings> all_methods(std::uint64_t evaluations) {
  std::vector<Settings> all;
  for (auto const* method : {"mc", "mcubes", "vegas+"})
    all.push_back(Settings(method).set("evaluations", evaluations / 10).set("iterations", 10));
  for (auto const* rule : {"lattice", "sobol"})
    all.push_back(Settings("qmc").set("evaluations", evaluations).set("rule", rule));
  return all;
}

TEST(ManyVariablesByName, HaveHonestErrors) {
  for (int const d : {21, 252, 1024})
    for (auto const& of : {sum, product, gaussian, oscillatory, radial}) {
      auto const [formula, value] = of(d);
      auto const f = Expression::parse(formula);
      ASSERT_EQ(f.dimension(), d);
      for (auto const& settings : all_methods(1'000'000 / static_cast<unsigned>(d))) {
        auto const result = runtime::Integrator(settings).integrate(f, cube(d));
        EXPECT_LT(std::abs(result.value - value), 5 * result.error + 0x1p-48 * std::abs(value))
            << settings.method().name << ", " << d << " variables: " << formula.substr(0, 40) << result;
        EXPECT_EQ(result.status, Status::completed);
      }
    }
}

/// One map is trained by the first axis, and its factors are multiplied along all.
TEST(ManyVariablesByName, MayShareAMap) {
  for (auto const& of : {sum, gaussian, oscillatory}) {
    auto const [formula, value] = of(252);
    runtime::Integrator integrator(Settings("mcubes-1d").set("evaluations", 10'000));
    auto const result = integrator.integrate(Expression::parse(formula), cube(252));
    EXPECT_LT(std::abs(result.value - value), 5 * result.error) << result;
    EXPECT_LT(result.error, 1e-2 * std::abs(value)) << result;
  }
}

TEST(ManyVariablesByName, AreLeftToQuasiMonteCarloByAuto) {
  for (int const d : {21, 252}) {
    auto const [formula, value] = gaussian(d);
    auto const result =
        runtime::Integrator(Settings("auto").set("relative", 1e-4)).integrate(Expression::parse(formula), cube(d));
    EXPECT_EQ(result.status, Status::converged);
    EXPECT_EQ(result.method, "qmc");
    EXPECT_LT(std::abs(result.value / value - 1), 1e-4);
    EXPECT_EQ(result.remarks.back(), "auto: qmc, as there are more than 20 variables");
  }
}

template <class Method>
void expect_same(Settings const& settings, Method const& method) {
  SCOPED_TRACE(settings.method().name);
  auto const f = Expression::parse(gaussian(64).formula);
  BatchFunction const batches([on = f.on(Space())](Space const& exec, auto const& points, auto const& values) {
    Kokkos::parallel_for(
        "test::values", Kokkos::RangePolicy<Space>(exec, 0, points.extent(0)), KOKKOS_LAMBDA(std::size_t k) {
          Point<double, 64> x;
          for (int i = 0; i < 64; ++i)
            x[i] = points(k, i);
          values(k, 0) = on(x);
        });
    exec.fence("test::values");
  });
  runtime::Integrator named(settings), other(settings);
  kubature::Integrator compiled(Space(), method);
  for (int call = 0; call < 2; ++call) { // the second one continues from the first
    auto const expected = compiled.integrate(f, Box<64>{});
    for (auto const& result : {named.integrate(f, cube(64)), other.integrate(batches, cube(64))}) {
      EXPECT_EQ(result.value, expected.value);
      EXPECT_EQ(result.error, expected.error);
      EXPECT_EQ(result.evaluations, expected.evaluations);
    }
  }
}

TEST(ManyVariablesByName, GiveTheBitsOfTheTemplates) {
  expect_same(Settings("mc").set("evaluations", 5000), PlainMonteCarlo{.evaluations = 5000});
  expect_same(Settings("mcubes").set("evaluations", 5000), MCubes{.evaluations = 5000});
  expect_same(Settings("vegas+").set("evaluations", 5000), VegasPlus{.evaluations = 5000});
  expect_same(Settings("qmc").set("evaluations", 1 << 16), QuasiMonteCarlo{.evaluations = 1 << 16});
  expect_same(Settings("qmc").set("evaluations", 1 << 14).set("rule", "sobol"),
              QuasiMonteCarlo{.evaluations = 1 << 14, .rule = QmcRule::sobol});
}

TEST(ManyVariablesByName, MayBeFew) {
  auto const f = [](auto const& x) { return x[0] * x[1] + x[2]; };
  VegasPlus const method{.evaluations = 5000};
  auto const few = integrate(method, f, Box<3>(0.0, 2.0)),
             any = integrate(method, f, Box<dynamic_many>(Box<3>(0.0, 2.0)));
  EXPECT_NEAR(any.value, few.value, few.error);
  EXPECT_NEAR(any.value, 16, 5 * any.error);
}

TEST(ManyVariablesByName, MayHaveSeveralComponents) {
  auto const f = Expressions::parse(gaussian(64).formula + ";" + sum(64).formula + ";x64*x1");
  std::vector<double> const known{gaussian(64).value, 32, 0.25};
  for (auto const* method : {"mc", "mcubes", "vegas+"}) {
    auto const result = runtime::Integrator(Settings(method).set("evaluations", 5000)).integrate(f, cube(64));
    ASSERT_EQ(result.value.size(), known.size());
    for (std::size_t c = 0; c < known.size(); ++c)
      EXPECT_LT(std::abs(result.value[c] - known[c]), 5 * result.error[c]) << method << c << result;
  }
}

TEST(ManyVariablesByName, MayFollowFew) {
  for (auto const& settings : all_methods(20'000)) {
    runtime::Integrator integrator(settings);
    for (int const d : {2, 30, 3, 21, 64}) {
      auto const [formula, value] = gaussian(d);
      auto const result = integrator.integrate(Expression::parse(formula), cube(d));
      EXPECT_LT(std::abs(result.value - value), 5 * result.error) << settings.method().name << d << result;
    }
  }
}

TEST(ManyVariablesByName, AreNamedWhereValuesAreNotFinite) {
  for (auto const& settings : all_methods(20'000)) {
    auto const result = runtime::Integrator(settings).integrate(Expression::parse("x30 + log(x25 - 0.5)"), cube(30));
    EXPECT_EQ(result.status, Status::non_finite) << settings.method().name;
    ASSERT_EQ(result.non_finite_at.size(), 30u);
    EXPECT_LE(result.non_finite_at[24], 0.5);
  }
}

TEST(ManyVariablesByName, MayBeUnbounded) {
  std::vector<Side> sides(30, Side{0, 1});
  sides[28] = {0, infinity};
  auto const f = Expression::parse("exp(-x29)*x30");
  for (auto const& settings : all_methods(50'000)) {
    auto const result = runtime::Integrator(settings).integrate(f, Box<dynamic_many>(sides, 30));
    EXPECT_LT(std::abs(result.value - 0.5), 5 * result.error) << settings.method().name << result;
  }
}

TEST(ManyVariablesByName, KeepMapsAndCheckpointsInFiles) {
  TemporaryFolder const folder;
  auto const f = Expression::parse(gaussian(64).formula);
  auto const call = [&](Callback const& callback) {
    auto const settings = Settings("vegas+")
                              .set("evaluations", 20'000)
                              .set("iterations", 8)
                              .set("checkpoint", folder.path("state"))
                              .set("checkpoint_seconds", callback ? 0.0 : 1e9);
    runtime::Integrator integrator(settings);
    auto const result = integrator.integrate(f, cube(64), callback);
    integrator.map().save(folder.path("map"));
    return result;
  };
  auto const whole = call({});
  call([](Progress const& progress) { return progress.iteration < 3; });
  ASSERT_TRUE(folder.has("state"));
  EXPECT_EQ(call({}).value, whole.value);
  auto const map = VegasMap::load(folder.path("map"));
  EXPECT_EQ(map.axes(), 64);
  runtime::Integrator next(Settings("mcubes").set("evaluations", 5000));
  next.use(map);
  auto const result = next.integrate(f, cube(64));
  EXPECT_LT(std::abs(result.value - gaussian(64).value), 5 * result.error);
}

#endif

TEST(ManyVariablesByName, AreRefusedElsewhere) {
#ifdef KOKKOS_ENABLE_CUDA
  constexpr bool on_gpu = true; // whichever the method
#else
  constexpr bool on_gpu = false;
#endif
  auto const f = Expression::parse("x30");
  for (auto const* method : {"pagani", "two-phase"})
    expect_refused([&] { runtime::Integrator(Settings(method)).integrate(f, cube(30)); }, "method", method);
  expect_refused([&] { runtime::Integrator(Settings("mc", "fp32")).integrate(f, cube(30)); }, "precision", "fp32");
  expect_refused([] { runtime::Integrator(Settings("qmc")).integrate(Expressions::parse("x30;x1"), cube(30)); },
                 on_gpu ? "dimension" : "method", on_gpu ? "30" : "qmc");
  expect_refused([&] { runtime::Integrator(Settings("mc")).integrate(f, cube(31)); },
                 on_gpu ? "dimension" : "dimension of the box", "31");
  expect_refused([] { Settings("pagani").check(30); }, "method", "pagani");
  expect_refused([] { Settings("mc").check(1025); }, "dimension", "1025");
}

TEST(ManyVariablesByName, HaveBoxes) {
  auto const many = cube(1024);
  EXPECT_EQ(many.dimension(), 1024);
  EXPECT_TRUE(many.is_cube());
  expect_refused([] { cube(1025); }, "dimension", "1025");
  expect_refused([&] { Box<dynamic>{many}; }, "dimension", "1024");
  expect_refused([&] { Box<64>{many}; }, "dimension", "1024");
  EXPECT_EQ(Box<64>(Box<dynamic_many>(Box<64>(0.0, 3.0)))[63].upper, 3);
  EXPECT_EQ(Box<dynamic>(Box<dynamic_many>{{0, 1}, {0, 2}})[1].upper, 2);
  Point<double, dynamic_many> x;
  x.set_size(2);
  x[0] = 3, x[1] = 4;
  auto const y = x;
  EXPECT_EQ(y.size(), 2);
  EXPECT_EQ(y[1], 4);
}

TEST(ManyVariablesByName, HaveNumbersAndNames) {
  std::vector<double> x;
  std::vector<std::string> names;
  for (int i = 0; i < 1024; ++i) {
    x.push_back(std::sin(i + 1));
    names.push_back("name" + std::to_string(i));
  }
  EXPECT_EQ(Expression::parse("x1024")(x), x[1023]);
  EXPECT_EQ(Expression::parse("name777 - name128", names)(x), x[777] - x[128]);
  EXPECT_EQ(Expression::parse("x128^3*(x129-0.25)^2 + x256*(x257 - x1024)")(x),
            x[127] * x[127] * x[127] * ((x[128] - 0.25) * (x[128] - 0.25)) + x[255] * (x[256] - x[1023]));
  auto const again = Expression::parse("let a = sin(x1000*x999); let b = a*x500; a^2 + b*exp(a) - cos(b + x1024)")(x);
  double const a = std::sin(x[999] * x[998]), b = a * x[499];
  EXPECT_NEAR(again, a * a + b * std::exp(a) - std::cos(b + x[1023]), 0x1p-50);
  EXPECT_EQ(Expression::parse("if(x200 > x201, x202, x203)")(std::span(x).first(203)),
            x[199] > x[200] ? x[201] : x[202]);
  EXPECT_EQ(Expression::parse("x1 + 2*x300").terms().size(), 1u); // they are for mixed precision
  names.push_back("another");
  expect_refused([&] { Expression::parse("name3", names); }, "number of variables", "1025");
}

TEST(ManyVariablesByName, HaveNamedSides) {
  std::string text;
  for (int i = 0; i < 30; ++i)
    text += (i > 0 ? ",a" : "a") + std::to_string(i) + "=0:" + std::to_string(i + 1);
  auto const box = FormulaDomain::parse(text);
  EXPECT_TRUE(box.is_box());
  EXPECT_EQ(box.dimension(), 30);
  EXPECT_EQ(box.sides()[29].upper, 30);
  expect_refused([&] { static_cast<void>(box.box()); }, "dimension", "30");
  expect_refused([&] { FormulaDomain::parse(text, {}, "a3=0.5"); }, "breaks", "a3=0.5");
  expect_refused([&] { FormulaDomain::parse(text + ",b=0:a29"); }, "box", "b=0:a29");
  EXPECT_EQ(FormulaDomain::parse("0:2", Expression::parse("x40").variables()).sides()[39].upper, 2);
}

} // namespace
} // namespace many_variables_by_name_test

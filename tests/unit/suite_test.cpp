#include <kubature/expression.hpp>
#include <kubature/suite/ladder.hpp>
#include <kubature/suite/suite.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <vector>

namespace suite_test {
namespace {

using kubature::Point;
using kubature::suite::Entry;
using Coordinates = std::vector<double>;
using Formula = std::function<double(Coordinates const&)>;

/// An expression of x1, x2, ...; a pattern may stand for a term for each variable, with # for its number.
Formula expression(std::string const& text, int dimension) {
  std::vector<std::string> names;
  for (int i = 1; i <= dimension; ++i)
    names.push_back("x" + std::to_string(i));
  auto const parsed = kubature::Expression::parse(text, names);
  return [parsed](Coordinates const& x) { return parsed(x); };
}

/// The pattern for each variable, joined: all("#*x#", 2, "+") is "(1*x1+2*x2)".
std::string all(std::string const& pattern, int dimension, std::string const& joint = "+") {
  std::string text = "(";
  for (int i = 1; i <= dimension; ++i) {
    text += i > 1 ? joint : "";
    for (char const c : pattern)
      text += c == '#' ? std::to_string(i) : std::string(1, c);
  }
  return text + ")";
}

double ridge(Coordinates const& x) {
  double total = 0;
  for (int k = 0; k < 1000; ++k) {
    double square = 0;
    for (double const t : x)
      square += std::pow(t - k / 999.0, 2);
    total += std::exp(-100 * square);
  }
  return std::pow(100 / std::numbers::pi, 2) / 1000 * total;
}

double feynman_path(Coordinates const& theta) {
  double const time = 4, slices = 8, mass = 1, a = time / slices;
  double action = 0, jacobian = 1;
  for (std::size_t j = 0; j < 8; ++j) {
    double const here = std::tan(theta[j]), there = std::tan(theta[(j + 1) % 8]);
    action += mass / (2 * a) * std::pow(there - here, 2) + a * std::pow(here, 2) / 2;
    jacobian /= std::pow(std::cos(theta[j]), 2);
  }
  return std::pow(mass * slices / (2 * std::numbers::pi * time), slices / 2) * std::exp(-action) * jacobian;
}

/// The formulas of shared/reference/integrals.csv, written a second time.
std::map<std::string, Formula, std::less<>> formulas() {
  std::map<std::string, Formula, std::less<>> result;
  auto const add = [&](std::string const& name, int d, std::string const& text) { result[name] = expression(text, d); };
  for (int const d : {5, 8}) {
    auto const suffix = "-" + std::to_string(d) + "d";
    add("f1" + suffix, d, "cos" + all("#*x#", d));
    add("f4" + suffix, d, "exp(-625*" + all("(x#-1/2)^2", d) + ")");
    add("f5" + suffix, d, "exp(-10*" + all("abs(x#-1/2)", d) + ")");
  }
  add("f2", 6, all("1/(1/50^2+(x#-1/2)^2)", 6, "*"));
  add("f3-3d", 3, "(1+" + all("#*x#", 3) + ")^(-4)");
  add("f3-8d", 8, "(1+" + all("#*x#", 8) + ")^(-9)");
  add("f6", 6, "if(" + all("x#<(3+#)/10", 6, "&&") + ", exp" + all("(#+4)*x#", 6) + ", 0)");
  add("f7", 8, all("x#^2", 8) + "^11");
  add("f8", 8, all("x#^2", 8) + "^(15/2)");
  add("fA", 6, "sin" + all("x#", 6));
  add("fB", 9, "(sqrt(2*pi)*0.01)^(-9)*exp(-" + all("x#^2", 9) + "/(2*0.01^2))");
  add("sine-exponential", 2, "sin(x1)+exp(x2)");
  add("linear", 10, all("x#", 10));
  add("cosine", 10, all("cos(x#)", 10, "*"));
  add("exponential", 10, "exp(-" + all("x#^2", 10) + ")");
  add("roos-arnold", 10, "1/10*" + all("abs(4*x#-2)", 10));
  add("morokoff-caflisch", 8, "(1+1/8)^8*" + all("x#^(1/8)", 8, "*"));
  add("gaussian", 4, "exp(-" + all("(x#-1/2)^2", 4) + "/(2*1e-4))/(2*pi*1e-4)^2");
  result["ridge"] = ridge;
  result["feynman-path"] = feynman_path;
  for (int const d : {5, 6, 7})
    add("two-phase-f1-" + std::to_string(d) + "d", d, "(0.1+cos" + all("x#^2", d) + "^2)^(-2)");
  add("two-phase-f2", 5, "cos" + all("cos(2^(2*#)*x#)", 5, "*"));
  add("two-phase-f3-3d", 3, "sin" + all("#*arcsin(x#^#)", 3, "*"));
  add("two-phase-f3-5d", 5, "sin" + all("#*arcsin(x#^#)", 5, "*"));
  add("two-phase-f4", 6, "sin" + all("arcsin(x#)", 6, "*"));
  add("two-phase-f5", 8, "1/(2*(-0.054402111088937))*" + all("cos(10*x#)", 8));
  add("mixed-eq9", 2, "sin(x1+x2)-log(x1)+x1^4/x2+5");
  add("mixed-eq10", 3, "x1^2+x2^2+x3^2");
  add("mixed-eq11", 4, "sin(x1+x2+x3+x4)+cos(x1*x2)-x3^2+x1^12-x4^3+sin(x3*x4^2)-log(1+x3*x4)*x1^5+x2^4*exp(-x4)-4");
  auto const eq12 = kubature::Expression::parse(
      "sin(2*pi*(a+b))+cos(5*c*d)+exp(-0.5*(x^2+v^2))+exp(-abs(y))+1/(1+exp(-25*(z-0.05)))+log(1+abs(a*x))"
      "+0.01*(sqrt(1+1e-5*(b*c+d*x))-1)+(log(1+1e-5*(v+y))-1e-5*(v+y))"
      "+0.001/sqrt(1e-12+(y-0.02)^2+(z+0.03)^2)+(exp(8*a)-exp(8*a-1e-5))",
      {"a", "b", "c", "d", "x", "y", "z", "v"});
  result["mixed-eq12"] = [eq12](Coordinates const& x) { return eq12(x); };
  return result;
}

/// Calls visit for some points of the box: around its middle, where the peaks are, and all over it.
template <class Box, class Visit>
void at_points(Box const& box, Visit const& visit) {
  int const d = box.dimension();
  unsigned state = 12345;
  for (double const spread : {0.0, 0.002, 0.05, 0.3, 0.9, 0.99})
    for (int repeat = 0; repeat < 5; ++repeat) {
      Coordinates x;
      for (int i = 0; i < d; ++i) {
        state = state * 1664525u + 1013904223u;
        double const t = 0.5 + spread * (state / 4294967296.0 - 0.5);
        x.push_back(box[i].lower + t * (box[i].upper - box[i].lower));
      }
      visit(x);
    }
}

template <class Real, int D, class F>
double value(F const& integrand, Coordinates const& x) {
  Point<Real, D> point;
  for (int i = 0; i < D; ++i)
    point[i] = static_cast<Real>(x[static_cast<std::size_t>(i)]);
  return static_cast<double>(integrand(point));
}

TEST(Suite, IntegrandsEqualTheirFormulas) {
  auto const expected = formulas();
  std::size_t compared = 0;
  kubature::suite::for_each<kubature::suite::All>([&](Entry const& entry, auto const& integrand, auto const& box) {
    constexpr int D = std::remove_cvref_t<decltype(box)>::capacity;
    auto const formula = expected.find(entry.name);
    ASSERT_NE(formula, expected.end()) << entry.name;
    ++compared;
    at_points(box, [&](Coordinates const& x) {
      double const truth = formula->second(x);
      EXPECT_NEAR((value<double, D>(integrand, x)), truth, 1e-11 * std::abs(truth)) << entry.name;
    });
  });
  EXPECT_EQ(compared, expected.size());
}

/// Rounding an argument changes f(x) by its gradient times the rounding, so this compares with f at the
/// rounded x.
TEST(Suite, SinglePrecisionAgreesWithDouble) {
  kubature::suite::for_each<kubature::suite::All>([](Entry const& entry, auto const& integrand, auto const& box) {
    constexpr int D = std::remove_cvref_t<decltype(box)>::capacity;
    double largest = 0;
    at_points(box,
              [&](Coordinates const& x) { largest = std::max(largest, std::abs(value<double, D>(integrand, x))); });
    at_points(box, [&](Coordinates x) {
      for (auto& t : x)
        t = static_cast<float>(t);
      EXPECT_NEAR((value<float, D>(integrand, x)), (value<double, D>(integrand, x)), 2e-4 * largest) << entry.name;
    });
  });
}

TEST(Suite, HalfPrecisionCompilesAndRuns) {
  kubature::suite::for_each<kubature::suite::All>([](Entry const&, auto const& integrand, auto const& box) {
    constexpr int D = std::remove_cvref_t<decltype(box)>::capacity;
    at_points(box, [&](Coordinates const& x) { (void)value<Kokkos::Experimental::half_t, D>(integrand, x); });
  });
  // Unless something leaves the range of half precision, its value is right to three digits.
  EXPECT_NEAR((value<Kokkos::Experimental::half_t, 3>(kubature::suite::MixedEq10{}, {0.5, 0.25, 0.75})), 0.875, 1e-3);
}

TEST(Suite, FeynmanPathIsFiniteAtTheEndsOfTheBox) {
  double const end = std::nextafter(std::numbers::pi / 2, 0.0);
  EXPECT_EQ((value<double, 8>(kubature::suite::FeynmanPath<8>{}, Coordinates(8, end))), 0.0);
  EXPECT_EQ((value<float, 8>(kubature::suite::FeynmanPath<8>{}, Coordinates(8, end))), 0.0);
}

TEST(Suite, NamesAreUniqueAndEntriesComplete) {
  std::set<std::string_view> names;
  std::set<std::string_view> const suites{"mcubes", "pagani", "cuvegas", "two-phase", "mixed", "ladder"};
  kubature::suite::for_each<kubature::suite::All>([&](Entry const& entry, auto const&, auto const& box) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(suites.contains(entry.name) || entry.name == "all") << entry.name;
    EXPECT_GE(entry.dimension, 1);
    EXPECT_LE(entry.dimension, kubature::max_dimension);
    EXPECT_EQ(entry.dimension, box.dimension());
    EXPECT_EQ(entry.side, box[entry.dimension - 1]);
    EXPECT_NE(entry.value, 0);
    EXPECT_FALSE(entry.formula.empty() || entry.source.empty() || entry.suites.empty()) << entry.name;
    for (auto const suite : entry.suites)
      EXPECT_TRUE(suites.contains(suite)) << suite;
  });
  EXPECT_EQ(names.size(), 35u);
}

TEST(Suite, FormulasWithVariablesAreExpressions) {
  std::size_t parsed = 0;
  kubature::suite::for_each<kubature::suite::All>([&](Entry const& entry, auto const& integrand, auto const& box) {
    constexpr int D = std::remove_cvref_t<decltype(box)>::capacity;
    if (entry.variables.empty())
      return;
    ++parsed;
    auto const formula = kubature::Expression::parse(entry.formula, entry.variables);
    ASSERT_EQ(formula.dimension(), entry.dimension);
    at_points(box, [&](Coordinates const& x) {
      double const truth = value<double, D>(integrand, x);
      EXPECT_NEAR(formula(x), truth, 1e-11 * std::abs(truth)) << entry.name;
    });
  });
  EXPECT_EQ(parsed, 4u);
}

TEST(Suite, IntegrandsOfADimensionHaveTheSameValuesInOneType) {
  std::map<std::string_view, std::vector<double>> alone, together;
  auto const collect = [](auto& values) {
    return [&](Entry const& entry, auto const& integrand, auto const& box) {
      constexpr int D = std::remove_cvref_t<decltype(box)>::capacity;
      at_points(box, [&](Coordinates const& x) { values[entry.name].push_back(value<double, D>(integrand, x)); });
    };
  };
  using namespace kubature::suite;
  for_each<All>(collect(alone));
  for_each_by_dimension<least_dimension, largest_dimension>(collect(together));
  EXPECT_EQ(alone, together);
}

TEST(Suite, SymmetricIntegrandsDoNotChangeUnderPermutation) {
  kubature::suite::for_each<kubature::suite::All>([](Entry const& entry, auto const& integrand, auto const& box) {
    constexpr int D = std::remove_cvref_t<decltype(box)>::capacity;
    bool changed = false;
    at_points(box, [&](Coordinates x) {
      double const before = value<double, D>(integrand, x);
      for (std::size_t i = 1; i < x.size(); ++i) { // exchanges of neighbours generate all permutations
        std::swap(x[i - 1], x[i]);
        changed = changed || std::abs(value<double, D>(integrand, x) - before) > 1e-10 * std::abs(before);
        std::swap(x[i - 1], x[i]);
      }
    });
    EXPECT_EQ(entry.symmetric, !changed) << entry.name;
  });
}

TEST(Suite, AnswersToNames) {
  Entry const entry{.name = "f1-5d", .formula = "", .value = 1, .source = "", .suites = {"pagani"}, .dimension = 5};
  for (auto const name : {"f1-5d", "f1", "pagani", "all"})
    EXPECT_TRUE(entry.answers_to(name)) << name;
  for (auto const name : {"f1-8d", "f", "", "mcubes", "5d"})
    EXPECT_FALSE(entry.answers_to(name)) << name;
}

TEST(Suite, TheLadderHasTheTolerancesOfThePaper) {
  EXPECT_EQ(kubature::suite::ladder(), (std::vector<double>{1e-3, 2e-4, 4e-5, 8e-6, 1.6e-6, 3.2e-7, 6.4e-8, 1.28e-8,
                                                            2.56e-9, 5.12e-10, 1.024e-10}));
  EXPECT_EQ(kubature::suite::ladder(4e-5), (std::vector<double>{1e-3, 2e-4, 4e-5}));
  EXPECT_EQ(kubature::suite::ladder(5e-5), (std::vector<double>{1e-3, 2e-4}));
}

} // namespace
} // namespace suite_test

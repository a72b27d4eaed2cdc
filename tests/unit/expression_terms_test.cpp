#include <kubature/expression.hpp>
#include <kubature/integrand.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace expression_terms_test {

using kubature::Expression;
using Texts = std::vector<std::string>;

std::vector<std::string> const names{"a", "b", "c", "d"};

Texts terms(std::string const& text, std::vector<std::string> const& variables = names) {
  Texts texts;
  for (auto const& term : Expression::parse(text, variables).terms())
    texts.push_back(term.text());
  return texts;
}

TEST(ExpressionTerms, AreTheOperandsOfTheSum) {
  EXPECT_EQ(terms("a*b"), Texts{"a*b"});
  EXPECT_EQ(terms("  a * b "), Texts{"  a * b "});
  EXPECT_EQ(terms("a + b*c - sin(d + 1)"), (Texts{"a", "b*c", "-sin(d + 1)"}));
  EXPECT_EQ(terms("-a^2 - -b + +c"), (Texts{"-a^2", "b", "c"}));
  EXPECT_EQ(terms("a - a^2"), (Texts{"a", "-a^2"}));
  EXPECT_EQ(terms("a + if(a < b, c - d, 2)*d"), (Texts{"a", "if(a < b, c - d, 2)*d"}));
  EXPECT_EQ(terms("(a + b)*(c + d)"), Texts{"(a + b)*(c + d)"});
  EXPECT_EQ(terms("(a + b)/c"), Texts{"(a + b)/c"});
  EXPECT_EQ(terms("2/(a + b)"), Texts{"2/(a + b)"});
  EXPECT_EQ(terms("a + b < c"), Texts{"a + b < c"});
  EXPECT_EQ(terms("a - (b < c)"), (Texts{"a", "-(b < c)"}));
}

TEST(ExpressionTerms, TakeOverSignsAndFactors) {
  EXPECT_EQ(terms("2*(a + b) - (c - d)"), (Texts{"2*a", "2*b", "-c", "d"}));
  EXPECT_EQ(terms("(a + b*c)/3"), (Texts{"a/3", "b*c/3"}));
  EXPECT_EQ(terms("-(a - 2*pi*(b + c))*5/7"), (Texts{"-a*5/7", "2*pi*b*5/7", "2*pi*c*5/7"}));
  EXPECT_EQ(terms("-1e-5*(a + b)"), (Texts{"-1e-5*a", "-1e-5*b"}));
  EXPECT_EQ(terms("(a + b)/(2*3)"), (Texts{"a/(2*3)", "b/(2*3)"}));
  EXPECT_EQ(terms("(1 + 2)*((a) + (b < c))"), (Texts{"(1 + 2)*a", "(1 + 2)*(b < c)"}));
  EXPECT_EQ(terms("((a + (b + (c - d))))"), (Texts{"a", "b", "c", "-d"}));
}

TEST(ExpressionTerms, ConstantsMakeUpOne) {
  EXPECT_EQ(terms("1 + a - 2*pi + b + (3 + c)"), (Texts{"a", "b", "c", "1-2*pi+3"}));
  EXPECT_EQ(terms("-(1 + 2 + a)"), (Texts{"-a", "-(1 + 2)"}));
  EXPECT_EQ(terms("1 + 2"), Texts{"1 + 2"});
  EXPECT_EQ(terms("2*(a + 3)"), (Texts{"2*a", "2*3"}));
}

/// What is subtracted in parentheses stays together if its parts may cancel.
TEST(ExpressionTerms, CancellationsStayWhole) {
  EXPECT_EQ(terms("b + (exp(a) - exp(a - 1e-5))"), (Texts{"b", "(exp(a) - exp(a - 1e-5))"}));
  EXPECT_EQ(terms("0.5*(sqrt(1 + a) - 1) + c"), (Texts{"0.5*(sqrt(1 + a) - 1)", "c"}));
  EXPECT_EQ(terms("b - (a + -1)"), (Texts{"b", "-(a + -1)"}));
  EXPECT_EQ(terms("b - (a*c - c)/3"), (Texts{"b", "-(a*c - c)/3"}));
  EXPECT_EQ(terms("(a - -2*a)"), (Texts{"a", "2*a"})); // the same sign
  EXPECT_EQ(terms("(a + -2*b*a)"), Texts{"(a + -2*b*a)"});
  EXPECT_EQ(terms("(a + -2*(b + a))"), Texts{"(a + -2*(b + a))"});
  EXPECT_EQ(terms("(a + (b - b^2) + c)"), (Texts{"a", "(b - b^2)", "c"})); // and no more than these
  EXPECT_EQ(terms("(a + (b - b^2) - b)"), Texts{"(a + (b - b^2) - b)"});
}

std::string const eq12 = "sin(2*pi*(a+b))+cos(5*c*d)+exp(-0.5*(x^2+v^2))+exp(-abs(y))+1/(1+exp(-25*(z-0.05)))"
                         "+log(1+abs(a*x))+0.01*(sqrt(1+1e-5*(b*c+d*x))-1)+(log(1+1e-5*(v+y))-1e-5*(v+y))"
                         "+0.001/sqrt(1e-12+(y-0.02)^2+(z+0.03)^2)+(exp(8*a)-exp(8*a-1e-5))";

TEST(ExpressionTerms, MixedPrecisionEquation12HasTheTenOfThePaper) {
  EXPECT_EQ(terms(eq12, {"a", "b", "c", "d", "x", "y", "z", "v"}),
            (Texts{"sin(2*pi*(a+b))", "cos(5*c*d)", "exp(-0.5*(x^2+v^2))", "exp(-abs(y))", "1/(1+exp(-25*(z-0.05)))",
                   "log(1+abs(a*x))", "0.01*(sqrt(1+1e-5*(b*c+d*x))-1)", "(log(1+1e-5*(v+y))-1e-5*(v+y))",
                   "0.001/sqrt(1e-12+(y-0.02)^2+(z+0.03)^2)", "(exp(8*a)-exp(8*a-1e-5))"}));
}

TEST(ExpressionTerms, KnowWhatTheyCost) {
  auto const all = Expression::parse("2*(a + sin(b)) - a*b*c + 4", names).terms();
  std::vector<int> counts;
  for (auto const& term : all) {
    EXPECT_EQ(term.variables(), names);
    EXPECT_EQ(term.terms().size(), 1u) << term.text();
    counts.push_back(term.operation_count());
  }
  EXPECT_EQ(counts, (std::vector<int>{1, 2, 3, 0}));
}

/// Writes formulas at random, mostly sums, with parentheses, signs and factors.
class Writer {
public:
  explicit Writer(std::uint32_t seed) : random_(seed) {}

  std::string sum(int depth) {
    std::string text = product(depth);
    for (int more = pick(4); more > 0; --more)
      text += (pick(2) ? " + " : " - ") + product(depth);
    return text;
  }

private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  std::string constant() { return Texts{"2", "0.3", "pi", "(1 + 2)", "(-0.7)", "2^3", "(2*3)"}[pick(7)]; }
  std::string variable() { return names[pick(4)]; }

  std::string product(int depth) {
    switch (pick(8)) {
    case 0:
      return constant() + "*" + factor(depth);
    case 1:
      return factor(depth) + "*" + constant();
    case 2:
      return factor(depth) + "/" + constant();
    case 3:
      return "-" + factor(depth);
    case 4:
      return constant();
    case 5:
      return "-" + variable() + "*" + factor(depth);
    default:
      return factor(depth);
    }
  }

  std::string factor(int depth) {
    if (depth == 0)
      return variable();
    switch (pick(7)) {
    case 0:
      return "sin(" + sum(depth - 1) + ")";
    case 1:
      return variable() + "^2";
    case 2:
      return "(" + variable() + " < " + sum(0) + ")";
    default:
      return "(" + sum(depth - 1) + ")";
    }
  }

  std::mt19937 random_;
};

void expect_sum(std::string const& text) {
  auto const whole = Expression::parse(text, names);
  for (std::vector<double> const& x : {std::vector{0.3, 0.7, 0.2, 0.9}, {0.11, -0.4, 1.3, 0.6}}) {
    double sum = 0, size = std::abs(whole(x));
    for (auto const& term : whole.terms()) {
      double const value = term(x);
      EXPECT_EQ(Expression::parse(term.text(), names)(x), value) << term.text();
      sum += value;
      size += std::abs(value);
    }
    EXPECT_NEAR(whole(x), sum, 64 * std::numeric_limits<double>::epsilon() * size) << text;
  }
}

TEST(ExpressionTerms, AddUpToTheWhole) {
  std::size_t most = 0, kept = 0;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    auto const text = Writer(seed).sum(3);
    expect_sum(text);
    auto const split = terms(text);
    most = std::max(most, split.size());
    for (auto const& term : split)
      kept += term[0] == '(' ? 1 : 0;
  }
  EXPECT_GT(most, 10u);
  EXPECT_GT(kept, 100u);
}

TEST(ExpressionTerms, NestWithoutLimit) {
  std::string factors = "a", sums = "a", minus = "a";
  for (int i = 0; i < 20; ++i)
    factors = "b + 0.5*(" + factors + ")";
  for (int i = 0; i < 20000; ++i) {
    sums = i % 2 ? "b + (" + sums + ")" : "c + (" + sums + ")";
    minus = "-(" + minus + ")";
  }
  expect_sum(factors);
  EXPECT_LE(terms(factors).size(), 6u); // the fifth factor is not taken into its sum
  EXPECT_EQ(terms(sums).size(), 20001u);
  EXPECT_EQ(terms("b + " + minus), (Texts{"b", "a"}));
}

// Every term repeats the factors of its sum, so long ones would make the terms of a long sum far longer than the
// formula.
TEST(ExpressionTerms, RepeatNoLongFactors) {
  std::string factor = "1", sum = "a";
  for (int i = 0; i < 2000; ++i) {
    factor += "+1";
    sum += " + b";
  }
  auto const formula = "(" + factor + ")*(" + sum + ") + c";
  EXPECT_EQ(terms(formula).size(), 2u);
  expect_sum(formula);
}

template <class Space>
struct ExpressionTermsOn : testing::Test {};
using Spaces = testing::Types<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>;
TYPED_TEST_SUITE(ExpressionTermsOn, Spaces);

constexpr int points = 37;

/// Row k of the values: term k at every point; the rows after them: the whole, the whole in batches, and how many terms
/// have different values in batches.
template <class Real, int W, class Space>
struct EvaluateTerms {
  kubature::DeviceExpression<typename Space::memory_space> f;
  Kokkos::View<double**, Space> values;

  KOKKOS_FUNCTION static kubature::Point<Real, 4> point(int i) {
    kubature::Point<Real, 4> x;
    for (int axis = 0; axis < 4; ++axis)
      x[axis] = Real(0.125) + static_cast<Real>((i * (axis + 3)) % points) / Real(64);
    return x;
  }

  KOKKOS_FUNCTION void operator()(int group) const {
    kubature::Point<Real, 4> x[W];
    Real batch[W];
    for (int w = 0; w < W; ++w)
      x[w] = point(group * W + w);
    f.batch(x, batch);
    int const terms = kubature::term_count(f);
    for (int w = 0; w < W && group * W + w < points; ++w) {
      int const i = group * W + w;
      for (int k = 0; k < terms; ++k)
        values(k, i) = static_cast<double>(kubature::term_value(f, k, x[w]));
      values(terms, i) = static_cast<double>(f(x[w]));
      values(terms + 1, i) = static_cast<double>(batch[w]);
    }
    for (int k = 0; k < terms; ++k) {
      f.batch(k, x, batch);
      for (int w = 0; w < W && group * W + w < points; ++w)
        values(terms + 2, group * W + w) += static_cast<double>(batch[w]) != values(k, group * W + w) ? 1 : 0;
    }
  }
};

template <class Real, int W, class Space>
void expect_terms_on_the_device(std::string const& text) {
  Space const exec;
  auto const whole = Expression::parse(text, names);
  auto const all = whole.terms();
  auto const f = whole.on(exec);
  ASSERT_EQ(f.terms(), static_cast<int>(all.size()));
  Kokkos::View<double**, Space> values("test::expression::values", all.size() + 3, points);
  Kokkos::parallel_for("test::expression::terms", Kokkos::RangePolicy<Space>(exec, 0, (points + W - 1) / W),
                       EvaluateTerms<Real, W, Space>{f, values});
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, values);
  double const epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
  for (int i = 0; i < points; ++i) {
    std::vector<double> x;
    for (int axis = 0; axis < 4; ++axis)
      x.push_back(static_cast<double>(EvaluateTerms<Real, W, Space>::point(i)[axis]));
    for (std::size_t k = 0; k < all.size(); ++k) {
      EXPECT_NEAR(host(k, i), all[k](x), 64 * epsilon * (1 + std::abs(all[k](x)))) << all[k].text();
      EXPECT_EQ(kubature::term_name(whole, static_cast<int>(k)), all[k].text());
    }
    EXPECT_NEAR(host(all.size(), i), whole(x), 64 * epsilon * (1 + std::abs(whole(x)))) << text;
    EXPECT_EQ(host(all.size(), i), host(all.size() + 1, i)) << text << " in batches of " << W;
    EXPECT_EQ(host(all.size() + 2, i), 0) << "terms of " << text << " in batches of " << W;
  }
}

TYPED_TEST(ExpressionTermsOn, HaveTheirValues) {
  for (std::string const text :
       {"2*(a + sin(b*c)) - (c - d) + 4", "a*b*c*d", "exp(a)*(b + c) - d^3 + if(a < b, log(c), atan2(c + a, d + b))",
        "max(a + b, c*d) + hypot(2, a*b) - fmod(1 + c, 0.25 + d) - a^-5 + erf(b)", "7", "exp(a*b)*(c + exp(a*b))"}) {
    expect_terms_on_the_device<double, 2, TypeParam>(text);
    expect_terms_on_the_device<double, 16, TypeParam>(text);
    expect_terms_on_the_device<float, 4, TypeParam>(text);
  }
}

/// Row s of the values: sum s at every point.
template <class Real, class Space>
struct EvaluateSums {
  kubature::DeviceExpression<typename Space::memory_space> f;
  Kokkos::View<double**, Space> values;

  KOKKOS_FUNCTION void operator()(int i) const {
    kubature::Point<Real, 4> const x[1] = {EvaluateTerms<Real, 1, Space>::point(i)};
    Real value[1];
    for (int s = 0; s < f.terms(); ++s) {
      f.batch(s, x, value);
      values(s, i) = static_cast<double>(value[0]);
    }
  }
};

TYPED_TEST(ExpressionTermsOn, SumsAreThoseOfTheirTerms) {
  TypeParam const exec;
  std::vector<std::vector<int>> const sums{{2}, {0, 3}, {3, 0}, {0, 1, 2, 3}};
  for (std::string const text :
       {"exp(a*b) + sin(c)*exp(a*b) - d^2/exp(a*b) + log(exp(a*b) + c)", "2*(a + sin(b*c)) - (c < d) + 4*d",
        "let s = a + b; let p = s*c; p^2 - exp(s) + p*sin(s) + (s > 1)"}) {
    auto const whole = Expression::parse(text, names);
    auto const terms = whole.terms();
    ASSERT_EQ(terms.size(), 4u) << text;
    auto const f = whole.sums_on(exec, sums);
    ASSERT_EQ(f.terms(), static_cast<int>(sums.size()));
    Kokkos::View<double**, TypeParam> values("test::expression::sums", sums.size(), points);
    Kokkos::parallel_for("test::expression::sums", Kokkos::RangePolicy<TypeParam>(exec, 0, points),
                         EvaluateSums<double, TypeParam>{f, values});
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, values);
    for (int i = 0; i < points; ++i) {
      std::vector<double> x;
      for (int axis = 0; axis < 4; ++axis)
        x.push_back(EvaluateTerms<double, 1, TypeParam>::point(i)[axis]);
      for (std::size_t s = 0; s < sums.size(); ++s) {
        double expected = 0, magnitude = 1;
        for (int const k : sums[s]) {
          expected += terms[static_cast<std::size_t>(k)](x);
          magnitude += std::abs(terms[static_cast<std::size_t>(k)](x));
        }
        EXPECT_NEAR(host(s, i), expected, 1e-14 * magnitude) << text << ", sum " << s;
      }
    }
  }
}

TYPED_TEST(ExpressionTermsOn, ASingleTermIsASum) {
  TypeParam const exec;
  auto const whole = Expression::parse("let s = a + b; exp(s)*s", names);
  auto const f = whole.sums_on(exec, {{0}});
  ASSERT_EQ(f.terms(), 1);
  Kokkos::View<double**, TypeParam> values("test::expression::sums", 1, points);
  Kokkos::parallel_for("test::expression::sums", Kokkos::RangePolicy<TypeParam>(exec, 0, points),
                       EvaluateSums<double, TypeParam>{f, values});
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, values);
  auto const first = EvaluateTerms<double, 1, TypeParam>::point(0);
  double const s = first[0] + first[1];
  EXPECT_NEAR(host(0, 0), std::exp(s) * s, 1e-14);
}

} // namespace expression_terms_test

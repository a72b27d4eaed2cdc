#include <kubature/detail/expression/vector_functions.hpp>
#include <kubature/expression.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace kubature;
using namespace kubature::detail::expression;

namespace vector_functions_test {

struct Case {
  char const* name;
  Opcode opcode;
  long double (*of)(long double a, long double b);
};

#define KUBATURE_CASE(name)                                                                                            \
  {#name, Opcode::name, [](long double a, long double) -> long double { return std::name(a); }},
std::vector<Case> const cases = {KUBATURE_CASE(exp) KUBATURE_CASE(exp2) KUBATURE_CASE(log) KUBATURE_CASE(log2)
                                     KUBATURE_CASE(log10) KUBATURE_CASE(log1p) KUBATURE_CASE(cbrt) KUBATURE_CASE(sin)
                                         KUBATURE_CASE(cos) KUBATURE_CASE(tan) KUBATURE_CASE(asin) KUBATURE_CASE(acos)
                                             KUBATURE_CASE(atan) KUBATURE_CASE(tanh) KUBATURE_CASE(atanh)
                                                 KUBATURE_CASE(erf) KUBATURE_CASE(erfc)
#undef KUBATURE_CASE
#define KUBATURE_CASE(name)                                                                                            \
  {#name, Opcode::name, [](long double a, long double b) -> long double { return std::name(a, b); }},
                                                     KUBATURE_CASE(pow) KUBATURE_CASE(atan2) KUBATURE_CASE(hypot)
#undef KUBATURE_CASE
};

/// Arguments that functions treat in different ways, then random ones of all magnitudes.
template <class Real>
std::vector<Real> arguments(int n, unsigned seed) {
  using Limits = std::numeric_limits<Real>;
  std::vector<Real> all{0,
                        Real(-0.0),
                        Limits::infinity(),
                        -Limits::infinity(),
                        Limits::quiet_NaN(),
                        1,
                        -1,
                        2,
                        -2,
                        Real(0.5),
                        Limits::max(),
                        Limits::lowest(),
                        Limits::min(),
                        Limits::denorm_min(),
                        -Limits::denorm_min(),
                        709,
                        -745,
                        3};
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<Real> number(-1, 1), magnitude(-6, 3);
  for (int i = 0; i < n; ++i)
    all.push_back(number(random) * std::pow(Real(10), magnitude(random)));
  return all;
}

/// The distance from the true value in units of its last place; infinite for a wrong infinity or NaN.
template <class Real>
double distance(Real value, long double truth) {
  Real const nearest = static_cast<Real>(truth);
  if (std::isnan(nearest) || std::isnan(value))
    return std::isnan(nearest) && std::isnan(value) ? 0 : std::numeric_limits<double>::infinity();
  if (value == nearest)
    return 0;
  if (std::isinf(nearest) || std::isinf(value))
    return std::numeric_limits<double>::infinity();
  int exponent;
  std::frexp(nearest, &exponent);
  using Limits = std::numeric_limits<Real>;
  int const last = std::max(exponent - Limits::digits, Limits::min_exponent - Limits::digits);
  return static_cast<double>(std::fabs(static_cast<long double>(value) - truth) / std::ldexp(1.0L, last));
}

template <class Real>
void compare(double allowed) {
  if (!vector_function(Opcode::exp, Real{}))
    GTEST_SKIP() << "built without vector functions, or a processor without them";
  for (auto const& one : cases) {
    auto const function = vector_function(one.opcode, Real{});
    ASSERT_TRUE(function) << one.name;
    auto const left = arguments<Real>(5000, 1), right = arguments<Real>(5000, 2);
    auto value = left;
    function(value.data(), right.data(), static_cast<int>(value.size()));
    for (std::size_t i = 0; i < value.size(); ++i) {
      EXPECT_LE(distance(value[i], one.of(left[i], right[i])), allowed)
          << one.name << ' ' << left[i] << ' ' << right[i];
      Real alone = left[i]; // the same bits in any company
      function(&alone, &right[i], 1);
      EXPECT_TRUE(std::memcmp(&alone, &value[i], sizeof alone) == 0 || (std::isnan(alone) && std::isnan(value[i])))
          << one.name << ' ' << left[i] << ' ' << right[i];
    }
  }
}

TEST(VectorFunctions, AreThoseOfTheCLibraryInDoublePrecision) { compare<double>(1.01); }
TEST(VectorFunctions, AreThoseOfTheCLibraryInSinglePrecision) { compare<float>(1.01); }

TEST(VectorFunctions, LeaveOtherFunctionsToTheCLibrary) {
  for (auto const opcode : {Opcode::sinh, Opcode::lgamma, Opcode::floor, Opcode::add, Opcode::table})
    EXPECT_FALSE(vector_function(opcode, double{}));
}

TEST(VectorFunctions, GiveFormulasTheSameValuesAtOnePointAsAtMany) {
  auto const formula = Expression::parse("exp(-x)*sin(3*y) + pow(x + 1, y) + atan2(x, y)", {"x", "y"});
  auto const f = formula.on(Kokkos::DefaultHostExecutionSpace());
  Point<double, dynamic> points[32];
  for (int w = 0; w < 32; ++w) {
    points[w].set_size(2);
    points[w][0] = (w + 0.5) / 32;
    points[w][1] = 1 / (w + 1.5);
  }
  double values[32];
  f.batch(points, values);
  for (int w = 0; w < 32; ++w)
    EXPECT_EQ(values[w], f(points[w])) << w;
}

/// A program of random arithmetic steps on `variables` variables, with one value at its end.
class RandomProgram {
public:
  static constexpr int variables = 5, steps = 40;

  explicit RandomProgram(unsigned seed) : random_(seed) {
    add(Opcode::push_variable);
    depth_ = 1;
    while (static_cast<int>(program.size()) < steps || depth_ > 1)
      add_any();
  }

  std::vector<Instruction> program;

private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  void add(Opcode opcode) {
    Instruction step;
    step.opcode = opcode;
    step.constant32 = static_cast<float>(below(2000) - 1000) / 256;
    step.constant = step.constant32;
    step.index = static_cast<std::int16_t>(opcode == Opcode::store ? variables + below(max_stored) : below(variables));
    program.push_back(step);
  }
  void add_any() {
#define KUBATURE_CASE(name, value) Opcode::name,
    Opcode const of_two[] = {KUBATURE_EXPRESSION_ARITHMETIC(KUBATURE_CASE)};
#undef KUBATURE_CASE
#define KUBATURE_CASE(name, value) Opcode::name##_variable, Opcode::name##_constant,
    Opcode const of_operand[] = {KUBATURE_EXPRESSION_ARITHMETIC(KUBATURE_CASE)};
#undef KUBATURE_CASE
#define KUBATURE_CASE(name, value) Opcode::push_##name,
    Opcode const pushed[] = {Opcode::push_variable, Opcode::push_constant, KUBATURE_EXPRESSION_FORMS(KUBATURE_CASE)};
#undef KUBATURE_CASE
#define KUBATURE_CASE(name, value) Opcode::add_##name, Opcode::subtract_##name, Opcode::multiply_##name,
    Opcode const of_top[] = {Opcode::store, Opcode::negate, Opcode::square, KUBATURE_EXPRESSION_FORMS(KUBATURE_CASE)};
#undef KUBATURE_CASE
    auto const any_of = [&](auto const& opcodes) { add(opcodes[below(static_cast<int>(std::size(opcodes)))]); };
    bool const enough = static_cast<int>(program.size()) >= steps;
    int const kind = enough ? 0 : below(4);
    if (kind == 0 && depth_ > 1) {
      any_of(of_two);
      --depth_;
    } else if (kind == 1 && depth_ < stack_size - 1) {
      any_of(pushed);
      ++depth_;
    } else if (kind == 2) {
      any_of(of_operand);
    } else {
      any_of(of_top);
    }
  }

  std::mt19937 random_;
  int depth_ = 0;
};

template <class Real, int W>
void expect_arithmetic(ArithmeticSteps<Real> steps, unsigned seed) {
  constexpr int rows = RandomProgram::variables + max_stored;
  auto program = RandomProgram(seed).program;
  int const end = static_cast<int>(program.size());
  Instruction last;
  last.opcode = Opcode::exp; // no arithmetic
  program.push_back(last);
  auto const numbers = arguments<Real>(RandomProgram::variables * W, seed);
  Real x[rows][W] = {}, stack[stack_size][W], top[W] = {};
  for (int i = 0; i < RandomProgram::variables; ++i)
    for (int w = 0; w < W; ++w)
      x[i][w] = numbers[(static_cast<std::size_t>(i * W + w) * 7) % numbers.size()];
  Real alone[W];
  for (int w = 0; w < W; ++w) {
    Real at[rows][1] = {}, value[1];
    for (int i = 0; i < RandomProgram::variables; ++i)
      at[i][0] = x[i][w];
    run(program.data(), Steps{0, end}, Coordinates<Real, 1>{at}, value);
    alone[w] = value[0];
  }
  int depth = 0;
  EXPECT_EQ(steps(program.data(), 0, end + 1, x[0], stack[0], depth, top), end);
  EXPECT_EQ(depth, 1);
  EXPECT_EQ(steps(program.data(), end, end, x[0], stack[0], depth, top), end);
  for (int w = 0; w < W; ++w)
    EXPECT_TRUE(std::memcmp(&alone[w], &top[w], sizeof alone[w]) == 0 || (std::isnan(alone[w]) && std::isnan(top[w])))
        << W << ' ' << seed << ' ' << alone[w] << ' ' << top[w];
}

TEST(VectorArithmetic, HasTheBitsOfOnePoint) {
  if (all_arithmetic().empty() || !may_have_arithmetic<double, 8>)
    GTEST_SKIP() << "built without vector arithmetic, or a processor without it";
  for (auto const* const arithmetic : all_arithmetic())
    for (unsigned seed = 1; seed <= 200; ++seed) {
      expect_arithmetic<double, 8>(arithmetic->double_8, seed);
      expect_arithmetic<double, 32>(arithmetic->double_32, seed);
      expect_arithmetic<float, 8>(arithmetic->float_8, seed);
      expect_arithmetic<float, 32>(arithmetic->float_32, seed);
    }
}

} // namespace vector_functions_test

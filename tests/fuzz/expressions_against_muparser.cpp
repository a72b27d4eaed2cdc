#include <kubature/expression.hpp>

#include <muParser.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

/// Random expressions, evaluated by this library and by muParser:
///
///     kubature_expressions_against_muparser [COUNT [SEED]]
///
/// An expression is made as a tree, written down with no more parentheses than the grammar needs (and some more at
/// random), and both programs read the text. The tree itself is evaluated in long double with a bound on the rounding
/// errors that an evaluation in double may accumulate; the two may differ by no more than that. Where the bound says
/// nothing, as at a comparison of values that are equal up to rounding, a point is left out. In addition, the terms of
/// an expression have to add up to it. The exit status is 1 if anything disagrees.
namespace {

using Long = long double;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Long epsilon = std::numeric_limits<double>::epsilon();

// ---- expressions ---------------------------------------------------------------------------------------------

/// How tightly an expression binds, from the loosest on; in muParser == binds like <, so comparisons are put in
/// parentheses where they are compared.
enum Binding { any = 0, disjunction, conjunction, equality, comparison, sum, product, prefix, power, atom };

struct Operation {
  std::string_view name;
  Binding binding;
  int arguments;
  Long (*value)(Long a, Long b);
  Long rounding = 2;       ///< of the result, in units of epsilon
  bool compares = false;   ///< jumps where a = b
  bool tests = false;      ///< jumps where an operand is zero
  bool unlike_nan = false; ///< what it makes of NaN is not agreed on
  bool periodic = false;   ///< in a, with a period of about 1 or, where it has two arguments, b
};

Long truth(bool value) { return value ? 1 : 0; }

constexpr Long power_rounding = 70; ///< of x^64, multiplied out

Operation const operations[] = {
    {"||", disjunction, 2, [](Long a, Long b) { return truth(a != 0 || b != 0); }, 0, false, true},
    {"&&", conjunction, 2, [](Long a, Long b) { return truth(a != 0 && b != 0); }, 0, false, true},
    {"==", equality, 2, [](Long a, Long b) { return truth(a == b); }, 0, true},
    {"!=", equality, 2, [](Long a, Long b) { return truth(a != b); }, 0, true},
    {"<", comparison, 2, [](Long a, Long b) { return truth(a < b); }, 0, true},
    {"<=", comparison, 2, [](Long a, Long b) { return truth(a <= b); }, 0, true},
    {">", comparison, 2, [](Long a, Long b) { return truth(a > b); }, 0, true},
    {">=", comparison, 2, [](Long a, Long b) { return truth(a >= b); }, 0, true},
    {"+", sum, 2, [](Long a, Long b) { return a + b; }},
    {"-", sum, 2, [](Long a, Long b) { return a - b; }},
    {"+", sum, 2, [](Long a, Long b) { return a + b; }},
    {"-", sum, 2, [](Long a, Long b) { return a - b; }},
    {"*", product, 2, [](Long a, Long b) { return a * b; }},
    {"/", product, 2, [](Long a, Long b) { return a / b; }},
    {"*", product, 2, [](Long a, Long b) { return a * b; }},
    {"/", product, 2, [](Long a, Long b) { return a / b; }},
    {"^", power, 2, [](Long a, Long b) { return std::pow(a, b); }, power_rounding},
    {"^", power, 2, [](Long a, Long b) { return std::pow(a, b); }, power_rounding},
    {"-", prefix, 1, [](Long a, Long) { return -a; }, 0},
    {"-", prefix, 1, [](Long a, Long) { return -a; }, 0},
    {"+", prefix, 1, [](Long a, Long) { return a; }, 0},
    {"!", prefix, 1, [](Long a, Long) { return truth(a == 0); }, 0, false, true},
};

Operation const functions[] = {
    {"abs", atom, 1, [](Long a, Long) { return std::abs(a); }, 0},
    {"fabs", atom, 1, [](Long a, Long) { return std::abs(a); }, 0},
    {"sign", atom, 1, [](Long a, Long) -> Long { return a > 0   ? 1
                                                        : a < 0 ? -1
                                                                : a; }, 0, false, true, true},
    {"fmod", atom, 2, [](Long a, Long b) { return std::fmod(a, b); }, 0, false, false, false, true},
    {"remainder", atom, 2, [](Long a, Long b) { return std::remainder(a, b); }, 0, false, false, false, true},
    {"fdim", atom, 2, [](Long a, Long b) { return std::fdim(a, b); }},
    {"min", atom, 2, [](Long a, Long b) { return std::fmin(a, b); }, 0, false, false, true},
    {"max", atom, 2, [](Long a, Long b) { return std::fmax(a, b); }, 0, false, false, true},
    {"exp", atom, 1, [](Long a, Long) { return std::exp(a); }},
    {"exp2", atom, 1, [](Long a, Long) { return std::exp2(a); }},
    {"expm1", atom, 1, [](Long a, Long) { return std::expm1(a); }},
    {"log", atom, 1, [](Long a, Long) { return std::log(a); }},
    {"ln", atom, 1, [](Long a, Long) { return std::log(a); }},
    {"log2", atom, 1, [](Long a, Long) { return std::log2(a); }},
    {"log10", atom, 1, [](Long a, Long) { return std::log10(a); }},
    {"log1p", atom, 1, [](Long a, Long) { return std::log1p(a); }},
    {"pow", atom, 2, [](Long a, Long b) { return std::pow(a, b); }, power_rounding},
    {"sqrt", atom, 1, [](Long a, Long) { return std::sqrt(a); }},
    {"rsqrt", atom, 1, [](Long a, Long) { return 1 / std::sqrt(a); }},
    {"cbrt", atom, 1, [](Long a, Long) { return std::cbrt(a); }},
    {"hypot", atom, 2, [](Long a, Long b) { return std::hypot(a, b); }},
    {"sin", atom, 1, [](Long a, Long) { return std::sin(a); }, 2, false, false, false, true},
    {"cos", atom, 1, [](Long a, Long) { return std::cos(a); }, 2, false, false, false, true},
    {"tan", atom, 1, [](Long a, Long) { return std::tan(a); }, 2, false, false, false, true},
    {"asin", atom, 1, [](Long a, Long) { return std::asin(a); }},
    {"arccos", atom, 1, [](Long a, Long) { return std::acos(a); }},
    {"atan", atom, 1, [](Long a, Long) { return std::atan(a); }},
    {"atan2", atom, 2, [](Long a, Long b) { return std::atan2(a, b); }},
    {"sinh", atom, 1, [](Long a, Long) { return std::sinh(a); }, 4},
    {"cosh", atom, 1, [](Long a, Long) { return std::cosh(a); }, 4},
    {"tanh", atom, 1, [](Long a, Long) { return std::tanh(a); }, 4},
    {"asinh", atom, 1, [](Long a, Long) { return std::asinh(a); }, 4},
    {"acosh", atom, 1, [](Long a, Long) { return std::acosh(a); }, 4},
    {"atanh", atom, 1, [](Long a, Long) { return std::atanh(a); }, 4},
    {"erf", atom, 1, [](Long a, Long) { return std::erf(a); }, 4},
    {"erfc", atom, 1, [](Long a, Long) { return std::erfc(a); }, 8},
    {"tgamma", atom, 1, [](Long a, Long) { return std::tgamma(a); }, 20},
    {"lgamma", atom, 1, [](Long a, Long) { return std::lgamma(a); }, 20},
    {"ceil", atom, 1, [](Long a, Long) { return std::ceil(a); }, 0},
    {"floor", atom, 1, [](Long a, Long) { return std::floor(a); }, 0},
    {"trunc", atom, 1, [](Long a, Long) { return std::trunc(a); }, 0},
    {"round", atom, 1, [](Long a, Long) { return std::round(a); }, 0},
    {"rint", atom, 1, [](Long a, Long) { return std::nearbyint(a); }, 0},
    {"logb", atom, 1, [](Long a, Long) { return std::logb(a); }, 0},
    {"copysign", atom, 2, [](Long a, Long b) { return std::copysign(a, b); }, 0, false, true, true},
    {"isnan", atom, 1, [](Long a, Long) { return truth(std::isnan(a)); }, 0},
    {"isinf", atom, 1, [](Long a, Long) { return truth(std::isinf(a)); }, 0},
    {"isfinite", atom, 1, [](Long a, Long) { return truth(std::isfinite(a)); }, 0},
};

struct Node {
  Operation const* operation = nullptr; ///< none for a leaf and for if()
  std::vector<Node> parts{};
  int variable = -1; ///< of a leaf that is no constant
  double constant = 0;
  std::string text{}; ///< of a constant

  bool is_leaf() const { return parts.empty(); }
};

class Generator {
public:
  Generator(std::uint64_t seed, int variables) : random_(seed), variables_(variables) {}

  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  double number(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }

  /// An expression of about this many operations.
  Node expression(int size) {
    if (size <= 0)
      return below(3) ? variable() : constant();
    int const kind = below(20);
    if (kind == 0)
      return {.parts = {expression(size / 3), expression(size / 3), expression(size / 3)}};
    auto const& operation =
        kind < 13 ? operations[below(std::size(operations))] : functions[below(std::size(functions))];
    Node node{.operation = &operation};
    int left = operation.arguments == 2 ? below(size) : size - 1;
    node.parts.push_back(expression(left));
    if (operation.arguments == 2)
      node.parts.push_back(operation.name == "^" && below(2) ? exponent() : expression(size - 1 - left));
    return node;
  }

  /// The text, in parentheses unless it binds that tightly.
  std::string written(Node const& node, std::vector<std::string> const& names, int tightly = any) {
    auto text = without_parentheses(node, names);
    int const binding = !node.operation ? atom : node.operation->binding;
    for (bool needed = binding < tightly; needed || below(25) == 0; needed = false)
      text = "(" + space() + text + space() + ")";
    return text;
  }

private:
  Node variable() { return {.variable = below(variables_)}; }

  Node constant() {
    static constexpr std::string_view simple[] = {"0",   "1",  "2",    "3",     "10",   "0.5",
                                                  ".25", "1.", "1e-3", "2.5E2", "1e+1", "7e-1"};
    int const kind = below(8);
    if (kind == 0)
      return {.constant = 3.141592653589793, .text = "pi"};
    if (kind == 1)
      return {.constant = 2.718281828459045, .text = "e"};
    if (kind < 6)
      return literal(std::string(simple[below(std::size(simple))]));
    char digits[40];
    std::snprintf(digits, sizeof(digits), kind == 6 ? "%.4g" : "%.17g", std::exp(number(-4, 4)));
    return literal(digits);
  }

  Node exponent() {
    static constexpr std::string_view simple[] = {"0", "1", "2", "3", "4", "5", "7", "13", "64", "65", "0.5", "1.5"};
    auto node = literal(std::string(simple[below(std::size(simple))]));
    if (below(3))
      return node;
    return {.operation = &*std::find_if(
                std::begin(operations), std::end(operations),
                [](Operation const& operation) { return operation.name == "-" && operation.binding == prefix; }),
            .parts = {node}};
  }

  static Node literal(std::string text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return {.constant = value, .text = std::move(text)};
  }

  std::string space() { return std::string(below(6) == 0 ? static_cast<std::size_t>(below(3)) : 0, ' '); }

  std::string without_parentheses(Node const& node, std::vector<std::string> const& names) {
    if (node.is_leaf())
      return node.variable < 0 ? node.text : names[static_cast<std::size_t>(node.variable)];
    auto const* operation = node.operation;
    if (!operation || operation->binding == atom) {
      std::string text = std::string(operation ? operation->name : "if") + "(";
      for (auto const& part : node.parts)
        text += (&part == &node.parts.front() ? "" : ",") + space() + written(part, names) + space();
      return text + ")";
    }
    std::string const name(operation->name);
    int const binding = operation->binding;
    if (operation->arguments == 1)
      return name + space() + written(node.parts[0], names, power); // muParser takes no --x
    int left = binding, right = binding + 1;
    if (binding == equality || binding == comparison)
      left = right = sum;
    if (binding == power) {
      left = atom;
      right = prefix; // 2^-x, and from right to left
    }
    return written(node.parts[0], names, left) + space() + name + space() + written(node.parts[1], names, right);
  }

  std::mt19937_64 random_;
  int variables_;
};

// ---- values with bounds ----------------------------------------------------------------------------------------

/// A value, and by how much an evaluation in double may miss it: infinity if it may be anything.
struct Bounded {
  Long value, error;
};

/// The value as double has it where it is out of its range.
Bounded in_range(Long value, Long error) {
  if (std::isnan(error))
    error = infinity;
  if (std::isnan(value) || error == infinity)
    return {value, error};
  Long const size = std::abs(value);
  constexpr Long largest = std::numeric_limits<double>::max();
  if (size > largest * 1.000001L && error < 1e-7L * size)
    return {std::copysign(static_cast<Long>(infinity), value), 0};
  if (size > 0.999999L * largest && !std::isinf(value))
    return {value, infinity};
  if (size != 0 && size < 1e-300L)
    error += std::max(1e-307L, 1e-7L * size);
  return {value, error};
}

Bounded apply(Operation const& operation, Bounded a, Bounded b) {
  auto const value = operation.value(a.value, b.value);
  auto const unclear = [](Bounded x) { return x.error == infinity || x.error > 1e-6L * (1 + std::abs(x.value)); };
  if (unclear(a) || unclear(b))
    return {value, infinity};
  if (operation.unlike_nan && (std::isnan(a.value) || std::isnan(b.value)))
    return {value, infinity};
  // x^0.5 and x^-0.5 are sqrt(x) and rsqrt(x), which C's pow is not where x is -0 or -infinity.
  if (operation.rounding == power_rounding && std::abs(b.value) == 0.5L && (a.value == 0 || a.value == -Long(infinity)))
    return {value, infinity};
  // Which sign a power of a negative number has, if any, the last bit of the exponent may tell.
  if (operation.rounding == power_rounding && a.value < 0 && b.error > 0)
    return {value, infinity};
  if (operation.periodic) {
    Long const period = operation.arguments == 2 ? std::abs(b.value) : 1;
    if (a.error + std::abs(a.value / period) * b.error > 1e-3L * period)
      return {value, infinity};
  }
  bool const exact = a.error == 0 && b.error == 0;
  if (operation.compares && !exact && std::abs(a.value - b.value) <= a.error + b.error)
    return {value, infinity};
  if (operation.tests)
    for (auto const& x : {a, b})
      if (x.error > 0 && std::abs(x.value) <= x.error)
        return {value, infinity};
  Long error = 0;
  if (!exact)
    for (Long const da : {-a.error, Long(0), a.error})
      for (Long const db : {-b.error, Long(0), b.error}) {
        auto const near = operation.value(a.value + da, b.value + db);
        if (std::isnan(near) != std::isnan(value) || std::isinf(near) != std::isinf(value))
          return {value, infinity};
        if (std::isfinite(value))
          error = std::max(error, std::abs(near - value));
      }
  if (std::isfinite(value))
    error += operation.rounding * epsilon * std::abs(value);
  if (operation.binding == sum && std::isfinite(value)) // muParser adds what has the same variable in another order
    error += epsilon * (std::abs(a.value) + std::abs(b.value));
  return in_range(value, error);
}

Bounded evaluated(Node const& node, std::vector<double> const& x) {
  if (node.is_leaf())
    return {node.variable < 0 ? node.constant : x[static_cast<std::size_t>(node.variable)], 0};
  auto const a = evaluated(node.parts[0], x);
  if (!node.operation) {
    if (a.error > 0 && !(std::abs(a.value) > a.error))
      return {a.value, infinity};
    return evaluated(node.parts[a.value != 0 ? 1 : 2], x);
  }
  return apply(*node.operation, a, node.parts.size() > 1 ? evaluated(node.parts[1], x) : Bounded{0, 0});
}

bool agree(double a, double b, Long tolerance) {
  return (std::isnan(a) && std::isnan(b)) || a == b || std::abs(Long(a) - b) <= tolerance;
}

// ---- muParser ----------------------------------------------------------------------------------------------------

/// What muParser lacks, or has with another meaning.
void teach(mu::Parser& parser) {
  auto const one = [&](char const* name, double (*function)(double)) { parser.DefineFun(name, function); };
  auto const two = [&](char const* name, double (*function)(double, double)) { parser.DefineFun(name, function); };
  parser.DefineFun(
      "if", +[](double condition, double then, double otherwise) { return condition != 0 ? then : otherwise; });
  one("abs", [](double a) { return std::fabs(a); });                    // its own leaves -0 as it is
  one("sign", [](double a) { return a > 0 ? 1.0 : a < 0 ? -1.0 : a; }); // likewise
  one("fabs", [](double a) { return std::fabs(a); });
  two("fmod", [](double a, double b) { return std::fmod(a, b); });
  two("remainder", [](double a, double b) { return std::remainder(a, b); });
  two("fdim", [](double a, double b) { return std::fdim(a, b); });
  one("exp2", [](double a) { return std::exp2(a); });
  one("expm1", [](double a) { return std::expm1(a); });
  one("log", [](double a) { return std::log(a); });
  one("log2", [](double a) { return std::log2(a); });
  one("log1p", [](double a) { return std::log1p(a); });
  two("pow", [](double a, double b) { return std::pow(a, b); });
  one("rsqrt", [](double a) { return 1 / std::sqrt(a); });
  one("cbrt", [](double a) { return std::cbrt(a); });
  two("hypot", [](double a, double b) { return std::hypot(a, b); });
  one("asinh", [](double a) { return std::asinh(a); }); // its own are logarithms that cancel
  one("acosh", [](double a) { return std::acosh(a); });
  one("atanh", [](double a) { return std::atanh(a); });
  one("arccos", [](double a) { return std::acos(a); });
  one("erf", [](double a) { return std::erf(a); });
  one("erfc", [](double a) { return std::erfc(a); });
  one("tgamma", [](double a) { return std::tgamma(a); });
  one("lgamma", [](double a) { return std::lgamma(a); });
  one("ceil", [](double a) { return std::ceil(a); });
  one("floor", [](double a) { return std::floor(a); });
  one("trunc", [](double a) { return std::trunc(a); });
  one("round", [](double a) { return std::round(a); });
  one("rint", [](double a) { return std::nearbyint(a); });
  one("logb", [](double a) { return std::logb(a); });
  two("copysign", [](double a, double b) { return std::copysign(a, b); });
  one("isnan", [](double a) { return std::isnan(a) ? 1.0 : 0.0; });
  one("isinf", [](double a) { return std::isinf(a) ? 1.0 : 0.0; });
  one("isfinite", [](double a) { return std::isfinite(a) ? 1.0 : 0.0; });
  parser.DefineInfixOprt("!", [](double a) { return a == 0 ? 1.0 : 0.0; });
  parser.EnableOptimizer(false); // which takes 0.7 && 1 for 0
  parser.DefineConst("pi", 3.141592653589793);
  parser.DefineConst("e", 2.718281828459045);
}

// ---- the comparison ----------------------------------------------------------------------------------------------

struct Counts {
  long expressions = 0, points = 0, left_out = 0, not_finite = 0, disagreements = 0;
};

void complain(Counts& counts, std::string const& problem, std::string const& text, std::vector<double> const& x) {
  if (++counts.disagreements > 50)
    return;
  std::printf("%s\n  %s\n  at", problem.c_str(), text.c_str());
  for (double const coordinate : x)
    std::printf(" %.17g", coordinate);
  std::printf("\n");
}

std::string shown(double value) {
  char digits[40];
  std::snprintf(digits, sizeof(digits), "%.17g", value);
  return digits;
}

void check_terms(Counts& counts, kubature::Expression const& whole, std::string const& text,
                 std::vector<double> const& x, double value, Long tolerance) {
  Long added = 0, sizes = 0;
  for (auto const& term : whole.terms()) {
    Long const part = term(x);
    added += part;
    sizes += std::abs(part);
  }
  if (sizes < 1e150L && std::abs(added - value) > 8 * tolerance + 1e-13L * sizes)
    complain(counts, "terms add up to " + shown(static_cast<double>(added)) + ", not to " + shown(value), text, x);
}

void compare(Counts& counts, mu::Parser& parser, std::uint64_t seed) {
  static std::vector<std::string> const families[] = {
      {"x", "y", "z", "w"}, {"x1", "x2", "x3", "x4"}, {"alpha", "b_2", "X", "x"}};
  Generator random(seed, 4);
  auto const& names = families[random.below(3)];
  auto const tree = random.expression(1 + random.below(24));
  auto const text = random.written(tree, names);
  std::vector<double> x(4, 0.5);
  parser.ClearVar();
  for (std::size_t i = 0; i < x.size(); ++i)
    parser.DefineVar(names[i], &x[i]);
  ++counts.expressions;
  try {
    auto const expression = kubature::Expression::parse(text, names);
    parser.SetExpr(text);
    for (int point = 0; point < 5; ++point) {
      for (double& coordinate : x) {
        static constexpr double special[] = {0, 1, -1, 0.5, 2, -3};
        int const kind = random.below(8);
        coordinate = kind == 0 ? special[random.below(6)] : kind < 4 ? random.number(0, 1) : random.number(-5, 5);
      }
      auto const [value, error] = evaluated(tree, x);
      ++counts.points;
      if (error == infinity) {
        ++counts.left_out;
        continue;
      }
      double const ours = expression(x), theirs = parser.Eval();
      counts.not_finite += !std::isfinite(ours);
      if (!agree(ours, theirs, 2 * error))
        complain(counts,
                 "kubature " + shown(ours) + ", muParser " + shown(theirs) + ", from the tree " +
                     shown(static_cast<double>(value)) + ", bound " + shown(static_cast<double>(error)),
                 text, x);
      if (std::isfinite(ours))
        check_terms(counts, expression, text, x, ours, error);
    }
  } catch (kubature::InvalidArgument const& refused) {
    complain(counts, std::string("kubature: ") + refused.what(), text, x);
  } catch (mu::Parser::exception_type const& refused) {
    complain(counts, "muParser: " + refused.GetMsg(), text, x);
  }
}

template <class T>
T whole(char const* text) {
  std::string_view const digits = text;
  T value{};
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc{} && end == digits.data() + digits.size())
    return value;
  std::fprintf(stderr, "kubature: '%s' is no whole number; usage: [COUNT [SEED]]\n", text);
  std::exit(2);
}

} // namespace

int main(int argc, char** argv) {
  auto const count = argc > 1 ? whole<std::uint64_t>(argv[1]) : 200'000;
  auto const seed = argc > 2 ? whole<std::uint64_t>(argv[2]) : 1;
  mu::Parser parser;
  teach(parser);
  Counts counts;
  for (std::uint64_t i = 0; i < count; ++i)
    compare(counts, parser, seed * 1'000'000'007 + i);
  std::printf("%ld expressions, %ld points, %ld left out, %ld values not finite, %ld disagreements\n",
              counts.expressions, counts.points, counts.left_out, counts.not_finite, counts.disagreements);
  return counts.disagreements ? 1 : 0;
}

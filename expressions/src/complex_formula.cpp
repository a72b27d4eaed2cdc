#include "formula_names.hpp"
#include "graph.hpp"
#include "parser.hpp"
#include "printed.hpp"
#include "source.hpp"

#include <kubature/complex_formula.hpp>

#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <utility>
#include <vector>

namespace kubature {
namespace {

using namespace detail::expression;
using Id = Graph::Id;

// Functions that only complex formulas have. Their opcodes are those of steps that no tree has before it is improved.
constexpr Opcode re = Opcode::push_shifted, im = Opcode::push_scaled, conj = Opcode::push_square,
                 arg = Opcode::push_distance;
constexpr std::array complex_functions{Function{"re", 1, re, true}, Function{"im", 1, im, true},
                                       Function{"conj", 1, conj, true}, Function{"arg", 1, arg, true}};

/// A complex value.
struct Value {
  Id re, im;
  Id real; ///< what it is in real formulas, perhaps NaN where it is complex; or none
};

class ComplexParts {
public:
  ComplexParts(Source const& source, Tree const& tree, int unit)
      : source_(source), tree_(tree), unit_(unit), values_(static_cast<std::size_t>(tree.size())) {}

  /// The parts of the formulas, one after the other.
  std::vector<Id> parts(std::vector<Tree::Id> const& roots) {
    auto const needed = reached(tree_, roots);
    for (Tree::Id id = 0; id < tree_.size(); ++id)
      if (needed[static_cast<std::size_t>(id)])
        values_[static_cast<std::size_t>(id)] = value(id);
    std::vector<Id> parts;
    for (auto const root : roots)
      parts.insert(parts.end(), {of(root).re, of(root).im});
    return parts;
  }

  Graph const& graph() const { return g_; }

private:
  Value const& of(Tree::Id id) const { return values_[static_cast<std::size_t>(id)]; }

  Id number(double x) { return g_.constant(x); }
  Id call(Opcode opcode, Id a, Id b = Graph::none) { return g_.apply(opcode, a, b); }
  bool is_real(Value const& z) const { return g_.is(z.im, 0); }
  Value real(Id x) { return {x, number(0), x}; }
  Value complex(Id x, Id y) { return {x, y, g_.is(y, 0) ? x : Graph::none}; }

  Value value(Tree::Id id) {
    auto const& node = tree_.written(id);
    if (tree_.is_constant(id))
      return real(number(tree_.value(id)));
    if (node.opcode == Opcode::push_variable)
      return tree_.axis(id) == unit_ ? complex(number(0), number(1)) : real(g_.variable(tree_.axis(id)));
    if (node.opcode == Opcode::store)
      return of(node.left);
    std::vector<Value> operands;
    std::array<Id, 3> reals{Graph::none, Graph::none, Graph::none};
    bool has_real = true;
    for (auto const part : parts_of(node))
      if (part != Tree::none) {
        reals[operands.size()] = of(part).real;
        has_real = has_real && of(part).real != Graph::none;
        operands.push_back(of(part));
      }
    auto result = applied(id, operands);
    if (result.re == Graph::none) { // a function of real numbers
      if (!has_real)
        refuse(id);
      return real(copied(g_, node, reals));
    }
    bool const has_own = node.opcode >= re && node.opcode <= arg;
    if (has_real && !is_real(result) && !has_own)
      result.real = copied(g_, node, reals);
    return result;
  }

  [[noreturn]] void refuse(Tree::Id id) const {
    auto const& node = tree_.written(id);
    auto const name =
        node.opcode == Opcode::select ? std::string("the condition of if()") : in_quotes(name_of(node.opcode));
    source_.fail(node.begin, name + " takes real numbers, and this one is complex: take re(), im() or abs() of it");
  }

  /// The value of a node, or none if it takes real numbers only.
  Value applied(Tree::Id id, std::vector<Value> const& operands) {
    auto const& node = tree_.written(id);
    auto const& a = operands[0];
    auto const& b = operands.back();
    switch (node.opcode) {
    case Opcode::select:
      if (a.real == Graph::none)
        refuse(id);
      return complex(g_.select(a.real, operands[1].re, b.re), g_.select(a.real, operands[1].im, b.im));
    case Opcode::add:
      return complex(g_.add(a.re, b.re), g_.add(a.im, b.im));
    case Opcode::subtract:
      return complex(g_.subtract(a.re, b.re), g_.subtract(a.im, b.im));
    case Opcode::multiply:
      return product(a, b);
    case Opcode::divide:
      return quotient(a, b);
    case Opcode::negate:
      return complex(g_.negate(a.re), g_.negate(a.im));
    case Opcode::square:
      return squared(a);
    case Opcode::pow:
      return power(a, b);
    default:
      return is_real(a) ? of_real(node.opcode, a.re) : of_complex(node.opcode, a);
    }
  }

  /// A function of a real number, where its value may be complex.
  Value of_real(Opcode opcode, Id x) {
    auto const z = real(x);
    switch (opcode) {
    case re:
    case conj:
      return z;
    case im:
      return real(number(0));
    case arg:
      return real(angle(z));
    case Opcode::sqrt:
      return root(z);
    case Opcode::rsqrt:
      return g_[x].nonnegative ? nothing : quotient(real(number(1)), root(z));
    case Opcode::log:
    case Opcode::log2:
    case Opcode::log10:
      return logarithm(opcode, z);
    case Opcode::log1p: {
      Id const whole = g_.add(number(1), x), negative = g_.less(whole, number(0));
      if (g_[x].nonnegative)
        return nothing;
      return complex(g_.select(negative, call(Opcode::log, call(Opcode::abs, whole)), call(Opcode::log1p, x)),
                     g_.select(negative, number(std::numbers::pi), number(0)));
    }
    default:
      return nothing;
    }
  }

  /// A function of a number that is not real.
  Value of_complex(Opcode opcode, Value const& z) {
    switch (opcode) {
    case re:
      return real(z.re);
    case im:
      return real(z.im);
    case conj:
      return {z.re, g_.negate(z.im), z.real};
    case arg:
      return real(angle(z));
    case Opcode::abs:
      return real(modulus(z));
    case Opcode::sqrt:
      return root(z);
    case Opcode::rsqrt:
      return quotient(real(number(1)), root(z));
    case Opcode::log:
    case Opcode::log2:
    case Opcode::log10:
      return logarithm(opcode, z);
    case Opcode::log1p: { // |1 + z|^2 = 1 + x (2 + x) + y^2
      Id const distance = g_.add(g_.multiply(z.re, g_.add(number(2), z.re)), g_.square(z.im));
      return complex(g_.multiply(number(0.5), call(Opcode::log1p, distance)),
                     call(Opcode::atan2, z.im, g_.add(number(1), z.re)));
    }
    case Opcode::exp:
      return exponential(z);
    case Opcode::exp2:
      return exponential(product(real(number(std::numbers::ln2)), z));
    case Opcode::expm1: { // e^x cos(y) - 1 = expm1(x) cos(y) - 2 sin^2(y / 2)
      Id const half = g_.square(call(Opcode::sin, g_.multiply(number(0.5), z.im)));
      Id const first = g_.multiply(g_.is(z.re, 0) ? number(0) : call(Opcode::expm1, z.re), call(Opcode::cos, z.im));
      return complex(g_.subtract(first, g_.multiply(number(2), half)), exponential(z).im);
    }
    case Opcode::sin:
      return complex(g_.multiply(sin(z.re), cosh(z.im)), g_.multiply(cos(z.re), sinh(z.im)));
    case Opcode::cos:
      return complex(g_.multiply(cos(z.re), cosh(z.im)), g_.negate(g_.multiply(sin(z.re), sinh(z.im))));
    case Opcode::sinh:
      return complex(g_.multiply(sinh(z.re), cos(z.im)), g_.multiply(cosh(z.re), sin(z.im)));
    case Opcode::cosh:
      return complex(g_.multiply(cosh(z.re), cos(z.im)), g_.multiply(sinh(z.re), sin(z.im)));
    case Opcode::tan: {
      auto const [along, across] = tangent(z.re, z.im);
      return complex(along, across);
    }
    case Opcode::tanh: { // -i tan(i z)
      auto const [along, across] = tangent(z.im, z.re);
      return complex(across, along);
    }
    default:
      return inverse(opcode, z);
    }
  }

  /// Inverse functions of a number that is not real, as Kahan computes them ("Branch cuts for complex elementary
  /// functions", in The State of the Art in Numerical Analysis, 1987), so that nothing cancels.
  Value inverse(Opcode opcode, Value const& z) {
    Value const rotated{g_.negate(z.im), z.re, Graph::none}; // i z
    switch (opcode) {
    case Opcode::asin: {
      auto const below = root(shifted(-1, z)), above = root(shifted(1, z));
      return complex(call(Opcode::atan2, z.re, product(below, above).re),
                     call(Opcode::asinh, product(conjugate(below), above).im));
    }
    case Opcode::acos: {
      auto const below = root(shifted(-1, z)), above = root(shifted(1, z));
      return complex(g_.multiply(number(2), call(Opcode::atan2, below.re, above.re)),
                     call(Opcode::asinh, product(conjugate(above), below).im));
    }
    case Opcode::acosh: {
      auto const below = root(complex(g_.subtract(z.re, number(1)), z.im)), above = root(shifted(1, z));
      return complex(call(Opcode::asinh, product(conjugate(below), above).re),
                     g_.multiply(number(2), call(Opcode::atan2, below.im, above.re)));
    }
    case Opcode::atanh: {
      Id const x = g_.subtract(number(1), z.re), y = g_.square(z.im), across = g_.add(number(1), z.re);
      Id const ratio = g_.divide(g_.multiply(number(4), z.re), g_.add(g_.square(x), y));
      Id const turn = call(Opcode::atan2, g_.multiply(number(2), z.im), g_.subtract(g_.multiply(x, across), y));
      return complex(g_.multiply(number(0.25), call(Opcode::log1p, ratio)), g_.multiply(number(0.5), turn));
    }
    case Opcode::asinh:
    case Opcode::atan: { // f(i z) / i
      auto const f = inverse(opcode == Opcode::atan ? Opcode::atanh : Opcode::asin, rotated);
      return complex(f.im, g_.negate(f.re));
    }
    default:
      return nothing;
    }
  }

  Value conjugate(Value const& z) { return complex(z.re, g_.negate(z.im)); }
  /// 1 + z or 1 - z.
  Value shifted(double sign, Value const& z) {
    return sign > 0 ? complex(g_.add(number(1), z.re), z.im) : complex(g_.subtract(number(1), z.re), g_.negate(z.im));
  }

  Id sin(Id x) { return zero_or(Opcode::sin, x, 0); }
  Id cos(Id x) { return zero_or(Opcode::cos, x, 1); }
  Id sinh(Id x) { return zero_or(Opcode::sinh, x, 0); }
  Id cosh(Id x) { return zero_or(Opcode::cosh, x, 1); }
  Id zero_or(Opcode opcode, Id x, double at_zero) { return g_.is(x, 0) ? number(at_zero) : call(opcode, x); }

  /// The parts of tan(x + i y), with t = tan(x) and T = tanh(y): t / (cosh^2(y) (1 + t^2 T^2)) and
  /// T (1 + t^2) / (1 + t^2 T^2), which do not overflow.
  std::pair<Id, Id> tangent(Id x, Id y) {
    Id const t = zero_or(Opcode::tan, x, 0), hyperbolic = zero_or(Opcode::tanh, y, 0);
    Id const below = g_.add(number(1), g_.square(g_.multiply(t, hyperbolic)));
    return {g_.divide(g_.divide(t, g_.square(cosh(y))), below),
            g_.divide(g_.multiply(hyperbolic, g_.add(number(1), g_.square(t))), below)};
  }

  Value product(Value const& a, Value const& b) {
    return complex(g_.subtract(g_.multiply(a.re, b.re), g_.multiply(a.im, b.im)),
                   g_.add(g_.multiply(a.re, b.im), g_.multiply(a.im, b.re)));
  }

  /// Through 1 / |b|, so that squares neither overflow nor underflow.
  Value quotient(Value const& a, Value const& b) {
    if (is_real(b))
      return complex(g_.divide(a.re, b.re), g_.divide(a.im, b.re));
    if (g_.is(b.re, 0))
      return complex(g_.divide(a.im, b.im), g_.negate(g_.divide(a.re, b.im)));
    Id const scale = g_.divide(number(1), modulus(b));
    auto const direction = complex(g_.multiply(b.re, scale), g_.negate(g_.multiply(b.im, scale)));
    auto const turned = product(a, direction);
    return complex(g_.multiply(turned.re, scale), g_.multiply(turned.im, scale));
  }

  Value squared(Value const& z) {
    if (is_real(z))
      return real(g_.square(z.re));
    if (g_.is(z.re, 0))
      return real(g_.negate(g_.square(z.im)));
    return complex(g_.multiply(g_.subtract(z.re, z.im), g_.add(z.re, z.im)),
                   g_.multiply(number(2), g_.multiply(z.re, z.im)));
  }

  Id modulus(Value const& z) {
    if (is_real(z))
      return g_[z.re].nonnegative ? z.re : call(Opcode::abs, z.re);
    return g_.is(z.re, 0) ? call(Opcode::abs, z.im) : call(Opcode::hypot, z.re, z.im);
  }

  Id angle(Value const& z) {
    if (!is_real(z))
      return call(Opcode::atan2, z.im, z.re);
    return g_[z.re].nonnegative ? number(0) : g_.select(negative(z.re), number(std::numbers::pi), number(0));
  }

  Id negative(Id x) { return g_.less(x, number(0)); }

  Value logarithm(Opcode opcode, Value const& z) {
    double const base = opcode == Opcode::log    ? 1
                        : opcode == Opcode::log2 ? 1 / std::numbers::ln2
                                                 : 1 / std::numbers::ln10;
    return complex(call(opcode, modulus(z)), g_.multiply(number(base), angle(z)));
  }

  Value exponential(Value const& z) {
    Id const size = g_.is(z.re, 0) ? number(1) : call(Opcode::exp, z.re);
    return complex(g_.multiply(size, cos(z.im)), g_.multiply(size, sin(z.im)));
  }

  /// With t = sqrt((|x| + |z|) / 2), the parts are t and y / (2 t), in an order that depends on the sign of x, so that
  /// nothing cancels.
  Value root(Value const& z) {
    if (is_real(z)) {
      if (g_[z.re].nonnegative)
        return real(call(Opcode::sqrt, z.re));
      Id const t = call(Opcode::sqrt, call(Opcode::abs, z.re)), below = negative(z.re);
      return complex(g_.select(below, number(0), t), g_.select(below, t, number(0)));
    }
    Id const t = call(Opcode::sqrt, g_.multiply(number(0.5), g_.add(modulus(real(z.re)), modulus(z))));
    Id const other = g_.select(call(Opcode::equal, t, number(0)), number(0),
                               g_.divide(call(Opcode::abs, z.im), g_.multiply(number(2), t)));
    Id const below = negative(z.re);
    return complex(g_.select(below, other, t), call(Opcode::copysign, g_.select(below, t, other), z.im));
  }

  Value power(Value const& base, Value const& exponent) {
    auto const& top = g_[exponent.re];
    bool const constant = is_real(exponent) && top.opcode == Opcode::push_constant;
    double const n = top.value;
    bool const whole = constant && n == std::trunc(n);
    if (is_real(base) && (whole || (is_real(exponent) && g_[base.re].nonnegative)))
      return real(g_.power(base.re, exponent.re));
    if (whole && std::abs(n) <= 64)
      return integer_power(base, static_cast<int>(n));
    if (constant && n == 0.5)
      return root(base);
    Id const size = modulus(base), turn = angle(base);
    if (is_real(exponent)) {
      Id const grown = g_.power(size, exponent.re), turned = g_.multiply(exponent.re, turn);
      return complex(g_.multiply(grown, cos(turned)), g_.multiply(grown, sin(turned)));
    }
    return exponential(product(exponent, complex(call(Opcode::log, size), turn)));
  }

  Value integer_power(Value const& base, int n) {
    auto square = base, result = real(number(1));
    for (auto left = std::abs(n); left > 0; left /= 2) {
      if (left % 2 == 1)
        result = product(result, square);
      if (left > 1)
        square = squared(square);
    }
    return n < 0 ? quotient(real(number(1)), result) : result;
  }

  static constexpr Value nothing{Graph::none, Graph::none, Graph::none};

  Source const& source_;
  Tree const& tree_;
  int unit_; ///< the axis that stands for i
  std::vector<Value> values_;
  Graph g_;
};

} // namespace

Expressions complex_parts(std::string_view text, std::vector<std::string> variables,
                          std::vector<FormulaParameter> const& parameters, std::source_location where) {
  FormulaNames const names(text, std::move(variables), "i", parameters, where);
  auto const parsed = detail::expression::parse(text, names.all, true, where, complex_functions);
  Source const source(text, where);
  ComplexParts of(source, parsed.tree, static_cast<int>(names.variables.size()));
  auto const parts = of.parts(parsed.roots);
  return names.formulas(of.graph(), parts, source, where);
}

} // namespace kubature

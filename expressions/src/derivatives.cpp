#include "formula_names.hpp"
#include "graph.hpp"
#include "parser.hpp"
#include "printed.hpp"
#include "source.hpp"

#include <kubature/derivatives.hpp>

#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

namespace kubature {
namespace {

using namespace detail::expression;
using Id = Graph::Id;

/// The partial derivatives of the functions of formulas.
class Partials {
public:
  explicit Partials(Graph& graph) : g_(graph) {}

  /// The derivative of f(a, b, c) in its argument k; none if it is no formula.
  /// @param f the value
  std::optional<Id> of(Opcode opcode, int k, std::array<Id, 3> const& arguments, Id f) {
    auto const [a, b, c] = arguments;
    switch (opcode) {
    case Opcode::negate:
      return number(-1);
    case Opcode::add:
      return number(1);
    case Opcode::subtract:
      return number(k == 0 ? 1 : -1);
    case Opcode::multiply:
      return k == 0 ? b : a;
    case Opcode::divide:
      return k == 0 ? inverse(b) : g_.negate(g_.divide(f, b));
    case Opcode::square:
      return twice(a);
    case Opcode::pow:
      return k == 0 ? g_.multiply(b, g_.power(a, g_.subtract(b, number(1))))
                    : if_zero(a, 0, g_.multiply(f, call(Opcode::log, a)));
    case Opcode::hypot:
      return if_zero(f, 0, g_.divide(k == 0 ? a : b, f));
    case Opcode::atan2: {
      auto const below = g_.add(g_.square(a), g_.square(b));
      return k == 0 ? g_.divide(b, below) : g_.negate(g_.divide(a, below));
    }
    case Opcode::min:
      return g_.select(g_.less(b, a), number(k), number(1 - k));
    case Opcode::max:
      return g_.select(g_.less(a, b), number(k), number(1 - k));
    case Opcode::fdim:
      return g_.select(g_.less(b, a), number(k == 0 ? 1 : -1), number(0));
    case Opcode::beta:
      return g_.multiply(f, g_.subtract(call(Opcode::digamma, k == 0 ? a : b), call(Opcode::digamma, g_.add(a, b))));
    case Opcode::gamma_p:
      return if_last(k == 1, gamma_density(a, b));
    case Opcode::gamma_q:
      return if_last(k == 1, g_.negate(gamma_density(a, b)));
    case Opcode::gamma_quantile:
      return if_last(k == 1, inverse(gamma_density(a, f)));
    case Opcode::student_t_cdf:
      return if_last(k == 1, student_density(a, b));
    case Opcode::student_t_quantile:
      return if_last(k == 1, inverse(student_density(a, f)));
    case Opcode::beta_i:
      return if_last(k == 2, beta_density(a, b, c));
    case Opcode::beta_quantile:
      return if_last(k == 2, inverse(beta_density(a, b, f)));
    default:
      return is_special(opcode) ? special(opcode, a, f) : elementary(opcode, a, f);
    }
  }

private:
  Id number(double x) { return g_.constant(x); }
  Id call(Opcode opcode, Id a) { return g_.apply(opcode, a); }
  Id inverse(Id a) { return g_.divide(number(1), a); }
  Id twice(Id a) { return g_.multiply(number(2), a); }
  Id one_plus(Id a) { return g_.add(number(1), a); }
  Id one_minus(Id a) { return g_.subtract(number(1), a); }
  /// `otherwise`, but where a is zero, this number.
  Id if_zero(Id a, double number_there, Id otherwise) {
    return g_.select(g_.apply(Opcode::equal, a, number(0)), number(number_there), otherwise);
  }
  static std::optional<Id> if_last(bool last, Id derivative) { return last ? std::optional(derivative) : std::nullopt; }

  std::optional<Id> elementary(Opcode opcode, Id a, Id f) {
    switch (opcode) {
    case Opcode::abs:
      return call(Opcode::sign, a);
    case Opcode::exp:
      return f;
    case Opcode::exp2:
      return g_.multiply(number(std::numbers::ln2), f);
    case Opcode::expm1:
      return call(Opcode::exp, a);
    case Opcode::log:
      return inverse(a);
    case Opcode::log2:
      return inverse(g_.multiply(number(std::numbers::ln2), a));
    case Opcode::log10:
      return inverse(g_.multiply(number(std::numbers::ln10), a));
    case Opcode::log1p:
      return inverse(one_plus(a));
    case Opcode::sqrt:
      return inverse(twice(f));
    case Opcode::rsqrt:
      return g_.multiply(number(-0.5), g_.divide(f, a));
    case Opcode::cbrt:
      return inverse(g_.multiply(number(3), g_.square(f)));
    case Opcode::sin:
      return call(Opcode::cos, a);
    case Opcode::cos:
      return g_.negate(call(Opcode::sin, a));
    case Opcode::tan:
      return one_plus(g_.square(f));
    case Opcode::asin:
      return call(Opcode::rsqrt, across(a));
    case Opcode::acos:
      return g_.negate(call(Opcode::rsqrt, across(a)));
    case Opcode::atan:
      return inverse(one_plus(g_.square(a)));
    case Opcode::sinh:
      return call(Opcode::cosh, a);
    case Opcode::cosh:
      return call(Opcode::sinh, a);
    case Opcode::tanh:
      return inverse(g_.square(call(Opcode::cosh, a)));
    case Opcode::asinh:
      return call(Opcode::rsqrt, one_plus(g_.square(a)));
    case Opcode::acosh:
      return call(Opcode::rsqrt, g_.negate(across(a)));
    case Opcode::atanh:
      return inverse(across(a));
    case Opcode::erf:
      return bell(a, 1);
    case Opcode::erfc:
      return bell(a, -1);
    case Opcode::tgamma:
      return g_.multiply(f, call(Opcode::digamma, a));
    case Opcode::lgamma:
      return call(Opcode::digamma, a);
    default:
      return {};
    }
  }

  /// 1 - a^2, precise next to 1.
  Id across(Id a) { return g_.multiply(one_minus(a), one_plus(a)); }

  /// The derivative of erf, times a sign.
  Id bell(Id a, double sign) {
    return g_.multiply(number(sign * 2 * std::numbers::inv_sqrtpi), call(Opcode::exp, g_.negate(g_.square(a))));
  }

  std::optional<Id> special(Opcode opcode, Id a, Id f) {
    switch (opcode) {
    case Opcode::erfcx:
      return g_.subtract(twice(g_.multiply(a, f)), number(2 * std::numbers::inv_sqrtpi));
    case Opcode::normpdf:
      return g_.negate(g_.multiply(a, f));
    case Opcode::normcdf:
      return call(Opcode::normpdf, a);
    case Opcode::norminv:
      return inverse(call(Opcode::normpdf, f));
    case Opcode::li2: {
      Id const rest = one_minus(a);
      Id const logarithm = g_.select(g_.less(call(Opcode::abs, a), number(0.5)), call(Opcode::log1p, g_.negate(a)),
                                     call(Opcode::log, call(Opcode::abs, rest)));
      return if_zero(a, 1, g_.negate(g_.divide(logarithm, a)));
    }
    case Opcode::ellipk: { // (E - (1 - m) K) / (2 m (1 - m))
      Id const rest = one_minus(a);
      Id const above = g_.subtract(call(Opcode::ellipe, a), g_.multiply(rest, f));
      return elliptic(a, false, g_.divide(above, g_.multiply(twice(a), rest)));
    }
    case Opcode::ellipe: // (E - K) / (2 m)
      return elliptic(a, true, g_.divide(g_.subtract(f, call(Opcode::ellipk, a)), twice(a)));
    case Opcode::sinc:
      return sinc(a, f);
    case Opcode::j0:
      return g_.negate(call(Opcode::j1, a));
    case Opcode::j1:
      return if_zero(a, 0.5, g_.subtract(call(Opcode::j0, a), g_.divide(f, a)));
    case Opcode::y0:
      return g_.negate(call(Opcode::y1, a));
    case Opcode::y1:
      return g_.subtract(call(Opcode::y0, a), g_.divide(f, a));
    case Opcode::i0:
      return call(Opcode::i1, a);
    case Opcode::i1:
      return if_zero(a, 0.5, g_.subtract(call(Opcode::i0, a), g_.divide(f, a)));
    case Opcode::k0:
      return g_.negate(call(Opcode::k1, a));
    case Opcode::k1:
      return g_.negate(g_.add(call(Opcode::k0, a), g_.divide(f, a)));
    default:
      return {};
    }
  }

  /// (cos(a) - sinc(a)) / a, next to 0 by its series, whose terms are a^2 / (2k (2k + 3)) times the one before.
  Id sinc(Id a, Id f) {
    Id const squared = g_.square(a);
    Id series = number(1);
    for (int k = 6; k >= 1; --k)
      series = one_minus(g_.multiply(g_.divide(squared, number(2 * k * (2 * k + 3))), series));
    return g_.select(g_.less(call(Opcode::abs, a), number(1)), g_.multiply(g_.divide(a, number(-3)), series),
                     g_.divide(g_.subtract(call(Opcode::cos, a), f), a));
  }

  /// The derivative of K or E, next to m = 0 by their series: with a_n = ((2n - 1)!! / (2n)!!)^2 these are
  /// K = pi / 2 sum a_n m^n and E = -pi / 2 sum a_n / (2n - 1) m^n.
  Id elliptic(Id m, bool second, Id elsewhere) {
    constexpr int terms = 8;
    std::array<double, terms + 1> a{1};
    for (std::size_t n = 1; n <= terms; ++n)
      a[n] = a[n - 1] * std::pow((2 * static_cast<double>(n) - 1) / (2 * static_cast<double>(n)), 2);
    Id series = number(0);
    for (int n = terms; n >= 1; --n) {
      double const coefficient = n * a[static_cast<std::size_t>(n)] * (second ? -1. / (2 * n - 1) : 1);
      series = g_.add(number(std::numbers::pi / 2 * coefficient), g_.multiply(m, series));
    }
    return g_.select(g_.less(call(Opcode::abs, m), number(0.02)), series, elsewhere);
  }

  Id log_gamma(Id a) { return call(Opcode::lgamma, a); }

  /// x^(a - 1) exp(-x) / gamma(a)
  Id gamma_density(Id a, Id x) {
    Id const grown = g_.multiply(g_.subtract(a, number(1)), call(Opcode::log, x));
    return call(Opcode::exp, g_.subtract(g_.subtract(grown, x), log_gamma(a)));
  }

  /// x^(a - 1) (1 - x)^(b - 1) / beta(a, b)
  Id beta_density(Id a, Id b, Id x) {
    Id const left = g_.power(x, g_.subtract(a, number(1))), right = g_.power(one_minus(x), g_.subtract(b, number(1)));
    return g_.divide(g_.multiply(left, right), g_.apply(Opcode::beta, a, b));
  }

  /// (1 + t^2 / n)^(-(n + 1) / 2) / (sqrt(n) beta(1 / 2, n / 2))
  Id student_density(Id n, Id t) {
    Id const fallen = g_.power(one_plus(g_.divide(g_.square(t), n)), g_.multiply(number(-0.5), one_plus(n)));
    return g_.divide(
        fallen, g_.multiply(call(Opcode::sqrt, n), g_.apply(Opcode::beta, number(0.5), g_.multiply(number(0.5), n))));
  }

  Graph& g_;
};

/// The values of a tree's nodes, and their derivatives in one parameter after the other.
class Derivatives {
public:
  Derivatives(Source const& source, Parsed const& parsed)
      : source_(source), tree_(parsed.tree), roots_(parsed.roots), needed_(reached(tree_, roots_)),
        values_(needed_.size()), slopes_(needed_.size()) {
    each([&](Tree::Id id, std::size_t place) { values_[place] = value(id); });
  }

  std::vector<Id> values() const { return of_roots(values_); }

  std::vector<Id> slopes(int axis) {
    each([&](Tree::Id id, std::size_t place) { slopes_[place] = slope(id, axis); });
    return of_roots(slopes_);
  }

  Graph const& graph() const { return g_; }

private:
  template <class Do>
  void each(Do const& act) {
    for (Tree::Id id = 0; id < tree_.size(); ++id)
      if (needed_[static_cast<std::size_t>(id)])
        act(id, static_cast<std::size_t>(id));
  }

  std::vector<Id> of_roots(std::vector<Id> const& all) const {
    std::vector<Id> some;
    for (auto const root : roots_)
      some.push_back(all[static_cast<std::size_t>(root)]);
    return some;
  }

  std::array<Id, 3> of_parts(Tree::Id id, std::vector<Id> const& all) const {
    auto parts = parts_of(tree_.written(id));
    for (auto& part : parts)
      part = part == Tree::none ? Graph::none : all[static_cast<std::size_t>(part)];
    return parts;
  }

  Id value(Tree::Id id) {
    if (tree_.is_constant(id))
      return g_.constant(tree_.value(id));
    if (tree_.written(id).opcode == Opcode::push_variable)
      return g_.variable(tree_.axis(id));
    return copied(g_, tree_.written(id), of_parts(id, values_));
  }

  Id slope(Tree::Id id, int axis) {
    auto const& node = tree_.written(id);
    if (tree_.is_constant(id))
      return g_.constant(0);
    if (node.opcode == Opcode::push_variable)
      return g_.constant(tree_.axis(id) == axis ? 1 : 0);
    auto const slopes = of_parts(id, slopes_), arguments = of_parts(id, values_);
    if (node.opcode == Opcode::store)
      return slopes[0];
    if (node.opcode == Opcode::select) {
      if (!g_.is(slopes[0], 0))
        refuse_condition(id);
      return g_.select(arguments[0], slopes[1], slopes[2]);
    }
    Id sum = g_.constant(0);
    for (std::size_t k = 0; k < slopes.size(); ++k)
      if (slopes[k] != Graph::none && !g_.is(slopes[k], 0))
        sum = g_.add(sum, g_.multiply(slopes[k], partial(id, static_cast<int>(k), arguments)));
    return sum;
  }

  Id partial(Tree::Id id, int k, std::array<Id, 3> const& arguments) {
    auto const& node = tree_.written(id);
    if (node.opcode >= Opcode::less && node.opcode <= Opcode::logical_not)
      refuse_condition(id);
    auto const found = Partials(g_).of(node.opcode, k, arguments, values_[static_cast<std::size_t>(id)]);
    if (!found)
      source_.fail(node.begin, in_quotes(name_of(node.opcode)) +
                                   " depends on a parameter, and has no derivative among the functions of formulas");
    return *found;
  }

  [[noreturn]] void refuse_condition(Tree::Id id) const {
    source_.fail(tree_.written(id).begin, "a condition depends on a parameter: the jump that moves with it is not seen "
                                          "by the derivative of the formula");
  }

  Source const& source_;
  Tree const& tree_;
  std::vector<Tree::Id> const& roots_;
  std::vector<bool> needed_;
  Graph g_;
  std::vector<Id> values_, slopes_; ///< [node]
};

} // namespace

Expressions with_derivatives(std::string_view text, std::vector<std::string> variables,
                             std::vector<FormulaParameter> const& parameters, std::source_location where) {
  FormulaNames const names(text, std::move(variables), "", parameters, where);
  auto const parsed = detail::expression::parse(text, names.all, true, where);
  Source const source(text, where);
  Derivatives of(source, parsed);
  std::vector<std::vector<Id>> columns{of.values()};
  for (std::size_t axis = names.variables.size(); axis < names.all.size(); ++axis)
    columns.push_back(of.slopes(static_cast<int>(axis)));
  std::vector<Id> rows;
  for (std::size_t formula = 0; formula < columns[0].size(); ++formula)
    for (auto const& column : columns)
      rows.push_back(column[formula]);
  return names.formulas(of.graph(), rows, source, where);
}

} // namespace kubature

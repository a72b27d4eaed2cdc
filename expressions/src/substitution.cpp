#include "parser.hpp"

#include <kubature/substitution.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace kubature {
namespace {

using detail::expression::Opcode, detail::expression::Parsed, detail::expression::Tree;
using Line = Substitution::Line;

/// A part of the text that depends on one variable as constant + factor x, and is part of no larger such part.
struct Affine {
  int axis;
  long double constant, factor;
  bool cancels; ///< whether constants of its terms cancel, as in 0.3 + 0.7 x - 0.3
  std::size_t begin, end;
};

/// What a node is of one variable, if it is affine.
class AffineNodes {
public:
  explicit AffineNodes(Tree const& tree) : tree_(tree), of_(static_cast<std::size_t>(tree.size())) {
    for (Tree::Id id = 0; id < tree.size(); ++id)
      of_[static_cast<std::size_t>(id)] = find(id);
  }

  /// Those that are in no other, in the order of the text.
  std::vector<Affine> outermost() const {
    std::vector<Affine> all;
    for (Tree::Id id = 0; id < tree_.size(); ++id) {
      auto const& node = of_[static_cast<std::size_t>(id)];
      auto const& written = tree_.written(id);
      if (node.known && written.variables != 0 && written.end > written.begin)
        all.push_back({std::countr_zero(written.variables), node.constant, node.factor, node.cancels, written.begin,
                       written.end});
    }
    std::ranges::sort(
        all, [](Affine const& a, Affine const& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
    std::vector<Affine> result;
    for (auto const& one : all)
      if (result.empty() || one.begin >= result.back().end)
        result.push_back(one);
    return result;
  }

private:
  struct Node {
    bool known = false;
    long double constant = 0, factor = 0;
    bool cancels = false;
  };

  Node find(Tree::Id id) const {
    auto const& written = tree_.written(id);
    if (written.variables == 0)
      return {true, tree_.value(id), 0};
    if (std::popcount(written.variables) > 1)
      return {};
    auto const part = [this](Tree::Id of) { return of == Tree::none ? Node{} : of_[static_cast<std::size_t>(of)]; };
    Node const left = part(written.left), right = part(written.right);
    switch (written.opcode) {
    case Opcode::push_variable:
      return {true, 0, 1};
    case Opcode::negate:
      return {left.known, -left.constant, -left.factor, left.cancels};
    case Opcode::add:
      return {left.known && right.known, left.constant + right.constant, left.factor + right.factor,
              left.constant != 0 && left.constant == -right.constant};
    case Opcode::subtract:
      return {left.known && right.known, left.constant - right.constant, left.factor - right.factor,
              left.constant != 0 && left.constant == right.constant};
    case Opcode::multiply: {
      Node const &number = left.factor == 0 ? left : right, &of = left.factor == 0 ? right : left;
      return {left.known && right.known && number.factor == 0, number.constant * of.constant,
              number.constant * of.factor};
    }
    case Opcode::divide:
      return {left.known && right.known && right.factor == 0, left.constant / right.constant,
              left.factor / right.constant};
    default:
      return {};
    }
  }

  Tree const& tree_;
  std::vector<Node> of_;
};

/// A formula, and its parts that are affine in one variable.
class Formula {
public:
  Formula(Expression const& formula)
      : text_(formula.text()), names_(formula.variables()),
        parsed_(detail::expression::parse(text_, names_, false, std::source_location::current())),
        parts_(AffineNodes(parsed_.tree).outermost()) {
    while (text_.find(suffix_) != text_.npos)
      suffix_ += '_';
  }

  int dimension() const { return static_cast<int>(names_.size()); }
  std::vector<std::string> const& names() const { return names_; }

  /// Where affine parts of this variable are zero.
  std::vector<double> zeros(int axis) const {
    std::vector<double> result;
    for (auto const& part : parts_)
      if (part.axis == axis && part.factor != 0)
        result.push_back(static_cast<double>(-part.constant / part.factor));
    return result;
  }

  /// A bit for each variable on which quantiles depend: mildly singular at both ends, even where they are bounded.
  std::uint32_t quantile_axes() const {
    std::uint32_t axes = 0;
    for (Tree::Id id = 0; id < parsed_.tree.size(); ++id)
      if (auto const& node = parsed_.tree.written(id); std::ranges::find(quantiles, node.opcode) != quantiles.end())
        axes |= node.variables;
    return axes;
  }

  /// A formula and the definitions that it needs.
  struct Text {
    std::string definitions, formula;
    std::string all() const { return definitions + formula; }
  };

  /// The text with x = from + slope v^power for each variable, in which v has the variable's name, times dx/dv.
  /// @param piece to which the names of its values belong, as it is written
  Text along(std::vector<Line> const& lines, std::size_t piece = 0) const {
    std::ostringstream text;
    text.precision(std::numeric_limits<double>::max_digits10);
    for (int axis = 0; axis < dimension(); ++axis)
      if (auto const& line = of(lines, axis); !is_identity(line)) {
        text << '(' << std::abs(line.slope) * line.power << ")*";
        if (line.power > 1)
          text << name(axis) << '^' << line.power - 1 << '*';
      }
    auto const begin = parsed_.names.empty() ? 0 : parsed_.begin;
    return {written(lines, 0, begin, piece), text.str() + '(' + written(lines, begin, text_.size(), piece) + ')'};
  }

private:
  static constexpr std::array quantiles{Opcode::norminv, Opcode::gamma_quantile, Opcode::student_t_quantile,
                                        Opcode::beta_quantile};

  static bool is_identity(Line const& line) { return line.from == 0 && line.slope == 1 && line.power == 1; }
  static Line const& of(std::vector<Line> const& lines, int axis) { return lines[static_cast<std::size_t>(axis)]; }
  std::string const& name(int axis) const { return names_[static_cast<std::size_t>(axis)]; }

  /// The part of the text from `at` to `end` with x = from + slope v^power.
  std::string written(std::vector<Line> const& lines, std::size_t at, std::size_t end, std::size_t piece) const {
    std::ostringstream text;
    text.precision(std::numeric_limits<double>::max_digits10);
    for (auto const& part : parts_) {
      auto const& line = of(lines, part.axis);
      if (part.begin < at || part.end > end)
        continue;
      text << with_names(at, part.begin, piece);
      at = part.end;
      if (is_identity(line) && !part.cancels) {
        text << with_names(part.begin, part.end, piece);
        continue;
      }
      long double constant = part.constant + part.factor * line.from;
      if (std::abs(constant) <= 2 * std::numeric_limits<double>::epsilon() * std::abs(part.constant))
        constant = 0; // line.from is its zero, rounded
      text << '(';
      if (constant != 0)
        text << static_cast<double>(constant) << '+';
      text << '(' << static_cast<double>(part.factor * line.slope) << ")*" << name(part.axis);
      if (line.power > 1)
        text << '^' << line.power;
      text << ')';
    }
    text << with_names(at, end, piece);
    return text.str();
  }

  /// The part of the text from `at` to `end`, with names of values of the piece's own.
  std::string with_names(std::size_t at, std::size_t end, std::size_t piece) const {
    std::string text;
    for (auto const& place : parsed_.names)
      if (place.begin >= at && place.end <= end) {
        text += text_.substr(at, place.end - at) + suffix_ + std::to_string(piece);
        at = place.end;
      }
    return text + text_.substr(at, end - at);
  }

  std::string text_;
  std::vector<std::string> names_;
  Parsed parsed_;
  std::vector<Affine> parts_;
  std::string suffix_ = "_"; ///< of names of values, not part of the text
};

/// How |f| grows towards a number on one axis.
class Growth {
public:
  Growth(Formula const& formula, Expression const& expression, Box<> const& box)
      : formula_(formula), expression_(expression), box_(box) {
    std::mt19937_64 random(1);
    for (auto& line : elsewhere_)
      for (int axis = 0; axis < formula.dimension(); ++axis)
        line.push_back(inside(axis, 0.1 + 0.8 * static_cast<double>(random() >> 11) * 0x1p-53));
  }

  /// The exponent a of |f| ~ |x - u|^-a, the larger one of both sides; 0 if f does not grow there, or if its rounding
  /// errors mask the growth.
  /// @param width of the pieces beside u
  double exponent(int axis, double u, double width) const {
    double result = 0;
    auto const& side = box_[axis];
    for (double const slope : {width, -width})
      if (u + slope / 2 > side.lower && u + slope / 2 < side.upper)
        result = std::max(result, exponent_along(axis, {u, slope, 1}));
    return result;
  }

private:
  static constexpr int lines = 3;
  /// Distances at which f is sampled, in units of the width of a piece; and the minimum factor by which f grows over
  /// the first of them at a pole.
  static constexpr std::array distances{1e-3, 1e-6, 1e-9, 1e-15, 1e-24};
  static constexpr double min_growth = 1.15;

  double inside(int axis, double part) const {
    auto const& side = box_[axis];
    if (std::isfinite(side.lower) && std::isfinite(side.upper))
      return side.lower + part * (side.upper - side.lower);
    double const out = part / (1 - part);
    return std::isfinite(side.lower) ? side.lower + out : std::isfinite(side.upper) ? side.upper - out : 4 * part - 2;
  }

  double exponent_along(int axis, Line const& line) const {
    auto const k = static_cast<std::size_t>(axis);
    auto const first = [&](Expression const& f, auto const& place) {
      std::array<double, 2> sums{};
      for (auto x : elsewhere_)
        for (std::size_t j = 0; j < 2; ++j) {
          x[k] = place(distances[j]);
          sums[j] += std::abs(f(x));
        }
      return sums[1] / sums[0];
    };
    if (!(first(expression_, [&](double v) { return line.from + line.slope * v; }) > min_growth))
      return 0;
    // With the distance in full precision.
    std::vector<Line> all(static_cast<std::size_t>(formula_.dimension()), Line{0, 1, 1});
    all[k] = line;
    auto const f = Expression::parse(formula_.along(all).all(), formula_.names());
    double least = std::numeric_limits<double>::infinity(), greatest = 0;
    for (auto x : elsewhere_) {
      double before = 0;
      for (std::size_t j = 0; j < distances.size(); ++j) {
        x[k] = distances[j];
        double const value = std::abs(f(x));
        if (!(value > 0 && std::isfinite(value)))
          return 0;
        if (j > 0) {
          double const here = std::log(value / before) / std::log(distances[j - 1] / distances[j]);
          if (j + 1 == distances.size())
            least = std::min(least, here);
          greatest = std::max(greatest, here);
        }
        before = value;
      }
    }
    return least > 0.01 ? std::max(least, std::min(greatest, least + 0.1)) : 0;
  }

  Formula const& formula_;
  Expression const& expression_;
  Box<> const& box_;
  std::array<std::vector<double>, lines> elsewhere_;
};

/// A point at which a side is cut, with the exponent of the pole there, if any.
struct Cut {
  double at, exponent;
};

/// More pieces cost more than they gain; a stronger pole is barely integrable.
constexpr std::size_t max_sum_pieces = 16;
constexpr double strongest = 0.95;

int power_for(double exponent) {
  return exponent > 0 ? std::max(3, static_cast<int>(std::ceil(2 / (1 - exponent)))) : 1;
}

/// The pieces of a side, each from a cut.
std::vector<Line> pieces(std::vector<Cut> const& cuts) {
  std::vector<Line> result;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    Cut const &low = cuts[i], &high = cuts[i + 1];
    double const width = high.at - low.at;
    bool const both = low.exponent > 0 && high.exponent > 0;
    if (low.exponent > 0 || high.exponent == 0)
      result.push_back({low.at, both ? width / 2 : width, power_for(low.exponent)});
    if (high.exponent > 0)
      result.push_back({high.at, both ? -width / 2 : -width, power_for(high.exponent)});
  }
  return result;
}

/// The substitution at all poles; nothing if there is none, or if there would be too many pieces.
/// @param quantile_axes a bit for each variable whose ends 0 and 1 count as poles
std::optional<Substitution> substituted(Formula const& formula, Growth const& growth, Box<> const& box,
                                        std::uint32_t quantile_axes) {
  std::vector<std::vector<Line>> of_axes;
  std::vector<Side> sides;
  std::size_t count = 1;
  bool found = false;
  for (int axis = 0; axis < formula.dimension(); ++axis) {
    auto const& side = box[axis];
    of_axes.push_back({{0, 1, 1}});
    sides.push_back(side);
    if (!std::isfinite(side.lower) || !std::isfinite(side.upper))
      continue;
    std::vector<double> places{side.lower, side.upper};
    for (double const zero : formula.zeros(axis))
      if (zero > side.lower && zero < side.upper)
        places.push_back(zero);
    std::ranges::sort(places);
    places.erase(std::ranges::unique(places).begin(), places.end());
    std::vector<Cut> cuts;
    for (std::size_t i = 0; i < places.size(); ++i) {
      double const width = std::min(i > 0 ? places[i] - places[i - 1] : places[i + 1] - places[i],
                                    i + 1 < places.size() ? places[i + 1] - places[i] : places[i] - places[i - 1]);
      bool const mild = (quantile_axes >> axis & 1) && (places[i] == 0 || places[i] == 1);
      double const exponent = std::max(growth.exponent(axis, places[i], width), mild ? 0.01 : 0.0);
      if (exponent > strongest)
        return {};
      if (exponent > 0 || i == 0 || i + 1 == places.size())
        cuts.push_back({places[i], exponent});
    }
    if (std::ranges::none_of(cuts, [](Cut const& cut) { return cut.exponent > 0; }))
      continue;
    auto const cut = pieces(cuts);
    if (count * cut.size() > max_sum_pieces)
      return {};
    found = true;
    count *= cut.size();
    of_axes.back() = cut;
    sides.back() = {0, 1};
  }
  if (!found)
    return {};
  Formula::Text text;
  std::vector<Line> first;
  for (std::size_t number = 0; number < count; ++number) {
    std::vector<Line> lines;
    std::size_t rest = number;
    for (auto const& of : of_axes) {
      lines.push_back(of[rest % of.size()]);
      rest /= of.size();
    }
    auto const piece = formula.along(lines, number);
    text.definitions += piece.definitions;
    text.formula += (number > 0 ? "+" : "") + piece.formula;
    if (number == 0)
      first = lines;
  }
  return Substitution{Expression::parse(text.all(), formula.names()), Box<>(sides, formula.dimension()),
                      static_cast<int>(count), first};
}

} // namespace

std::vector<double> Substitution::original(std::vector<double> const& v) const {
  std::vector<double> x;
  for (std::size_t i = 0; i < v.size(); ++i)
    x.push_back(lines[i].from + lines[i].slope * std::pow(v[i], lines[i].power));
  return x;
}

std::optional<Substitution> without_poles(Expression const& expression, Box<> const& box) {
  if (box.dimension() != expression.dimension())
    return {};
  Formula const formula(expression);
  Growth const growth(formula, expression, box);
  auto const axes = formula.quantile_axes();
  auto all = substituted(formula, growth, box, axes);
  return all || axes == 0 ? all : substituted(formula, growth, box, 0);
}

} // namespace kubature

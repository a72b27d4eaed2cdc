#include "distributions.hpp"
#include "domain_parts.hpp"
#include "lexer.hpp"
#include "names.hpp"
#include "parser.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace kubature::detail::expression {
namespace {

/// The largest number of pieces: each is an evaluation of the integrand.
constexpr std::size_t max_pieces = 256;

/// A bound of a side, and a part of the formulas that it is.
struct Bound {
  std::optional<double> number;
  Parsed formula{}; ///< where it is no number

  bool is(double value) const { return number && *number == value; }
  bool infinite() const { return number && std::isinf(*number); }
};

/// A side as it is described.
struct Described {
  std::string text, name;
  Bound lower, upper;
  Distribution const* distribution = nullptr; ///< that the variable has in place of bounds
  std::vector<Bound> parameters{};            ///< of the distribution
  std::vector<double> breaks{};

  bool constant() const {
    return distribution ? std::ranges::all_of(parameters, [](auto& one) { return one.number.has_value(); })
                        : lower.number && upper.number;
  }
  /// Whether the side is one of the box of new variables.
  bool kept() const { return !distribution && constant() && breaks.empty(); }
};

/// Reads bounds whose variables are those declared before.
class Bounds {
public:
  Bounds(std::vector<std::string> names, std::source_location where) : names_(std::move(names)), where_(where) {}

  /// @param what the text is: a bound, or a parameter
  Bound read(std::string const& side, std::string const& text, std::size_t declared,
             std::string const& what = "bound") const {
    auto const refuse = [&](std::string const& why) {
      throw InvalidArgument("box", side, "'" + text + "' is not a " + what + ": " + why, where_);
    };
    if (text.empty())
      throw InvalidArgument("box", side, "a side is written lower:upper, and sides are separated by commas", where_);
    if (auto const number = constant_value(text); number && !shadowed(text))
      return {number};
    if (names_.empty())
      refuse("write numbers, inf, pi or constant expressions, or name the sides: x=0:1,y=0:x");
    Bound bound;
    try {
      bound.formula = parse(text, names_, false, where_);
    } catch (ExpressionError const& error) {
      refuse(error.problem());
    }
    require(names_.size() <= max_dimension || bound.formula.tree.written(bound.formula.roots.front()).variables == 0,
            "box", side, "bounds depend on variables in domains of up to 20, not " + std::to_string(names_.size()),
            where_);
    auto const used = bound.formula.tree.written(bound.formula.roots.front()).variables;
    if (used == 0)
      return {bound.formula.tree.value(bound.formula.roots.front())};
    for (std::size_t i = declared; i < names_.size(); ++i)
      if (used >> i & 1)
        refuse(i == declared ? "it depends on " + names_[i] + " itself"
                             : "it depends on " + names_[i] + ", which is declared after " + names_[declared]);
    return bound;
  }

private:
  /// Whether the text is a constant only as long as pi, e and inf are no variables.
  bool shadowed(std::string const& text) const {
    Source const source(text, where_);
    Lexer tokens(source);
    for (auto token = tokens.next(); token.kind != Token::Kind::end; token = tokens.next())
      if (token.kind == Token::Kind::name && std::ranges::find(names_, token.text) != names_.end())
        return true;
    return false;
  }

  std::vector<std::string> names_;
  std::source_location where_;
};

/// "name=lower:upper" as its name, which may be empty, and its bounds; or "name~distribution(parameter, ...)",
/// likewise.
struct SideText {
  std::string all, name, lower, upper;
  Distribution const* distribution = nullptr;
  std::vector<std::string> parameters{};
};

/// Whether the text is a name and all else in one pair of parentheses.
bool is_call(std::string_view text) {
  int open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] == ')' && open <= 0)
      return open == 0 && i + 1 == text.size();
  }
  return false;
}

SideText read_distribution(std::string const& text, std::size_t tilde, std::source_location where) {
  std::string_view const what = trimmed(std::string_view(text).substr(tilde + 1));
  std::string name(trimmed(text.substr(0, tilde)));
  require(is_call(what), "box", text,
          "a variable with a distribution is written x~normal(0,1), and sides are separated by commas", where);
  auto const open = what.find('(');
  std::string const kind(trimmed(what.substr(0, open)));
  auto const* const distribution = find_distribution(kind);
  require(distribution != nullptr, "box", text,
          "there is no distribution '" + kind + "'; there are " + distribution_names(), where);
  auto parameters = split_outside(what.substr(open + 1, what.size() - open - 2), ',');
  for (auto k = parameters.size(); k < distribution->count() && !distribution->defaults[k].empty(); ++k)
    parameters.emplace_back(distribution->defaults[k]);
  bool const complete = std::ranges::none_of(parameters, &std::string::empty);
  require(complete && parameters.size() == distribution->count(), "box", text, "write " + distribution->pattern(),
          where);
  return {text, name, "", "", distribution, parameters};
}

SideText read_side(std::string const& text, std::source_location where) {
  if (auto const tilde = find_outside_quotes(text, "~"); tilde != text.npos)
    return read_distribution(text, tilde, where);
  auto const colon = find_outside_quotes(text, ":");
  auto const equals = find_outside_quotes(std::string_view(text).substr(0, colon), "=");
  auto const bounds = split_outside(equals == text.npos ? text : text.substr(equals + 1), ':');
  require(bounds.size() == 2, "box", text, "a side is written lower:upper, and sides are separated by commas", where);
  return {text, equals == text.npos ? "" : std::string(trimmed(text.substr(0, equals))), bounds[0], bounds[1]};
}

/// Reads the parameters of a distribution.
void add_parameters(Described& side, SideText const& text, Bounds const& bounds, std::size_t declared,
                    std::source_location where) {
  side.distribution = text.distribution;
  for (std::size_t k = 0; k < text.parameters.size(); ++k) {
    auto const& [name, positive] = text.distribution->parameters[k];
    auto const& parameter =
        side.parameters.emplace_back(bounds.read(text.all, text.parameters[k], declared, "parameter"));
    auto const need = [&](bool holds, std::string const& what) {
      require(holds, "box", text.all, "the " + std::string(name) + " must be " + what + ", not " + text.parameters[k],
              where);
    };
    if (!parameter.number)
      continue;
    need(std::isfinite(*parameter.number), "a finite number");
    need(!positive || *parameter.number > 0, "above 0");
    if (text.distribution->name == "uniform" && k == 1 && side.parameters[0].number)
      need(*side.parameters[0].number < *parameter.number, "above the lower bound, " + text.parameters[0]);
  }
}

std::vector<Described> described(std::string_view text, std::vector<std::string> const& variables,
                                 std::source_location where) {
  std::vector<SideText> sides;
  for (auto const& side : split_outside(text, ','))
    sides.push_back(read_side(side, where));
  auto const named =
      static_cast<std::size_t>(std::ranges::count_if(sides, [](auto& side) { return !side.name.empty(); }));
  require(named == 0 || named == sides.size(), "box", text, "name all sides or none", where);
  std::vector<std::string> names;
  if (named > 0) {
    for (auto const& side : sides)
      names.push_back(side.name);
    try {
      Expression::parse("0", names);
    } catch (InvalidArgument const& refused) {
      throw InvalidArgument("box", std::string(text), refused.value() + ": " + refused.problem(), where);
    }
  } else {
    if (sides.size() == 1 && variables.size() > 1)
      sides.resize(variables.size(), sides.front());
    names = names_for(variables, static_cast<int>(sides.size()), "box", text, where);
  }
  Bounds const bounds(named > 0 ? names : std::vector<std::string>(), where);
  std::vector<Described> result;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    auto const& side = sides[i];
    if (side.distribution) {
      add_parameters(result.emplace_back(Described{side.all, names[i], {}, {}}), side, bounds, i, where);
      continue;
    }
    result.push_back({side.all, names[i], bounds.read(side.all, side.lower, i), bounds.read(side.all, side.upper, i)});
    auto const& [lower, upper] = std::tie(result.back().lower, result.back().upper);
    if (lower.number && upper.number)
      try {
        Box<>{{*lower.number, *upper.number}};
      } catch (InvalidArgument const& refused) {
        throw InvalidArgument("box", side.all, refused.problem(), where);
      }
    require(!(lower.is(infinity) || upper.is(-infinity)), "box", side.all,
            "the lower bound may be -inf, and the upper bound inf", where);
    for (auto const* bound : {&lower, &upper})
      require(!(bound->number && std::isnan(*bound->number)), "box", side.all, "a bound is not a number", where);
  }
  return result;
}

/// The probabilities below and above a point, as a distribution has them with these parameters.
std::array<std::string, 2> probabilities(Distribution const& distribution, std::span<std::string const> parameters,
                                         double at) {
  std::map<char, std::string> const x{{'x', printed(at)}};
  return {filled(distribution.below, parameters, x), filled(distribution.above, parameters, x)};
}

/// Whether a side of constants has points on both sides of this one.
bool contains(Described const& side, double at) {
  if (!side.distribution)
    return at > *side.lower.number && at < *side.upper.number;
  std::vector<std::string> parameters;
  for (auto const& one : side.parameters)
    parameters.push_back(printed(*one.number));
  return std::ranges::all_of(probabilities(*side.distribution, parameters, at),
                             [](auto const& text) { return constant_value(text).value_or(0) > 0; });
}

/// Adds break points, "x=0.3,0.7,y=1", to the sides.
void add_breaks(std::vector<Described>& sides, std::string_view text, std::source_location where) {
  if (trimmed(text).empty())
    return;
  Described* side = nullptr;
  for (auto const& part : split_outside(text, ',')) {
    auto const equals = part.find('=');
    std::string const name(trimmed(std::string_view(part).substr(0, equals == part.npos ? 0 : equals)));
    std::string const number(trimmed(equals == part.npos ? part : std::string_view(part).substr(equals + 1)));
    if (equals != part.npos) {
      auto const found = std::ranges::find(sides, name, &Described::name);
      std::vector<std::string> known;
      for (auto const& each : sides)
        known.push_back(each.name);
      require(found != sides.end(), "breaks", part, "'" + name + "' is not a variable; there are " + listed(known),
              where);
      side = &*found;
    }
    require(side, "breaks", part, "break points are written x=0.3,0.7,y=1", where);
    auto const at = constant_value(number);
    require(at && std::isfinite(*at), "breaks", part, "'" + number + "' is not a finite number", where);
    require(!side->constant() || contains(*side, *at), "breaks", part,
            "a break point lies between the ends of its side, " + side->text + ", so that no piece is empty", where);
    require(std::ranges::find(side->breaks, *at) == side->breaks.end(), "breaks", part,
            number + " is given twice for " + side->name + ", so that a piece is empty", where);
    side->breaks.push_back(*at);
  }
  for (auto& each : sides)
    std::ranges::sort(each.breaks);
}

/// An end of a piece: a text, or nothing if it is infinite.
using End = std::optional<std::string>;

/// Adds a side's coordinate, between two ends, to a piece: with all digits near both ends.
void add_coordinate(DomainPiece& piece, std::string const& u, End const& a, End const& b, bool unit) {
  if (a && b) {
    std::string const rest = "(1-" + u + ")";
    piece.coordinates.push_back(*a == "0"   ? "(" + u + "*" + *b + ")"
                                : *b == "0" ? "(" + rest + "*" + *a + ")"
                                            : "(" + rest + "*" + *a + "+" + u + "*" + *b + ")");
    piece.jacobian.push_back(*a == "0" ? *b : *b == "0" ? "(-" + *a + ")" : "(" + *b + "-" + *a + ")");
  } else if (!unit) { // the new variable is the distance from the end
    piece.coordinates.push_back(a ? "(" + *a + "+" + u + ")" : "(" + *b + "-" + u + ")");
  } else {
    std::string const rest = "(1-" + u + ")";
    piece.coordinates.push_back(a ? "(" + *a + "+" + u + "/" + rest + ")" : "(" + *b + "-" + rest + "/" + u + ")");
    piece.jacobian.push_back(a ? "(1/" + rest + "^2)" : "(1/" + u + "^2)");
  }
}

/// An end as it depends on the coordinates of a piece.
End end(Bound const& bound, DomainPiece const& piece) {
  if (bound.infinite())
    return {};
  if (bound.number)
    return printed(*bound.number);
  return printed(bound.formula.tree, bound.formula.roots.front(), piece.coordinates);
}

/// A break point, moved to the nearer end where the side does not contain it.
std::string moved_inside(double at, End const& a, End const& b, bool constant) {
  auto text = printed(at);
  if (constant)
    return text;
  if (a && b)
    return "min(max(" + text + ",min(" + *a + "," + *b + ")),max(" + *a + "," + *b + "))";
  return a ? "max(" + text + "," + *a + ")" : "min(" + text + "," + *b + ")";
}

/// (1 - u) a + u b.
std::string between(std::string const& u, std::string const& a, std::string const& b) {
  return a == "0"   ? "(" + u + "*" + b + ")"
         : b == "0" ? "((1-" + u + ")*" + a + ")"
                    : "((1-" + u + ")*" + a + "+" + u + "*" + b + ")";
}

/// Adds a variable with a distribution to a piece: the quantile of one that is uniform between the probabilities at the
/// segment's ends. Both the probability below and that above are kept, each with all its digits.
/// @param known the coordinates before
void add_quantile(DomainPiece& piece, Described const& side, std::size_t segment, DomainPiece const& known) {
  auto const& distribution = *side.distribution;
  std::vector<std::string> parameters;
  for (auto const& one : side.parameters)
    parameters.push_back(*end(one, known));
  std::string u = side.name, rest = "(1-" + u + ")";
  if (!side.breaks.empty()) {
    auto const at = [&](std::size_t k) {
      auto texts = probabilities(distribution, parameters, side.breaks[k]);
      for (auto& text : texts) // above 0, so that the quantile is finite
        text = side.constant() ? printed(constant_value(text).value_or(0)) : "max(" + text + ",1e-300)";
      return texts;
    };
    using Both = std::array<std::string, 2>;
    auto const [below, above] = segment > 0 ? at(segment - 1) : Both{"0", "1"};
    auto const [below_end, above_end] = segment < side.breaks.size() ? at(segment) : Both{"1", "0"};
    rest = between(u, above, above_end);
    u = between(u, below, below_end);
    piece.jacobian.push_back(below == "0"       ? below_end
                             : above_end == "0" ? above
                                                : "if(" + below + "<1/2," + below_end + "-" + below + "," + above +
                                                      "-" + above_end + ")");
  }
  piece.coordinates.push_back(filled(distribution.quantile, parameters, {{'u', u}, {'q', rest}}));
}

/// The piece with this number: the first side's segments vary first.
DomainPiece piece_of(std::vector<Described> const& sides, std::size_t number) {
  DomainPiece piece;
  for (auto const& side : sides) {
    auto const count = side.breaks.size() + 1, segment = number % count;
    number /= count;
    if (side.kept()) {
      piece.coordinates.push_back(side.name);
      continue;
    }
    // Formulas of earlier variables have as many coordinates to read as there are variables.
    auto known = piece;
    known.coordinates.resize(sides.size());
    if (side.distribution) {
      add_quantile(piece, side, segment, known);
      continue;
    }
    End const a = end(side.lower, known), b = end(side.upper, known);
    auto const cut = [&](std::size_t k) { return End(moved_inside(side.breaks[k], a, b, side.constant())); };
    add_coordinate(piece, side.name, segment > 0 ? cut(segment - 1) : a, segment + 1 < count ? cut(segment) : b,
                   count > 1);
  }
  return piece;
}

} // namespace

DomainParts read_sides(std::string_view text, std::vector<std::string> const& variables, std::string_view breaks,
                       std::source_location where) {
  auto sides = described(text, variables, where);
  add_breaks(sides, breaks, where);
  DomainParts parts;
  parts.is_box = std::ranges::all_of(sides, &Described::kept);
  std::size_t count = 1;
  for (auto const& side : sides) {
    parts.variables.push_back(side.name);
    bool const distance = side.breaks.empty() && (side.lower.infinite() || side.upper.infinite());
    parts.sides.push_back(side.kept() ? Side{*side.lower.number, *side.upper.number}
                          : distance  ? Side{0, infinity}
                                      : Side{0, 1});
    count *= side.breaks.size() + 1;
    require(count <= max_pieces, "breaks", breaks,
            "the box is cut into more than " + std::to_string(max_pieces) + " pieces", where);
  }
  require(parts.is_box || sides.size() <= max_dimension, "breaks", breaks,
          "sides are cut in boxes of up to 20 variables, not " + std::to_string(sides.size()), where);
  parts.new_variables = parts.variables;
  for (std::size_t number = 0; number < count; ++number)
    parts.pieces.push_back(piece_of(sides, number));
  return parts;
}

} // namespace kubature::detail::expression

#include "domain_parts.hpp"
#include "lexer.hpp"
#include "names.hpp"
#include "parser.hpp"

#include <algorithm>
#include <cmath>
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
  std::vector<double> breaks{};

  bool constant() const { return lower.number && upper.number; }
  /// Whether the side is one of the box of new variables.
  bool kept() const { return constant() && breaks.empty(); }
};

[[noreturn]] void refuse_bound(std::string const& side, std::string const& bound, std::string const& why,
                               std::source_location where) {
  throw InvalidArgument("box", side, "'" + bound + "' is not a bound: " + why, where);
}

/// Reads bounds whose variables are those declared before.
class Bounds {
public:
  Bounds(std::vector<std::string> names, std::source_location where) : names_(std::move(names)), where_(where) {}

  Bound read(std::string const& side, std::string const& text, std::size_t declared) const {
    if (text.empty())
      throw InvalidArgument("box", side, "a side is written lower:upper, and sides are separated by commas", where_);
    if (auto const number = constant_value(text); number && !shadowed(text))
      return {number};
    if (names_.empty())
      refuse_bound(side, text, "write numbers, inf, pi or constant expressions, or name the sides: x=0:1,y=0:x",
                   where_);
    Bound bound;
    try {
      bound.formula = parse(text, names_, false, where_);
    } catch (ExpressionError const& error) {
      refuse_bound(side, text, error.problem(), where_);
    }
    require(names_.size() <= max_dimension || bound.formula.tree.written(bound.formula.roots.front()).variables == 0,
            "box", side, "bounds depend on variables in domains of up to 20, not " + std::to_string(names_.size()),
            where_);
    auto const used = bound.formula.tree.written(bound.formula.roots.front()).variables;
    if (used == 0)
      return {bound.formula.tree.value(bound.formula.roots.front())};
    for (std::size_t i = declared; i < names_.size(); ++i)
      if (used >> i & 1)
        refuse_bound(side, text,
                     i == declared ? "it depends on " + names_[i] + " itself"
                                   : "it depends on " + names_[i] + ", which is declared after " + names_[declared],
                     where_);
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

/// "name=lower:upper" as its name, which may be empty, and its bounds.
struct SideText {
  std::string all, name, lower, upper;
};

SideText read_side(std::string const& text, std::source_location where) {
  auto const colon = find_outside_quotes(text, ":");
  auto const equals = find_outside_quotes(std::string_view(text).substr(0, colon), "=");
  auto const bounds = split_outside(equals == text.npos ? text : text.substr(equals + 1), ':');
  require(bounds.size() == 2, "box", text, "a side is written lower:upper, and sides are separated by commas", where);
  return {text, equals == text.npos ? "" : std::string(trimmed(text.substr(0, equals))), bounds[0], bounds[1]};
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
      require(found != sides.end(), "breaks", part, "'" + name + "' is no variable; there are " + listed(known), where);
      side = &*found;
    }
    require(side, "breaks", part, "break points are written x=0.3,0.7,y=1", where);
    auto const at = constant_value(number);
    require(at && std::isfinite(*at), "breaks", part, "'" + number + "' is not a finite number", where);
    bool const inside = !side->constant() || (*at > *side->lower.number && *at < *side->upper.number);
    require(inside, "breaks", part,
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

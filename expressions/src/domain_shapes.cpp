#include "distributions.hpp"
#include "domain_parts.hpp"
#include "lexer.hpp"

#include <kubature/detail/cholesky.hpp>
#include <kubature/detail/determinant.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace kubature::detail::expression {
namespace {

/// x^n as a factor; nothing for n = 0.
void add_power(std::vector<std::string>& factors, std::string const& x, int n) {
  if (n > 0)
    factors.push_back(n == 1 ? x : x + "^" + std::to_string(n));
}

/// c + the product.
std::string shifted(double c, std::vector<std::string> const& factors) {
  return c == 0 ? product(factors) : "(" + printed(c) + "+" + product(factors) + ")";
}

/// Reads the description of one shape.
class Shape {
public:
  Shape(std::string_view text, std::vector<std::string> const& variables, std::source_location where)
      : text_(text), given_(variables), where_(where) {
    std::string spaced; // without white space beside separators
    for (char const c : text_) {
      bool const space = c == ' ' || c == '\t' || c == '\n';
      bool const after = spaced.empty() || std::string_view(",;: ").find(spaced.back()) != std::string_view::npos;
      if (!space && std::string_view(",;:").find(c) != std::string_view::npos && !spaced.empty() &&
          spaced.back() == ' ')
        spaced.pop_back();
      if (!(space && after))
        spaced += space ? ' ' : c;
    }
    fields_ = split_outside(spaced, ' ');
    kind_ = fields_.front();
    fields_.erase(fields_.begin());
  }

  DomainParts read() {
    using Reader = void (Shape::*)();
    constexpr std::array<std::pair<std::string_view, Reader>, 8> readers{{{"ball", &Shape::ball},
                                                                          {"shell", &Shape::shell},
                                                                          {"sphere", &Shape::sphere},
                                                                          {"ellipsoid", &Shape::ellipsoid},
                                                                          {"cylinder", &Shape::cylinder},
                                                                          {"simplex", &Shape::simplex},
                                                                          {"ordered", &Shape::ordered},
                                                                          {"normal", &Shape::normal}}};
    for (auto const& [kind, reader] : readers)
      if (kind == kind_) {
        (this->*reader)();
        return std::move(parts_);
      }
    need(kind_.find('(') == kind_.npos || !find_distribution(kind_.substr(0, kind_.find('('))),
         "a variable with a distribution is a side of a box: x~" + kind_);
    fail("there is no such shape; there are ball, shell, sphere, ellipsoid, cylinder, simplex, ordered and normal, and "
         "sides");
  }

private:
  [[noreturn]] void fail(std::string const& problem) const {
    throw InvalidArgument("domain", std::string(text_), problem, where_);
  }
  void need(bool holds, std::string const& problem) const {
    if (!holds)
      fail(problem);
  }

  void need_fields(std::size_t count, std::string const& pattern) const {
    need(fields_.size() == count, "write " + pattern + ", with commas between the coordinates");
  }

  double number(std::string const& text, bool finite = true) const {
    auto const value = constant_value(text);
    need(value && !std::isnan(*value) && (!finite || std::isfinite(*value)), "'" + text + "' is not a number");
    return *value;
  }
  std::vector<double> numbers(std::string const& text) const {
    std::vector<double> result;
    for (auto const& one : split_outside(text, ','))
      result.push_back(number(one));
    return result;
  }
  double radius(std::string const& text) const {
    double const value = number(text);
    need(value > 0, "the radius " + text + " must be above 0");
    return value;
  }
  Side side(std::string const& text) const {
    auto const ends = split_outside(text, ':');
    need(ends.size() == 2, "'" + text + "' is not a side; write lower:upper");
    Side const result{number(ends[0], false), number(ends[1], false)};
    need(result.lower < result.upper && result.lower < infinity && result.upper > -infinity,
         "the lower bound of " + text + " must be below the upper bound");
    return result;
  }

  /// Makes the variables, d of them.
  void name(int d) { parts_.variables = names_for(given_, d, "domain", text_, where_); }

  std::string variable(std::string const& name, Side side) {
    parts_.new_variables.push_back(name);
    parts_.sides.push_back(side);
    return name;
  }

  /// Polar coordinates: centre + scale r (cos a1, sin a1 cos a2, ..., sin a1 sin a2 ... sin a(d-1)).
  /// @param radii between which r lies; if they are equal, it is no variable
  void polar(std::vector<double> const& centre, Side radii, std::vector<double> const& scale = {}) {
    auto const d = static_cast<int>(centre.size());
    DomainPiece& piece = parts_.pieces.emplace_back();
    std::string r = printed(radii.upper);
    if (radii.lower < radii.upper)
      r = variable("r", radii);
    add_power(piece.jacobian, r, d - 1);
    std::vector<std::string> factors{r};
    double volume = 1;
    for (int i = 0; i < d; ++i) {
      auto const k = static_cast<std::size_t>(i);
      auto here = factors;
      if (i + 1 < d) {
        std::string const angle = variable("a" + std::to_string(i + 1), {0, (i + 2 < d ? 1 : 2) * std::numbers::pi});
        here.push_back("cos(" + angle + ")");
        factors.push_back("sin(" + angle + ")");
        add_power(piece.jacobian, "sin(" + angle + ")", d - 2 - i);
      }
      if (!scale.empty()) {
        here.push_back(printed(scale[k]));
        volume *= scale[k];
      }
      piece.coordinates.push_back(shifted(centre[k], here));
    }
    if (volume != 1)
      piece.jacobian.push_back(printed(volume));
  }

  /// A ball of any dimension, from 1.
  void ball(std::vector<double> const& centre, double radius) {
    if (centre.size() > 1)
      return polar(centre, {0, radius});
    parts_.pieces.push_back({{variable("c1", {centre[0] - radius, centre[0] + radius})}, {}});
  }

  void ball() {
    need_fields(2, "ball CENTRE RADIUS");
    auto const centre = numbers(fields_[0]);
    name(static_cast<int>(centre.size()));
    ball(centre, radius(fields_[1]));
  }

  void shell() {
    need_fields(3, "shell CENTRE INNER OUTER");
    auto const centre = numbers(fields_[0]);
    Side const radii{number(fields_[1]), radius(fields_[2])};
    need(radii.lower >= 0 && radii.lower < radii.upper, "the inner radius must be at least 0, and below the outer one");
    need(centre.size() > 1, "a shell has at least 2 variables");
    name(static_cast<int>(centre.size()));
    polar(centre, radii);
  }

  void sphere() {
    need_fields(2, "sphere CENTRE RADIUS");
    auto const centre = numbers(fields_[0]);
    need(centre.size() > 1, "a sphere has at least 2 variables");
    name(static_cast<int>(centre.size()));
    double const r = radius(fields_[1]);
    polar(centre, {r, r});
  }

  void ellipsoid() {
    need_fields(2, "ellipsoid CENTRE SEMIAXES");
    auto const centre = numbers(fields_[0]), axes = numbers(fields_[1]);
    need(axes.size() == centre.size(), "there are " + std::to_string(centre.size()) + " coordinates and " +
                                           std::to_string(axes.size()) + " semi-axes; give as many");
    for (double const a : axes)
      need(a > 0, "a semi-axis must be above 0");
    name(static_cast<int>(centre.size()));
    if (centre.size() == 1)
      ball(centre, axes[0]);
    else
      polar(centre, {0, 1}, axes);
  }

  void cylinder() {
    need_fields(3, "cylinder CENTRE RADIUS SIDE");
    auto const centre = numbers(fields_[0]);
    auto const sides = split_outside(fields_[2], ',');
    name(static_cast<int>(centre.size() + sides.size()));
    ball(centre, radius(fields_[1]));
    for (std::size_t i = 0; i < sides.size(); ++i)
      parts_.pieces.front().coordinates.push_back(variable("z" + std::to_string(i + 1), side(sides[i])));
  }

  /// A whole number of variables that is written, or that of the names.
  int count(std::size_t field) const {
    if (field >= fields_.size()) {
      need(!given_.empty(), "give the number of variables: " + std::string(text_) + " N");
      return static_cast<int>(given_.size());
    }
    double const value = number(fields_[field]);
    need(value >= 1 && value <= max_dimension && value == std::trunc(value),
         "'" + fields_[field] + "' is not a number of variables from 1 to 20");
    return static_cast<int>(value);
  }

  /// Duffy's map: barycentric coordinates l_k = u_k (1 - u_1) ... (1 - u_(k-1)), whose Jacobian is
  /// (1 - u_1)^(d-1) (1 - u_2)^(d-2) ...
  std::vector<std::vector<std::string>> barycentric(int d, DomainPiece& piece) {
    std::vector<std::vector<std::string>> result;
    std::vector<std::string> rest;
    for (int k = 1; k <= d; ++k) {
      std::string const u = variable("u" + std::to_string(k), {0, 1});
      auto here = rest;
      here.push_back(u);
      result.push_back(here);
      rest.push_back("(1-" + u + ")");
      add_power(piece.jacobian, rest.back(), d - k);
    }
    return result;
  }

  void simplex() {
    std::vector<std::string> const vertices = split_outside(fields_.empty() ? "" : fields_[0], ';');
    need(fields_.size() <= 1, "write simplex, simplex N, or simplex VERTEX; VERTEX; ...");
    if (vertices.size() > 1)
      return simplex_of(vertices);
    need(fields_.empty() || split_outside(fields_[0], ',').size() == 1,
         "a simplex in N variables has N + 1 vertices, separated by semicolons");
    int const d = count(0);
    name(d);
    auto& piece = parts_.pieces.emplace_back();
    for (auto const& coordinate : barycentric(d, piece))
      piece.coordinates.push_back(product(coordinate));
  }

  void simplex_of(std::vector<std::string> const& texts) {
    auto const d = texts.size() - 1;
    std::vector<std::vector<double>> vertices;
    for (auto const& text : texts) {
      vertices.push_back(numbers(text));
      need(vertices.back().size() == d, "the vertex " + text + " has " + std::to_string(vertices.back().size()) +
                                            (vertices.back().size() == 1 ? " coordinate; " : " coordinates; ") +
                                            std::to_string(d + 1) + " vertices need " + std::to_string(d));
    }
    name(static_cast<int>(d));
    std::vector<std::vector<double>> edges(d, std::vector<double>(d));
    for (std::size_t k = 0; k < d; ++k)
      for (std::size_t i = 0; i < d; ++i)
        edges[k][i] = vertices[k + 1][i] - vertices[0][i];
    double const volume = std::abs(determinant(edges));
    need(volume > 0 && std::isfinite(volume), "the vertices are degenerate: they enclose no volume");
    auto& piece = parts_.pieces.emplace_back();
    auto const weights = barycentric(static_cast<int>(d), piece);
    for (std::size_t i = 0; i < d; ++i) {
      std::string sum = vertices[0][i] == 0 ? "" : printed(vertices[0][i]);
      for (std::size_t k = 0; k < d; ++k)
        if (edges[k][i] != 0)
          sum += (sum.empty() ? "" : "+") + (edges[k][i] == 1 ? "" : printed(edges[k][i]) + "*") + product(weights[k]);
      piece.coordinates.push_back("(" + sum + ")");
    }
    if (volume != 1)
      piece.jacobian.push_back(printed(volume));
  }

  /// From the outermost variable: its distance from the finite end, and those of the others as fractions of it.
  void ordered() {
    need(fields_.size() == 1 || fields_.size() == 2, "write ordered LOWER:UPPER, or ordered LOWER:UPPER N");
    Side const range = side(fields_[0]);
    need(std::isfinite(range.lower) || std::isfinite(range.upper),
         "one bound must be finite; write named sides instead: x=-inf:inf,y=x:inf");
    int const d = count(1);
    name(d);
    bool const down = std::isfinite(range.lower); // from the last variable to the first
    auto& piece = parts_.pieces.emplace_back();
    std::vector<std::string> distance;
    for (int k = 0; k < d; ++k) {
      distance.push_back(
          variable("u" + std::to_string(k + 1), k == 0 ? Side{0, range.upper - range.lower} : Side{0, 1}));
      add_power(piece.jacobian, distance.back(), d - 1 - k);
      piece.coordinates.push_back(down ? shifted(range.lower, distance)
                                       : "(" + printed(range.upper) + "-" + product(distance) + ")");
    }
    if (down)
      std::ranges::reverse(piece.coordinates);
  }

  /// mean + L z, where L L^T is the covariance, and z the quantiles of independent variables.
  void normal() {
    auto const rows = split_outside(fields_.empty() ? "" : fields_[0], ';');
    auto const d = rows.size() - 1;
    need(fields_.size() == 1 && d > 0, "write normal MEAN; ROW; ROW; ..., with the rows of the covariance");
    auto const mean = numbers(rows[0]);
    need(mean.size() == d, "the mean " + rows[0] + " has " + counted(mean.size(), "coordinate") + ", the covariance " +
                               counted(d, "row") + "; give as many");
    std::vector<std::vector<double>> covariance;
    for (std::size_t i = 1; i <= d; ++i) {
      covariance.push_back(numbers(rows[i]));
      need(covariance.back().size() == d, "the row " + rows[i] + " has " +
                                              counted(covariance.back().size(), "entry", "entries") + ", not " +
                                              std::to_string(d));
    }
    name(static_cast<int>(d));
    auto const [factor, problem] = cholesky(covariance);
    need(problem.empty(), problem);
    std::vector<std::string> z;
    auto& piece = parts_.pieces.emplace_back();
    for (std::size_t i = 0; i < d; ++i) {
      std::string const u = variable("u" + std::to_string(i + 1), {0, 1});
      z.push_back("copysign(norminv(min(" + u + ",1-" + u + "))," + u + "-1/2)");
      std::string sum = printed(mean[i]);
      for (std::size_t k = 0; k <= i; ++k)
        if (factor[i][k] != 0)
          sum += "+" + printed(factor[i][k]) + "*" + z[k];
      piece.coordinates.push_back("(" + sum + ")");
    }
  }
  static std::string counted(std::size_t count, std::string const& one, std::string const& many = "") {
    return std::to_string(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
  }

  std::string_view text_;
  std::vector<std::string> given_;
  std::source_location where_;
  std::string kind_;
  std::vector<std::string> fields_;
  DomainParts parts_;
};

} // namespace

bool is_shape(std::string_view text) {
  auto const end = static_cast<std::size_t>(std::ranges::find_if_not(text, is_letter) - text.begin());
  auto const word = text.substr(0, end);
  if (text.find(':') == text.npos)
    return !word.empty() && text.find_first_of("=~") == text.npos;
  return word == "cylinder" || word == "ordered";
}

DomainParts read_shape(std::string_view text, std::vector<std::string> const& variables, std::source_location where) {
  return Shape(text, variables, where).read();
}

} // namespace kubature::detail::expression

#include "handles.hpp"

#include <kubature/complex_formula.hpp>
#include <kubature/derivatives.hpp>
#include <kubature/unnamed_variables.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

using namespace kubature;
using namespace kubature::c;

std::vector<std::string> kubature::c::names(std::string_view text) {
  std::vector<std::string> result;
  for (;;) {
    auto const end = std::min(text.find(','), text.size());
    auto name = text.substr(0, end);
    while (!name.empty() && name.front() == ' ')
      name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ')
      name.remove_suffix(1);
    result.emplace_back(name);
    if (end == text.size())
      return result;
    text.remove_prefix(end + 1);
  }
}

namespace {

using Formula = decltype(kubature_integrand::f);

/// One expression, or several.
Formula parsed(char const* text, std::vector<std::string> const& named) {
  if (Expressions::count(text) == 1)
    return Expression::parse(text, named);
  return Expressions::parse(text, named);
}

/// As above, of what kubature_integrand_formula() describes.
Formula parsed(char const* text, std::vector<std::string> const& named, std::vector<FormulaParameter> const& numbers,
               int what) {
  if (what == KUBATURE_VALUE && numbers.empty())
    return parsed(text, named);
  auto made = what == KUBATURE_COMPLEX       ? complex_parts(text, named, numbers)
              : what == KUBATURE_DERIVATIVES ? with_derivatives(text, named, numbers)
                                             : with_parameters(text, named, numbers);
  if (made.size() == 1)
    return Expression::parse(made.text(), made.variables());
  return made;
}

/// The names of a formula's variables and its text; none for functions.
std::pair<std::vector<std::string>, std::string> formula_of(kubature_integrand const& integrand) {
  if (auto const* expression = std::get_if<Expression>(&integrand.f))
    return {expression->variables(), expression->text()};
  if (auto const* expressions = std::get_if<Expressions>(&integrand.f))
    return {expressions->variables(), expressions->text()};
  return {};
}

template <class Function, class F>
int make_function(F f, int components, void* user, kubature_integrand** integrand) {
  return guarded([&] {
    given(integrand, "integrand");
    given(f, "f");
    require(components >= 1, "components", components, "an integrand has at least one component");
    *integrand = new kubature_integrand{Function{f, components, user}};
  });
}

/// Sets a property of a function on the host.
/// @param otherwise what other integrands lack
int set(kubature_integrand* integrand, bool HostFunction::* property, int value, std::string const& otherwise) {
  return guarded([&] {
    auto* const function = std::get_if<HostFunction>(&given(integrand, "integrand").f);
    require(function, "integrand", "a formula or a function of the device", otherwise);
    function->*property = value != 0;
  });
}

} // namespace

std::vector<std::string> kubature_integrand::variables() const { return formula_of(*this).first; }

kubature_integrand kubature_integrand::on(kubature_box const& box) const {
  auto const [used, text] = formula_of(*this);
  auto const d = static_cast<std::size_t>(box.dimension());
  require(d > 0 || !constant, "expression", text, "it uses no variable, and the domain says no number of them");
  if (!open || used.size() >= d)
    return *this;
  auto const of_box = box.text.empty() ? std::vector<std::string>() : FormulaDomain::parse(box.text).variables();
  auto const in_box = [&](std::string const& name) { return std::ranges::find(of_box, name) != of_box.end(); };
  auto all = used;
  if (constant || std::ranges::all_of(used, in_box))
    all = of_box;
  return {parsed(text.c_str(), unnamed_variables(all, static_cast<int>(d))), true};
}

FormulaDomain kubature_box::domain(std::vector<std::string> const& variables) const {
  return FormulaDomain::parse(text, variables, breaks);
}

int kubature_box::dimension() const {
  if (text.empty())
    return box.dimension();
  try { // without the break points, whose names may be those of a formula
    return FormulaDomain::parse(text).dimension();
  } catch (InvalidArgument const&) { // with as many variables as names
    static_cast<void>(FormulaDomain::parse(text, {"x1"}));
    return 0;
  }
}

int kubature_box_create(int dimension, double const* lower, double const* upper, kubature_box** box) {
  return guarded([&] {
    given(lower, "lower");
    given(upper, "upper");
    given(box, "box");
    require(dimension >= 1 && dimension <= most_variables, "dimension", dimension,
            "a box has between 1 and 1024 sides");
    auto const size = static_cast<std::size_t>(dimension);
    *box = new kubature_box{runtime::box({lower, size}, {upper, size})};
  });
}

int kubature_box_create_text(char const* text, char const* breaks, kubature_box** box) {
  return guarded([&] {
    given(box, "box");
    kubature_box made{.text = given_text(text, "text"), .breaks = breaks ? breaks : ""};
    require(!made.text.empty(), "box", "''", "a description of a domain is needed, such as x=0:1,y=0:x");
    static_cast<void>(made.dimension());
    auto const sign = made.text.find_first_of("=~");
    if (sign != made.text.npos && std::isalpha(static_cast<unsigned char>(made.text[made.text.find_first_not_of(' ')])))
      static_cast<void>(made.domain());
    *box = new kubature_box(std::move(made));
  });
}

int kubature_box_dimension(kubature_box const* box) {
  int dimension = 0;
  guarded([&] { dimension = box ? box->dimension() : 0; });
  return dimension;
}

int kubature_box_inside(kubature_box const* box, double part, double* x) {
  return guarded([&] {
    auto const& of = given(box, "box");
    given(x, "x");
    require(part > 0 && part < 1, "part", part, "must be above 0 and below 1");
    bool const plain = of.text.empty();
    std::optional<FormulaDomain> domain;
    if (!plain)
      domain = FormulaDomain::parse(of.text);
    auto const& sides = plain ? of.box : domain->sides();
    std::vector<double> v;
    for (int i = 0; i < sides.dimension(); ++i) {
      auto const [a, b] = sides[i];
      v.push_back(std::isinf(a)   ? (std::isinf(b) ? part - 0.5 : b - part)
                  : std::isinf(b) ? a + part
                                  : a + part * (b - a));
    }
    std::ranges::copy(plain ? v : domain->original(v), x);
  });
}

void kubature_box_destroy(kubature_box* box) { delete box; }

int kubature_integrand_expression(char const* formula, char const* variables, kubature_integrand** integrand) {
  return kubature_integrand_formula(formula, variables, nullptr, nullptr, KUBATURE_VALUE, integrand);
}

int kubature_integrand_formula(char const* formula, char const* variables, char const* parameters, double const* values,
                               int what, kubature_integrand** integrand) {
  return guarded([&] {
    given(integrand, "integrand");
    auto const text = given_text(formula, "formula");
    std::vector<FormulaParameter> numbers;
    if (parameters) {
      given(values, "values");
      for (auto const& name : names(parameters))
        numbers.push_back({name, values[numbers.size()]});
    }
    require(what == KUBATURE_VALUE || what == KUBATURE_DERIVATIVES || what == KUBATURE_COMPLEX, "what", what,
            "one of enum kubature_formula is needed");
    auto const made = [&](std::vector<std::string> const& named) { return parsed(text, named, numbers, what); };
    if (variables) {
      *integrand = new kubature_integrand{made(names(variables))};
      return;
    }
    try {
      *integrand = new kubature_integrand{made({}), true};
    } catch (ExpressionError const& why) { // perhaps only for lack of variables
      try {
        *integrand = new kubature_integrand{made({"x"}), true, true};
      } catch (ExpressionError const&) {
        throw why;
      }
    }
  });
}

int kubature_integrand_function(kubature_function f, int components, void* user, kubature_integrand** integrand) {
  return make_function<HostFunction>(f, components, user, integrand);
}

int kubature_integrand_set_concurrent(kubature_integrand* integrand, int concurrent) {
  return set(integrand, &HostFunction::concurrent, concurrent, "only functions on the host can be called concurrently");
}

int kubature_integrand_set_weighted(kubature_integrand* integrand, int weighted) {
  return set(integrand, &HostFunction::weighted, weighted, "only functions on the host get the weights of samples");
}

int kubature_integrand_device_function(kubature_device_function f, int components, void* user,
                                       kubature_integrand** integrand) {
  return make_function<DeviceFunction>(f, components, user, integrand);
}

int kubature_integrand_evaluate(kubature_integrand const* integrand, int64_t n, int d, double const* x,
                                double* values) {
  return guarded([&] {
    auto const& f = given(integrand, "integrand");
    given(x, "x");
    given(values, "values");
    require(n >= 0, "n", n, "a number of points is needed");
    require(d >= 1 && d <= most_variables, "d", d, "there are between 1 and 1024 variables");
    auto const size = static_cast<std::size_t>(d);
    std::vector<double> const zeros(size), ones(size, 1.0);
    auto const with_all = f.on(kubature_box{runtime::box(zeros, ones)});
    auto const* const expression = std::get_if<Expression>(&with_all.f);
    require(expression, "integrand", "several formulas or a function", "a single formula is needed");
    for (std::int64_t k = 0; k < n; ++k)
      values[k] = (*expression)(std::span(x + k * d, size));
  });
}

void kubature_integrand_destroy(kubature_integrand* integrand) { delete integrand; }

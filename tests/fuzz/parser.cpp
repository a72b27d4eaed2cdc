#include "fuzz.hpp"

#include <kubature/expression.hpp>

#include <algorithm>
#include <optional>
#include <vector>

/// Expression::parse, evaluation on the host and the splitting into terms, of any text. What stands before the first
/// end of line, if there is one, names the variables, separated by commas.
namespace {

using namespace kubature;
using kubature::fuzz::expect, kubature::fuzz::same;

std::vector<std::string> names(std::string_view list) {
  std::vector<std::string> all(1);
  for (char const c : list)
    if (c == ',')
      all.emplace_back();
    else
      all.back() += c;
  return all;
}

std::optional<Expression> parse(std::string_view text, std::vector<std::string> variables) {
  bool const named = !variables.empty();
  try {
    return Expression::parse(text, std::move(variables));
  } catch (ExpressionError const& error) {
    auto const characters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
    expect(error.column() >= 1 && error.column() <= characters + 1, "a column beyond the text");
    expect(error.value() == text, "an error that shows another text");
  } catch (InvalidArgument const&) {
    expect(named, "a complaint of variables where none were named");
  }
  return {};
}

void expect_same(Expression const& expected, std::string const& text) {
  auto const& variables = expected.variables();
  auto const again = Expression::parse(text, variables);
  expect(again.variables() == variables && again.instruction_count() == expected.instruction_count() &&
             again.operation_count() == expected.operation_count(),
         "another program of the same formula");
  std::vector<double> x(variables.size());
  for (double const at : {0.0, 0.37, -2.5, 1e200, std::nan("")}) {
    for (std::size_t axis = 0; axis < x.size(); ++axis)
      x[axis] = at * (1 + 0.1 * static_cast<double>(axis));
    expect(same(expected(x), again(x)), "another value of the same formula");
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto text = fuzz::text(data, size);
  std::vector<std::string> variables;
  if (auto const line = text.find('\n'); line != text.npos) {
    variables = names(text.substr(0, line));
    text.remove_prefix(line + 1);
  }
  auto const expression = parse(text, std::move(variables));
  if (!expression)
    return 0;
  expect(expression->dimension() >= 1 && expression->dimension() <= 20, "a dimension that is none");
  expect(expression->text() == text, "another text");
  expect_same(*expression, " " + std::string(text) + "\t");
  auto const formula = text.rfind(';') + 1; // after definitions
  expect_same(*expression, std::string(text.substr(0, formula)) + "+(" + std::string(text.substr(formula)) + ")");
  auto const terms = expression->terms();
  expect(!terms.empty(), "no term");
  for (auto const& term : terms) {
    expect(term.variables() == expression->variables(), "a term of other variables");
    expect_same(term, term.text());
  }
  return 0;
}

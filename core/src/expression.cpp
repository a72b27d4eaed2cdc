#include "expression_parser.hpp"

#include <kubature/expression.hpp>

namespace kubature {

double detail::expression::run_on_host(std::span<Instruction const> program, double const* x) {
  double value[1];
  run(program.data(), 0, static_cast<int>(program.size()), [x](int axis, int) { return x[axis]; }, value);
  return value[0];
}

namespace compile = detail::expression;

Expression Expression::parse(std::string_view text, std::vector<std::string> variables, std::source_location where) {
  auto parsed = compile::parse(text, std::move(variables), where);
  Expression expression;
  expression.text_ = text;
  expression.variables_ = std::move(parsed.variables);
  expression.program_ = parsed.tree.program(parsed.root);
  expression.operations_ = compile::operation_count(expression.program_);
  return expression;
}

std::span<ExpressionFunction const> Expression::functions() {
  static auto const list = [] {
    std::vector<ExpressionFunction> functions;
    for (auto const& function : compile::functions())
      functions.push_back({function.name, function.arguments});
    return functions;
  }();
  return list;
}

double Expression::operator()(std::span<double const> x) const {
  require(x.size() == variables_.size(), "number of coordinates", x.size(),
          "the expression has " + std::to_string(dimension()) + " variables");
  return compile::run_on_host(program_, x.data());
}

} // namespace kubature

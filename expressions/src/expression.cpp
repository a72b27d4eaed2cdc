#include "parser.hpp"
#include "terms.hpp"

#include <kubature/expression.hpp>

namespace kubature {

namespace {

struct HostPoint {
  double const* x;
  KOKKOS_FUNCTION double operator()(int axis, int) const { return x[axis]; }
};

} // namespace

double detail::expression::run_on_host(std::span<Instruction const> program, double const* x) {
  double value[1];
  run(program.data(), 0, static_cast<int>(program.size()), HostPoint{x}, value);
  return value[0];
}

namespace steps = detail::expression;

Expression Expression::parse(std::string_view text, std::vector<std::string> variables, std::source_location where) {
  return compile(text, std::move(variables), true, where);
}

Expression Expression::compile(std::string_view text, std::vector<std::string> variables, bool split,
                               std::source_location where) {
  auto parsed = steps::parse(text, std::move(variables), where);
  Expression expression;
  expression.text_ = text;
  expression.variables_ = std::move(parsed.variables);
  auto& program = expression.program_;
  program = parsed.tree.program(parsed.root);
  expression.length_ = static_cast<int>(program.size());
  expression.operations_ = steps::operation_count(program);

  std::vector<std::size_t> table;
  if (split)
    for (auto const& term : steps::split(parsed.tree, parsed.root, text)) {
      auto const& added = expression.terms_.emplace_back(compile(term, expression.variables_, false, where));
      table.push_back(program.size());
      program.insert(program.end(), added.program_.begin(), added.program_.begin() + added.length_);
    }
  if (table.empty())
    table.push_back(0);
  table.push_back(program.size());
  for (auto const begin : table)
    program.push_back({.constant = static_cast<double>(begin)});
  return expression;
}

std::vector<Expression> Expression::terms() const { return terms_.empty() ? std::vector{*this} : terms_; }

std::span<ExpressionFunction const> Expression::functions() {
  static auto const list = [] {
    std::vector<ExpressionFunction> functions;
    for (auto const& function : steps::functions())
      functions.push_back({function.name, function.arguments});
    return functions;
  }();
  return list;
}

double Expression::operator()(std::span<double const> x) const {
  require(x.size() == variables_.size(), "number of coordinates", x.size(),
          "the expression has " + std::to_string(dimension()) + " variables");
  return steps::run_on_host(std::span(program_).first(static_cast<std::size_t>(length_)), x.data());
}

} // namespace kubature

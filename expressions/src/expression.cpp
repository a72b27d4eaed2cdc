#include "limits.hpp"
#include "names.hpp"
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
  run(program.data(), {0, static_cast<int>(program.size())}, HostPoint{x}, value);
  return value[0];
}

Expression::Expression(std::string_view text, std::vector<std::string> variables, detail::expression::Program program)
    : text_(text), variables_(std::move(variables)), program_(std::move(program)),
      operations_(detail::expression::operation_count(program_.whole())) {}

Expression Expression::parse(std::string_view text, std::vector<std::string> variables, std::source_location where) {
  detail::expression::check_length(text, where);
  return compile(text, std::move(variables), true, where);
}

Expression Expression::compile(std::string_view text, std::vector<std::string> variables, bool split,
                               std::source_location where) {
  auto parsed = detail::expression::parse(text, std::move(variables), false, where);
  Expression expression(text, std::move(parsed.variables),
                        detail::expression::Program(parsed.tree.program(parsed.roots.front())));
  if (split)
    for (auto const& term : detail::expression::split(parsed.tree, parsed.roots.front(), text)) {
      expression.terms_.push_back(compile(term, expression.variables_, false, where));
      expression.program_.add_term(expression.terms_.back().program_);
    }
  return expression;
}

std::vector<Expression> Expression::terms() const { return terms_.empty() ? std::vector{*this} : terms_; }

std::span<ExpressionFunction const> Expression::functions() {
  static auto const list = [] {
    std::vector<ExpressionFunction> functions;
    for (auto const& function : detail::expression::functions())
      functions.push_back({function.name, function.arguments});
    return functions;
  }();
  return list;
}

double Expression::operator()(std::span<double const> x) const {
  require(x.size() == variables_.size(), "number of coordinates", x.size(),
          "the expression has " + std::to_string(dimension()) + " variables");
  return detail::expression::run_on_host(program_.whole(), x.data());
}

} // namespace kubature

#include "improve.hpp"
#include "limits.hpp"
#include "names.hpp"
#include "parser.hpp"
#include "source.hpp"
#include "terms.hpp"

#include <kubature/expression.hpp>

namespace kubature {

double detail::expression::run_on_host(std::span<Instruction const> program, std::span<double const> x) {
  double coordinates[most_variables + max_stored][1], value[1];
  for (std::size_t axis = 0; axis < x.size(); ++axis)
    coordinates[axis][0] = x[axis];
  run(program.data(), {0, static_cast<int>(program.size())}, Coordinates<double, 1>{coordinates}, value);
  return value[0];
}

Expression::Expression(std::string_view text, std::vector<std::string> variables, detail::expression::Program program,
                       int operations)
    : text_(text), variables_(std::move(variables)), program_(std::move(program)), operations_(operations) {}

Expression Expression::parse(std::string_view text, std::vector<std::string> variables, std::source_location where) {
  detail::expression::check_length(text, where);
  return compile(text, std::move(variables), true, where);
}

Expression Expression::compile(std::string_view text, std::vector<std::string> variables, bool split,
                               std::source_location where) {
  auto parsed = detail::expression::parse(text, std::move(variables), false, where);
  auto const plain = parsed.tree.program(parsed.roots.front());
  auto const dimension = static_cast<int>(parsed.variables.size());
  detail::expression::Source const source(text, where);
  detail::expression::Program program(detail::expression::improve(source, parsed.begin, plain, dimension),
                                      parsed.tree.tables());
  Expression expression(text, std::move(parsed.variables), std::move(program),
                        detail::expression::operation_count(plain));
  expression.definitions_ = parsed.names.empty() ? 0 : parsed.begin;
  std::string const definitions(text.substr(0, expression.definitions_));
  split = split && dimension <= max_dimension; // terms are for mixed precision
  auto const terms =
      split ? detail::expression::split(parsed.tree, parsed.roots.front(), text) : std::vector<std::string>{};
  constexpr std::size_t longest = 1'000'000; // of the definitions that terms repeat
  if (terms.size() * definitions.size() <= longest)
    for (auto const& term : terms) {
      expression.terms_.push_back(compile(definitions + term, expression.variables_, false, where));
      expression.program_.add_term(expression.terms_.back().program_);
    }
  return expression;
}

detail::expression::Program Expression::program_of_sums(std::vector<std::vector<int>> const& sums) const {
  auto program = program_.without_terms();
  auto const terms = this->terms();
  for (auto const& sum : sums) {
    std::string text = text_.substr(0, definitions_);
    for (std::size_t i = 0; i < sum.size(); ++i)
      text += (i == 0 ? "(" : " + (") + terms.at(static_cast<std::size_t>(sum[i])).text_.substr(definitions_) + ")";
    program.add_term(compile(text, variables_, false, std::source_location::current()).program_);
  }
  return program;
}

std::vector<Expression> Expression::terms() const { return terms_.empty() ? std::vector{*this} : terms_; }

namespace {

std::vector<ExpressionFunction> public_list(std::span<detail::expression::Function const> functions) {
  std::vector<ExpressionFunction> list;
  for (auto const& function : functions)
    list.push_back({function.name, function.arguments});
  return list;
}

} // namespace

std::span<ExpressionFunction const> Expression::functions() {
  static auto const list = public_list(detail::expression::functions());
  return list;
}

std::span<ExpressionFunction const> Expression::table_functions() {
  static auto const list = public_list(detail::expression::table_functions());
  return list;
}

double Expression::operator()(std::span<double const> x) const {
  require(x.size() == variables_.size(), "number of coordinates", x.size(),
          "the expression has " + std::to_string(dimension()) + (dimension() == 1 ? " variable" : " variables"));
  return detail::expression::run_on_host(program_.whole(), x);
}

} // namespace kubature

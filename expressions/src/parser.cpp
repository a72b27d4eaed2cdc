#include "parser.hpp"

#include "file_table.hpp"
#include "lexer.hpp"
#include "names.hpp"
#include "operators.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string_view>

namespace kubature::detail::expression {
namespace {

class Parser {
public:
  Parser(Source const& source, std::vector<std::string> variables, bool several, std::source_location where,
         std::span<Function const> more)
      : source_(source), tokens_(source), variables_(source, std::move(variables), where), several_(several),
        more_(more) {
    if (!more.empty())
      tree_.keep_constants();
  }

  Parsed parse() {
    advance();
    if (token_.kind == Token::Kind::end)
      source_.fail(token_.offset, "the expression is empty");
    begin_statement();
    bool operand_next = true;
    while (operand_next || token_.kind != Token::Kind::end)
      operand_next = operand_next ? !operand() : after_operand();
    if (!defined_.empty())
      source_.fail(token_.offset, "expected ';' and a formula after the definition of " + in_quotes(defined_));
    finish();
    if (variables_.names().empty())
      source_.fail(0, "no variable, so no dimension: name the variables");
    return {std::move(tree_), std::move(roots_), variables_.names(), std::move(places_), begin_};
  }

private:
  /// An operator that lacks its right operand, an open parenthesis, or a function with its parenthesis.
  struct Pending {
    Operator symbol{};                  ///< precedence 0 for a parenthesis
    std::size_t offset = 0;             ///< the position of the operator or the parenthesis
    Function const* function = nullptr; ///< if the parenthesis belongs to a function
    std::size_t function_offset = 0;
    Token file{}; ///< if the function reads a table
    int commas = 0;
    Tree::Id chain = Tree::none; ///< of a comparison, those before it in its chain
    std::size_t chain_begin = 0;

    bool is_parenthesis() const { return symbol.precedence == 0; }
  };

  /// Begins a formula, or the definition of a name.
  void begin_statement() {
    begin_ = token_.offset;
    auto ahead = tokens_;
    if (token_.kind != Token::Kind::name || token_.text != "let" || ahead.next().kind != Token::Kind::name)
      return;
    advance();
    auto const name = token_;
    auto const refuse = [&](char const* why) { source_.fail(name.offset, in_quotes(name.text) + why); };
    if (known_function(name.text))
      refuse(" is a function");
    if (variables_.has(name))
      refuse(" is a variable");
    if (name.text == "pi" || name.text == "e")
      refuse(" is a constant");
    if (definitions_.contains(name.text))
      refuse(" is defined twice");
    advance();
    if (!token_.is("="))
      source_.fail(token_.offset, "expected '=' after " + in_quotes(name.text) + ", found " + token_.description());
    advance();
    defined_ = name.text;
    add_place(name);
  }

  Function const* known_function(std::string_view name) const {
    auto const found = std::ranges::find(more_, name, &Function::name);
    return found == more_.end() ? find_function(name) : &*found;
  }

  void add_place(Token const& name) { places_.push_back({name.offset, name.offset + name.text.size()}); }

  /// Ends a formula, or the definition of a name.
  void finish() {
    reduce_to(0);
    if (!pending_.empty())
      source_.fail(pending_.back().offset, "this '(' is not closed");
    auto const [root, begin, end] = operands_.back();
    operands_.pop_back();
    if (!defined_.empty()) {
      definitions_.emplace(defined_, root);
      defined_ = {};
      return;
    }
    if (definitions_.empty() && tree_.stack_need(root) > stack_size)
      source_.fail(roots_.empty() ? 0 : begin,
                   "too many intermediate results at once: " + std::to_string(tree_.stack_need(root)) + ", at most " +
                       std::to_string(stack_size) + " are possible");
    roots_.push_back(root);
  }

  void advance() {
    previous_ = token_;
    token_ = tokens_.next();
  }

  /// Reads a token where an operand is expected; true if it is a complete operand.
  bool operand() {
    auto const token = token_;
    if (token.kind == Token::Kind::number) {
      advance();
      push(tree_.constant(token.value), token);
      return true;
    }
    if (token.kind == Token::Kind::name) {
      advance();
      return name(token);
    }
    if (token.is(")") && !pending_.empty() && pending_.back().function && previous_.is("("))
      wrong_arguments(pending_.back(), 0);
    if (token.kind == Token::Kind::file)
      source_.fail(token.offset, "the name of a file, " + std::string(token.text) + ", is possible only as in table(" +
                                     std::string(token.text) + ", x)");
    if (token.is("("))
      pending_.push_back({.offset = token.offset});
    else if (token.is("-"))
      pending_.push_back({.symbol = minus, .offset = token.offset});
    else if (token.is("!"))
      pending_.push_back({.symbol = negation, .offset = token.offset});
    else if (!token.is("+"))
      source_.fail(token.offset, "expected a number, a variable, a function or '(', found " + token.description() +
                                     (token.is("*") && previous_.is("*") ? " (write ^ for a power)" : ""));
    advance();
    return false;
  }

  bool name(Token const& token) {
    auto const* const function = known_function(token.text);
    if (function && !(function->special && variables_.is_named(token.text))) {
      if (!token_.is("("))
        source_.fail(token_.offset,
                     "expected '(' after the function " + in_quotes(token.text) + ", found " + token_.description());
      pending_.push_back({.offset = token_.offset, .function = function, .function_offset = token.offset});
      advance();
      if (is_table(function->opcode))
        begin_table(pending_.back());
      return false;
    }
    if (auto const known = definitions_.find(token.text); known != definitions_.end()) {
      push(tree_.again(known->second), token);
      add_place(token);
    } else if (token.text == defined_) {
      source_.fail(token.offset, in_quotes(token.text) + " is used in its own definition");
    } else if (int const axis = variables_.axis(token); axis >= 0)
      push(tree_.variable(axis), token);
    else if (token.text == "pi")
      push(tree_.constant(std::numbers::pi), token);
    else if (token.text == "e")
      push(tree_.constant(std::numbers::e), token);
    else if (token_.is("("))
      source_.fail(token.offset, "unknown function " + in_quotes(token.text));
    else
      source_.fail(token.offset, "unknown name " + in_quotes(token.text) + "; " + variables_.known());
    return true;
  }

  /// Reads the name of a table's file, and the comma after it.
  void begin_table(Pending& call) {
    auto const expect = [this](bool found, char const* what) {
      if (!found)
        source_.fail(token_.offset, std::string("expected ") + what + ", found " + token_.description());
    };
    expect(token_.kind == Token::Kind::file && !token_.file().empty(), "the name of a file in quotes");
    call.file = token_;
    advance();
    if (token_.is(")"))
      wrong_arguments(call, 0);
    expect(token_.is(","), "',' after the name of the file");
    advance();
    if (token_.is(")"))
      wrong_arguments(call, 0);
  }

  /// The value of the table at the last operands.
  Tree::Id table(Pending const& call) {
    int const axes = call.commas + 1;
    if (axes > call.function->arguments)
      wrong_arguments(call, axes);
    std::array<Tree::Id, max_table_axes> coordinates;
    for (int axis = axes; axis-- > 0;)
      coordinates[static_cast<std::size_t>(axis)] = take_operand_if(true).id;
    auto const same = std::ranges::find_if(
        tree_.tables(), [&](auto const& one) { return one->file == call.file.file() && one->grid.axes == axes; });
    auto const read = [&] {
      if (same != tree_.tables().end())
        return *same;
      try {
        return file_table(std::string(call.file.file()), axes);
      } catch (std::runtime_error const& problem) {
        source_.fail(call.file.offset, problem.what());
      }
    };
    return tree_.table(call.function->opcode, read(), std::span(coordinates).first(static_cast<std::size_t>(axes)));
  }

  /// Reads a token after an operand; true if another operand must follow.
  bool after_operand() {
    auto const token = token_;
    if ((several_ || !defined_.empty()) && token.is(";")) {
      finish();
      advance();
      begin_statement();
      return true;
    }
    if (token.is(")")) {
      close(token);
      advance();
      return false;
    }
    if (token.is(",")) {
      reduce_to(0);
      if (pending_.empty() || !pending_.back().function)
        source_.fail(token.offset, "',' outside the arguments of a function");
      ++pending_.back().commas;
      advance();
      return true;
    }
    auto const found = std::find_if(operators.begin(), operators.end(),
                                    [&](Operator const& candidate) { return token.is(candidate.name); });
    if (found == operators.end())
      no_operator(token);
    bool const compares = found->precedence == comparison || found->precedence == equality;
    bool const right_to_left = found->opcode == Opcode::pow;
    reduce_to(found->precedence + (compares || right_to_left ? 1 : 0));
    Pending next{.symbol = *found, .offset = token.offset};
    if (compares && !pending_.empty() && pending_.back().symbol.precedence == found->precedence) {
      if (found->precedence == equality)
        source_.fail(token.offset, "== and != cannot be chained: write a == b && b == c");
      chain(next);
    }
    pending_.push_back(next);
    advance();
    return true;
  }

  /// Goes on from a < b to a < b < c, which is a < b && b < c.
  void chain(Pending& next) {
    auto const before = pending_.back();
    pending_.pop_back();
    auto right = take_operand_if(true);
    auto const left = take_operand_if(true);
    next.chain = combined(before, left, right);
    next.chain_begin = before.chain == Tree::none ? left.begin : before.chain_begin;
    push(tree_.again(right.id), right.begin, right.end);
  }

  void close(Token const& token) {
    reduce_to(0);
    if (pending_.empty())
      source_.fail(token.offset, "this ')' has no '('");
    auto const open = pending_.back();
    pending_.pop_back();
    auto const end = token.offset + 1;
    if (!open.function) {
      tree_.set_in_parentheses(operands_.back().id);
      operands_.back().begin = open.offset;
      operands_.back().end = end;
      return;
    }
    if (is_table(open.function->opcode))
      return push(table(open), open.function_offset, end);
    if (open.commas + 1 != open.function->arguments)
      wrong_arguments(open, open.commas + 1);
    auto const c = take_operand_if(open.function->arguments == 3).id;
    auto const b = take_operand_if(open.function->arguments >= 2).id;
    auto const a = take_operand_if(true).id;
    if (takes_from_stack(open.function->opcode))
      return push(tree_.distribution(open.function->opcode,
                                     open.function->arguments == 2 ? std::vector{a, b} : std::vector{a, b, c}),
                  open.function_offset, end);
    push(open.function->arguments == 1   ? tree_.unary(open.function->opcode, a)
         : open.function->arguments == 2 ? tree_.binary(open.function->opcode, a, b)
                                         : tree_.select(a, b, c),
         open.function_offset, end);
  }

  [[noreturn]] void wrong_arguments(Pending const& call, int given) const {
    auto const wanted = call.function->arguments;
    if (is_table(call.function->opcode))
      source_.fail(call.function_offset, in_quotes(call.function->name) + " takes 1 to " + std::to_string(wanted) +
                                             " arguments after the name of the file, given " + std::to_string(given));
    source_.fail(call.function_offset, in_quotes(call.function->name) + " takes " + std::to_string(wanted) +
                                           (wanted == 1 ? " argument" : " arguments") + ", given " +
                                           std::to_string(given));
  }

  [[noreturn]] void no_operator(Token const& token) const {
    auto const open = std::find_if(pending_.rbegin(), pending_.rend(),
                                   [](Pending const& pending) { return pending.is_parenthesis(); });
    std::string const expected = open == pending_.rend() ? "an operator"
                                 : open->function        ? "an operator, ',' or ')'"
                                                         : "an operator or ')'";
    std::string const hint = token.kind != Token::Kind::symbol || token.is("(") ? " (write * for a product)"
                             : token.is("=")                                    ? " (write == to compare)"
                             : token.is("&")                                    ? " (write && for 'and')"
                             : token.is("|")                                    ? " (write || for 'or')"
                                                                                : "";
    source_.fail(token.offset, "expected " + expected + ", found " + token.description() + hint);
  }

  /// Applies the operators that bind at least as tightly, back to the innermost open parenthesis.
  void reduce_to(int precedence) {
    while (!pending_.empty() && !pending_.back().is_parenthesis() && pending_.back().symbol.precedence >= precedence) {
      auto const operation = pending_.back();
      auto const& symbol = operation.symbol;
      pending_.pop_back();
      auto const right = take_operand_if(symbol.precedence != prefix);
      auto const left = take_operand_if(true);
      if (symbol.precedence == prefix)
        push(tree_.unary(symbol.opcode, left.id), operation.offset, left.end);
      else
        push(combined(operation, left, right), operation.chain == Tree::none ? left.begin : operation.chain_begin,
             right.end);
    }
  }

  /// A node and its place in the text, with the parentheses around it.
  struct Placed {
    Tree::Id id = 0;
    std::size_t begin = 0, end = 0;
  };

  /// What an operator makes of its operands, and of the comparisons before it in a chain.
  Tree::Id combined(Pending const& operation, Placed const& left, Placed const& right) {
    auto const& symbol = operation.symbol;
    auto const id = symbol.exchanged ? tree_.binary(symbol.opcode, right.id, left.id)
                                     : tree_.binary(symbol.opcode, left.id, right.id);
    return operation.chain == Tree::none ? id : tree_.binary(Opcode::logical_and, operation.chain, id);
  }

  void push(Tree::Id id, std::size_t begin, std::size_t end) {
    tree_.set_place(id, begin, end);
    operands_.push_back({id, begin, end});
  }
  void push(Tree::Id id, Token const& token) { push(id, token.offset, token.offset + token.text.size()); }

  Placed take_operand_if(bool there) {
    if (!there)
      return {};
    auto const operand = operands_.back();
    operands_.pop_back();
    return operand;
  }

  Source const& source_;
  Lexer tokens_;
  Variables variables_;
  Tree tree_;
  Token token_, previous_;
  std::vector<Pending> pending_;
  std::vector<Placed> operands_;
  bool several_;
  std::span<Function const> more_;
  std::vector<Tree::Id> roots_;
  std::map<std::string_view, Tree::Id> definitions_;
  std::string_view defined_; ///< the name that the current statement defines, if any
  std::vector<NamedPlace> places_;
  std::size_t begin_ = 0; ///< of the current statement
};

} // namespace

Parsed parse(std::string_view text, std::vector<std::string> variables, bool several, std::source_location where,
             std::span<Function const> more) {
  Source const source(text, where);
  return Parser(source, std::move(variables), several, where, more).parse();
}

} // namespace kubature::detail::expression

#include "parser.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numbers>
#include <system_error>

namespace kubature::detail::expression {
namespace {

constexpr int arguments(Opcode opcode) {
  switch (opcode) {
#define KUBATURE_ONE(name, value)                                                                                      \
  case Opcode::name:                                                                                                   \
    return 1;
#define KUBATURE_TWO(name, value)                                                                                      \
  case Opcode::name:                                                                                                   \
    return 2;
#define KUBATURE_NONE(name, function)
    KUBATURE_EXPRESSION_FUNCTIONS(KUBATURE_ONE, KUBATURE_TWO, KUBATURE_NONE)
#undef KUBATURE_ONE
#undef KUBATURE_TWO
#undef KUBATURE_NONE
  default:
    return 3;
  }
}

constexpr std::array function_table{
#define KUBATURE_FUNCTION(name, value) Function{#name, arguments(Opcode::name), Opcode::name},
#define KUBATURE_ALIAS(name, function) Function{#name, arguments(Opcode::function), Opcode::function},
    KUBATURE_EXPRESSION_FUNCTIONS(KUBATURE_FUNCTION, KUBATURE_FUNCTION, KUBATURE_ALIAS)
#undef KUBATURE_FUNCTION
#undef KUBATURE_ALIAS
        Function{"if", 3, Opcode::select}};

Function const* find_function(std::string_view name) {
  auto const found = std::find_if(function_table.begin(), function_table.end(),
                                  [name](Function const& function) { return function.name == name; });
  return found == function_table.end() ? nullptr : &*found;
}

struct Operator {
  std::string_view name;
  Opcode opcode;
  int precedence;
  bool exchanged = false; ///< a > b is b < a
};

constexpr int equality = 3, comparison = 4, prefix = 7;

constexpr std::array operators{Operator{"||", Opcode::logical_or, 1},
                               Operator{"&&", Opcode::logical_and, 2},
                               Operator{"==", Opcode::equal, equality},
                               Operator{"!=", Opcode::not_equal, equality},
                               Operator{"<=", Opcode::less_equal, comparison},
                               Operator{">=", Opcode::less_equal, comparison, true},
                               Operator{"<", Opcode::less, comparison},
                               Operator{">", Opcode::less, comparison, true},
                               Operator{"+", Opcode::add, 5},
                               Operator{"-", Opcode::subtract, 5},
                               Operator{"*", Opcode::multiply, 6},
                               Operator{"/", Opcode::divide, 6},
                               Operator{"^", Opcode::pow, 8}};
constexpr Operator minus{"-", Opcode::negate, prefix};
constexpr Operator negation{"!", Opcode::logical_not, prefix};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

bool is_identifier(std::string_view name) {
  return !name.empty() && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::string in_quotes(std::string_view text) { return std::string(1, '\'').append(text) + "'"; }

std::string listed(std::vector<std::string> const& names) {
  std::string list;
  for (auto const& name : names)
    list += (list.empty() ? "" : ", ") + name;
  return list;
}

/// What throws: it knows the text, and counts columns in characters of UTF-8.
class Source {
public:
  Source(std::string_view text, std::source_location where) : text_(text), where_(where) {}

  std::string_view text() const { return text_; }

  [[noreturn]] void fail(std::size_t offset, std::string const& problem) const {
    auto const column = 1 + std::count_if(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(offset),
                                          [](char c) { return !continues_character(c); });
    throw ExpressionError(std::string(text_), static_cast<int>(column), problem, where_);
  }

private:
  std::string_view text_;
  std::source_location where_;
};

struct Token {
  enum class Kind { number, name, symbol, end };
  Kind kind = Kind::end;
  std::string_view text{};
  std::size_t offset = 0;
  double value = 0;

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
  std::string description() const { return kind == Kind::end ? "the end" : in_quotes(text); }
};

class Tokenizer {
public:
  explicit Tokenizer(Source const& source) : source_(source), text_(source.text()) {}

  Token next() {
    while (at_ < text_.size() && is_space(text_[at_]))
      ++at_;
    auto const start = at_;
    if (at_ == text_.size())
      return {.offset = start};
    if (is_digit(text_[at_]) || text_[at_] == '.')
      return number();
    auto kind = Token::Kind::symbol;
    if (is_letter(text_[at_])) {
      kind = Token::Kind::name;
      skip([](char c) { return is_letter(c) || is_digit(c); });
    } else {
      at_ += symbol_length();
    }
    return {kind, text_.substr(start, at_ - start), start};
  }

private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  template <class Accepts>
  void skip(Accepts accepts) {
    while (at_ < text_.size() && accepts(text_[at_]))
      ++at_;
  }

  Token number() {
    auto const start = at_;
    skip([](char c) { return is_digit(c) || c == '.'; });
    bool whole = true;
    if (char const sign = peek(1); (peek() == 'e' || peek() == 'E') && !is_letter(sign)) {
      at_ += sign == '+' || sign == '-' ? 2 : 1;
      whole = is_digit(peek());
      skip(is_digit);
    }
    auto const text = text_.substr(start, at_ - start);
    if (!whole)
      source_.fail(start, in_quotes(text) + " is not a number: its exponent has no digits");
    double value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range)
      source_.fail(start, in_quotes(text) + " is outside the range of double precision");
    if (error != std::errc{} || end != text.data() + text.size())
      source_.fail(start, in_quotes(text) + " is not a number");
    return {Token::Kind::number, text, start, value};
  }

  std::size_t symbol_length() const {
    auto const rest = text_.substr(at_);
    for (auto const& candidate : operators)
      if (candidate.name.size() == 2 && rest.starts_with(candidate.name))
        return 2;
    std::size_t length = 1;
    while (length < rest.size() && continues_character(rest[length]))
      ++length;
    return length;
  }

  Source const& source_;
  std::string_view text_;
  std::size_t at_ = 0;
};

/// Gives variables their axes: by the caller's names, or by the family that the text turns out to use.
class Variables {
public:
  Variables(Source const& source, std::vector<std::string> names, std::source_location where)
      : source_(source), names_(std::move(names)), named_(!names_.empty()) {
    require(names_.size() <= max_dimension, "number of variables", names_.size(),
            "an expression has between 1 and 20 variables", where);
    for (auto name = names_.begin(); name != names_.end(); ++name) {
      require(is_identifier(*name), "variable", in_quotes(*name),
              "a name is made of letters, digits and '_', and begins with no digit", where);
      require(!find_function(*name), "variable", in_quotes(*name), "a function has this name", where);
      require(std::find(names_.begin(), name, *name) == name, "variable", in_quotes(*name), "this name is given twice",
              where);
    }
  }

  /// The axis of this variable, or -1 where the name stands for none.
  int axis(Token const& token) {
    int const found = named_ ? index(names_, token.text) : family_axis(token);
    if (!named_ && found >= 0) {
      if (names_.empty())
        first_ = token.text;
      else if (is_numbered(first_) != is_numbered(token.text))
        source_.fail(token.offset, in_quotes(first_) + " and " + in_quotes(token.text) +
                                       " do not go together: use either x1 to x20, or " + letter_list());
      for (int next = static_cast<int>(names_.size()); next <= found; ++next)
        names_.push_back(is_numbered(token.text) ? std::string(1, 'x').append(std::to_string(next + 1))
                                                 : std::string(1, letters[static_cast<std::size_t>(next)]));
    }
    return found;
  }

  std::string known() const {
    return named_ ? (names_.size() == 1 ? "the variable is " : "the variables are ") + listed(names_)
                  : "variables are x1 to x20, or " + letter_list();
  }

  std::vector<std::string> const& names() const { return names_; }

private:
  static constexpr std::string_view letters = "xyzwvuts";

  static bool is_numbered(std::string_view name) { return name.size() > 1; }

  static std::string letter_list() {
    std::vector<std::string> list;
    for (char const letter : letters)
      list.emplace_back(1, letter);
    return listed(list);
  }

  static int index(std::vector<std::string> const& names, std::string_view name) {
    auto const found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? -1 : static_cast<int>(found - names.begin());
  }

  int family_axis(Token const& token) const {
    auto const name = token.text;
    if (name.size() == 1) {
      auto const letter = letters.find(name[0]);
      return letter == letters.npos ? -1 : static_cast<int>(letter);
    }
    if (name[0] != 'x' || !std::all_of(name.begin() + 1, name.end(), is_digit))
      return -1;
    int number = 0;
    auto const [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
    if (error != std::errc{} || name[1] == '0' || number > max_dimension)
      source_.fail(token.offset, "unknown variable " + in_quotes(name) + "; numbered variables are x1 to x20");
    return number - 1;
  }

  Source const& source_;
  std::vector<std::string> names_;
  bool named_;
  std::string first_;
};

class Parser {
public:
  Parser(Source const& source, std::vector<std::string> variables, std::source_location where)
      : source_(source), tokens_(source), variables_(source, std::move(variables), where) {}

  Parsed parse() {
    advance();
    if (token_.kind == Token::Kind::end)
      source_.fail(token_.offset, "the expression is empty");
    bool operand_next = true;
    while (operand_next || token_.kind != Token::Kind::end)
      operand_next = operand_next ? !operand() : after_operand();
    reduce_to(0);
    if (!pending_.empty())
      source_.fail(pending_.back().offset, "this '(' is not closed");
    auto const root = operands_.back().id;
    if (variables_.names().empty())
      source_.fail(0, "no variable, so no dimension: name the variables");
    if (tree_.stack_need(root) > stack_size)
      source_.fail(0, "too many intermediate results at once: " + std::to_string(tree_.stack_need(root)) + ", where " +
                          std::to_string(stack_size) + " can be held");
    return {std::move(tree_), root, variables_.names()};
  }

private:
  /// What waits for its right end: an operator, a parenthesis, or a function with its parenthesis.
  struct Pending {
    Operator symbol{};                  ///< precedence 0 for a parenthesis
    std::size_t offset = 0;             ///< of the operator or the parenthesis
    Function const* function = nullptr; ///< where the parenthesis is that of a function
    std::size_t function_offset = 0;
    int commas = 0;

    bool is_parenthesis() const { return symbol.precedence == 0; }
  };

  void advance() {
    previous_ = token_;
    token_ = tokens_.next();
  }

  /// Reads what may stand where an operand begins; true when that was a whole operand.
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
    if (token.is(")") && !pending_.empty() && pending_.back().function && previous_.is("(")) {
      wrong_arguments(pending_.back(), 0);
    }
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
    if (auto const* function = find_function(token.text)) {
      if (!token_.is("("))
        source_.fail(token_.offset,
                     "expected '(' after the function " + in_quotes(token.text) + ", found " + token_.description());
      pending_.push_back({.offset = token_.offset, .function = function, .function_offset = token.offset});
      advance();
      return false;
    }
    if (int const axis = variables_.axis(token); axis >= 0)
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

  /// Reads what may follow an operand; true when another operand must come next.
  bool after_operand() {
    auto const token = token_;
    if (token.is(")")) {
      close(token);
      advance();
      return false;
    }
    if (token.is(",")) {
      reduce_to(0);
      if (pending_.empty() || !pending_.back().function)
        source_.fail(token.offset, "',' separates the arguments of a function, and stands outside of one");
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
    if (compares && !pending_.empty() && pending_.back().symbol.precedence == found->precedence)
      source_.fail(token.offset, "comparisons do not chain: write a < b && b < c");
    pending_.push_back({.symbol = *found, .offset = token.offset});
    advance();
    return true;
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
    if (open.commas + 1 != open.function->arguments)
      wrong_arguments(open, open.commas + 1);
    auto const c = take_operand_if(open.function->arguments == 3).id;
    auto const b = take_operand_if(open.function->arguments >= 2).id;
    auto const a = take_operand_if(true).id;
    push(open.function->arguments == 1   ? tree_.unary(open.function->opcode, a)
         : open.function->arguments == 2 ? tree_.binary(open.function->opcode, a, b)
                                         : tree_.select(a, b, c),
         open.function_offset, end);
  }

  [[noreturn]] void wrong_arguments(Pending const& call, int given) const {
    auto const wanted = call.function->arguments;
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
      auto const symbol = pending_.back().symbol;
      auto const offset = pending_.back().offset;
      pending_.pop_back();
      auto const right = take_operand_if(symbol.precedence != prefix);
      auto const left = take_operand_if(true);
      if (symbol.precedence == prefix)
        push(tree_.unary(symbol.opcode, left.id), offset, left.end);
      else
        push(symbol.exchanged ? tree_.binary(symbol.opcode, right.id, left.id)
                              : tree_.binary(symbol.opcode, left.id, right.id),
             left.begin, right.end);
    }
  }

  /// A node and where it stands in the text, with the parentheses around it.
  struct Placed {
    Tree::Id id = 0;
    std::size_t begin = 0, end = 0;
  };

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
  Tokenizer tokens_;
  Variables variables_;
  Tree tree_;
  Token token_, previous_;
  std::vector<Pending> pending_;
  std::vector<Placed> operands_;
};

} // namespace

std::span<Function const> functions() { return function_table; }

Parsed parse(std::string_view text, std::vector<std::string> variables, std::source_location where) {
  Source const source(text, where);
  return Parser(source, std::move(variables), where).parse();
}

} // namespace kubature::detail::expression

#pragma once

#include "source.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace kubature::detail::expression {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

constexpr bool is_quote(char c) { return c == '"' || c == '\''; }

/// The first of these characters from `at` on that is not in quotes, or npos.
std::size_t find_outside_quotes(std::string_view text, std::string_view any_of, std::size_t at = 0);

struct Token {
  enum class Kind { number, name, symbol, file, end };
  Kind kind = Kind::end;
  std::string_view text{};
  std::size_t offset = 0;
  double value = 0;

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
  std::string description() const {
    return kind == Kind::end ? "the end" : kind == Kind::file ? std::string(text) : in_quotes(text);
  }
  /// The name in the quotes of a token `file`.
  std::string_view file() const { return text.substr(1, text.size() - 2); }
};

/// Divides the text into tokens.
class Lexer {
public:
  explicit Lexer(Source const& source) : source_(source), text_(source.text()) {}

  /// The next token; one of kind `end` at the end. Throws ExpressionError for a malformed number and for quotes that
  /// are not closed.
  Token next();

private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  template <class Accepts>
  void skip(Accepts accepts) {
    while (at_ < text_.size() && accepts(text_[at_]))
      ++at_;
  }

  Token number();
  Token file();
  std::size_t symbol_length() const;

  Source const& source_;
  std::string_view text_;
  std::size_t at_ = 0;
};

} // namespace kubature::detail::expression

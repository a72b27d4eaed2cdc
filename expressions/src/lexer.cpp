#include "lexer.hpp"

#include "operators.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace kubature::detail::expression {
namespace {

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

} // namespace

std::size_t find_outside_quotes(std::string_view text, std::string_view any_of, std::size_t at) {
  for (; at < text.size() && any_of.find(text[at]) == any_of.npos; ++at)
    if (is_quote(text[at]))
      at = std::min(text.find(text[at], at + 1), text.size() - 1);
  return at < text.size() ? at : text.npos;
}

Token Lexer::next() {
  while (at_ < text_.size() && is_space(text_[at_]))
    ++at_;
  auto const start = at_;
  if (at_ == text_.size())
    return {.offset = start};
  if (is_digit(text_[at_]) || text_[at_] == '.')
    return number();
  if (is_quote(text_[at_]))
    return file();
  auto kind = Token::Kind::symbol;
  if (is_letter(text_[at_])) {
    kind = Token::Kind::name;
    skip([](char c) { return is_letter(c) || is_digit(c); });
  } else {
    at_ += symbol_length();
  }
  return {kind, text_.substr(start, at_ - start), start};
}

Token Lexer::number() {
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

Token Lexer::file() {
  auto const start = at_, end = text_.find(text_[at_], at_ + 1);
  if (end == text_.npos)
    source_.fail(start, std::string("the name of a file lacks its second ") + text_[start]);
  at_ = end + 1;
  return {Token::Kind::file, text_.substr(start, at_ - start), start};
}

std::size_t Lexer::symbol_length() const {
  auto const rest = text_.substr(at_);
  for (auto const& candidate : operators)
    if (candidate.name.size() == 2 && rest.starts_with(candidate.name))
      return 2;
  std::size_t length = 1;
  while (length < rest.size() && continues_character(rest[length]))
    ++length;
  return length;
}

} // namespace kubature::detail::expression

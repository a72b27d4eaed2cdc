#pragma once

#include <kubature/expression.hpp>

#include <algorithm>
#include <cstddef>
#include <source_location>
#include <string>
#include <string_view>

namespace kubature::detail::expression {

/// Whether this byte continues a character of UTF-8.
constexpr bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

inline std::string in_quotes(std::string_view text) { return std::string(1, '\'').append(text) + "'"; }

/// The text of an expression, which reports errors with their columns, counted in characters of UTF-8.
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

} // namespace kubature::detail::expression

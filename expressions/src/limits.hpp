#pragma once

#include <kubature/error.hpp>

#include <cstddef>
#include <source_location>
#include <string_view>

namespace kubature::detail::expression {

/// Nodes, instructions and columns are counted in int.
inline void check_length(std::string_view text, std::source_location where) {
  constexpr std::size_t longest_text = 10'000'000;
  require(text.size() <= longest_text, "length of the expression", text.size(),
          "an expression has at most 10,000,000 characters", where);
}

} // namespace kubature::detail::expression

#pragma once

#include <kubature/expression.hpp>
#include <kubature/formula_domain.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

/// What the tests share of formulas and domains that are refused.
namespace refused_text {

/// Expects ExpressionError at a column, with these words in its message.
inline void expect_refused_at(std::function<void()> const& parse, std::string const& text, int column,
                              std::string const& words) {
  try {
    parse();
    ADD_FAILURE() << text << " was accepted";
  } catch (kubature::ExpressionError const& error) {
    EXPECT_EQ(error.column(), column) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

/// What does not describe a domain, the argument that is named, and words of the sentence.
struct BadDomain {
  std::string text, breaks, argument, problem;
};

inline void expect_refused(std::vector<BadDomain> const& domains) {
  for (auto const& [text, breaks, argument, problem] : domains)
    try {
      kubature::FormulaDomain::parse(text, {}, breaks);
      ADD_FAILURE() << text << " was accepted";
    } catch (kubature::InvalidArgument const& refused) {
      EXPECT_EQ(refused.argument(), argument) << text;
      EXPECT_NE(refused.problem().find(problem), std::string::npos) << text << ": " << refused.problem();
    }
}

} // namespace refused_text

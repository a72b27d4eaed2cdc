#pragma once

#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <type_traits>

/// Points of methods that integrate an expression lie inside its box.
namespace points_expressions {

using namespace kubature;

/// Integrates an expression that is huge on the border.
inline void expect_inside(auto const& method) {
  auto const f = Expression::parse("if(x >= 0 || x <= -1 || y <= 0 || y >= 3, 1e30, 1/sqrt(-x*y))");
  auto const result = integrate(method, f, Box<2>{{-1, 0}, {0, 3}}, {.relative = 1e-6}, {.evaluations = 300'000});
  EXPECT_LT(result.value, 1e6) << Described<std::remove_cvref_t<decltype(method)>>::type;
  EXPECT_GT(result.value, 6);
}

} // namespace points_expressions

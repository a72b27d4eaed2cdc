#pragma once

#include <kubature/result.hpp>

#include <gtest/gtest.h>

#include <cstring>

inline void expect_same_bits(kubature::Result<> const& a, kubature::Result<> const& b) {
  EXPECT_EQ(std::memcmp(&a.value, &b.value, sizeof(double)), 0);
  EXPECT_EQ(std::memcmp(&a.error, &b.error, sizeof(double)), 0);
  EXPECT_EQ(a.evaluations, b.evaluations);
}

#include <kubature/detail/allowed_errors.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

/// The errors that a tolerance allows to components.
namespace allowed_errors_test {
namespace {

using namespace kubature;
using detail::allowed_errors;

std::vector<double> const values{3, -4, 1, 0, 2}, errors{0.03, 0.04, 0, 0.5, 0.2};

std::vector<double> allowed(ErrorNorm norm, double relative = 0.1, double absolute = 0) {
  return allowed_errors({relative, absolute, norm}, values, errors);
}

TEST(AllowedErrors, OfEachComponent) {
  EXPECT_EQ(allowed(ErrorNorm::individual), (std::vector<double>{0.1 * 3, 0.1 * 4, 0.1, 0, 0.1 * 2}));
  EXPECT_EQ(allowed(ErrorNorm::individual, 0.1, 0.35), (std::vector<double>{0.35, 0.1 * 4, 0.35, 0.35, 0.35}));
}

TEST(AllowedErrors, OfPairs) {
  auto const of = allowed(ErrorNorm::paired);
  EXPECT_NEAR(of[0], 0.5 * 3 / 5, 1e-15);
  EXPECT_NEAR(of[1], 0.5 * 4 / 5, 1e-15);
  EXPECT_NEAR(of[2], 0.1, 1e-15); // its error is zero
  EXPECT_NEAR(of[3], 0.1, 1e-15);
  EXPECT_NEAR(of[4], 0.2, 1e-15); // half of a pair
}

TEST(AllowedErrors, TheNormIsWithinItsBoundWhereEachComponentIs) {
  for (auto const norm : {ErrorNorm::l1, ErrorNorm::l2, ErrorNorm::max}) {
    double size = 0, error = 0;
    for (std::size_t c = 0; c < values.size(); ++c) {
      double const v = std::abs(values[c]), e = errors[c];
      size = norm == ErrorNorm::l1 ? size + v : norm == ErrorNorm::l2 ? std::hypot(size, v) : std::fmax(size, v);
      error = norm == ErrorNorm::l1 ? error + e : norm == ErrorNorm::l2 ? std::hypot(error, e) : std::fmax(error, e);
    }
    for (double const factor : {0.99, 1.01}) {
      auto const of = allowed(norm, factor * error / size);
      bool met = true;
      for (std::size_t c = 0; c < values.size(); ++c)
        met = met && errors[c] <= of[c];
      EXPECT_EQ(met, factor > 1);
    }
  }
}

TEST(AllowedErrors, NoneWithoutATolerance) { EXPECT_EQ(allowed(ErrorNorm::l2, 0), std::vector<double>(5, 0.0)); }

} // namespace
} // namespace allowed_errors_test

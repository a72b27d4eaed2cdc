#include <kubature/result.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <vector>

namespace result_test {
namespace {

using kubature::format;

TEST(Format, ShowsTheErrorInUnitsOfTheLastDigit) {
  EXPECT_EQ(format(0.851314, 0.00004), "0.85131(4)");
  EXPECT_EQ(format(0.851314, 0.000042), "0.85131(4)");
  EXPECT_EQ(format(-0.851314, 0.00004), "-0.85131(4)");
  EXPECT_EQ(format(12.3456, 2), "12(2)");
}

TEST(Format, ShowsTwoDigitsOfAnErrorThatStartsWithOne) {
  EXPECT_EQ(format(0.851314, 0.000014), "0.851314(14)");
  EXPECT_EQ(format(0.851314, 0.00001949), "0.851314(19)");
  EXPECT_EQ(format(0.851314, 0.0000196), "0.85131(2)");
  EXPECT_EQ(format(0.851314, 0.0000996), "0.85131(10)");
}

TEST(Format, UsesAnExponentForLargeAndSmallNumbers) {
  EXPECT_EQ(format(1.2868879901e13, 3e9), "1.2869(3)e+13");
  EXPECT_EQ(format(1.79132603e-6, 9e-11), "1.79133(9)e-06");
  EXPECT_EQ(format(1234.5, 20), "1.23(2)e+03");
}

TEST(Format, AnErrorAboveTheValueSetsTheScale) {
  EXPECT_EQ(format(0.00001, 0.03), "0.00(3)");
  EXPECT_EQ(format(0, 2e-9), "0(2)e-09");
}

TEST(Format, NoErrorAndNoNumber) {
  EXPECT_EQ(format(0.5, 0), "0.5(0)");
  EXPECT_EQ(format(NAN, NAN), "nan(nan)");
}

TEST(Format, AnErrorBelowTheLastDigitIsWrittenByItself) {
  EXPECT_EQ(format(0.5, 3e-20), "0.5(3e-20)");
  EXPECT_EQ(format(1.7e308, 1e-320), "1.7e+308(1e-320)");
  EXPECT_EQ(format(0.5, 1e-16), "0.50000000000000000(10)");
}

TEST(Format, NumbersAtTheEndsOfTheRange) {
  EXPECT_EQ(format(5e-324, 5e-324), "5(5)e-324");
  EXPECT_EQ(format(1.5e-310, 3e-312), "1.50(3)e-310");
  EXPECT_EQ(format(0, 1.7e308), "0(17)e+307");
  EXPECT_EQ(format(1e-300, 1.7e308), "0(17)e+307");
  EXPECT_EQ(format(-1.7e308, 2e300), "-1.70000000(2)e+308");
  double const numbers[] = {NAN, INFINITY, -INFINITY, 0, 5e-324, 1e-320, 1e-200, 1, -1e200, 1.7e308};
  for (double const value : numbers)
    for (double const error : numbers)
      EXPECT_LT(format(value, error).size(), 40u) << value << ' ' << error;
}

TEST(Result, RatiosOfSmallAndLargeNumbers) {
  kubature::Result<Kokkos::Array<double, 2>> result;
  result.correlations = {0.5};
  for (double const size : {1e-300, 1.0, 1e300}) {
    result.value = {3 * size, 2 * size};
    result.error = {0.3 * size, 0.1 * size};
    EXPECT_DOUBLE_EQ(result.ratio(0, 1).value, 1.5);
    EXPECT_NEAR(result.ratio(0, 1).error, std::sqrt(0.15 * 0.15 + 0.075 * 0.075 - 0.15 * 0.075), 1e-15);
  }
  result.value[1] = 0;
  EXPECT_EQ(result.ratio(0, 1).value, INFINITY);
  EXPECT_FALSE(std::isfinite(result.ratio(0, 1).error));
  result.error[0] = NAN;
  EXPECT_TRUE(std::isnan(result.ratio(0, 1).error));
  EXPECT_TRUE(std::isnan(result.linear(std::vector<double>{1, 1}).error));
}

TEST(Result, PrintsOneLine) {
  kubature::Result<> result;
  result.value = 0.851314;
  result.error = 0.00004;
  result.status = kubature::Status::converged;
  result.chi2_per_dof = 1.021;
  result.evaluations = 9'000'000;
  result.iterations.resize(9);
  result.seconds = 0.0031;
  std::ostringstream text;
  text << result;
  EXPECT_EQ(text.str(), "0.85131(4)  converged after 9 iterations, chi2/dof 1.02, 9,000,000 evaluations, 3.1 ms");
  result.method = "vegas+";
  result.chi2_per_dof = 1.13e25;
  text.str("");
  text << result;
  EXPECT_NE(text.str().find("chi2/dof 1.1e+25, "), std::string::npos);
  EXPECT_TRUE(text.str().ends_with("3.1 ms by vegas+"));
  result.iterations.resize(1);
  result.evaluations = result.regions = result.non_finite = 1;
  text.str("");
  text << result;
  EXPECT_NE(text.str().find("after 1 iteration, chi2/dof 1.1e+25, 1 evaluation, 1 region, 1 value not finite, "),
            std::string::npos);
}

TEST(Result, WritesCountsAndTimesAsPeopleReadThem) {
  using kubature::detail::text_of_count, kubature::detail::text_of_seconds;
  for (auto const& [n, text] : {std::pair(0ull, "0"),
                                {999ull, "999"},
                                {1000ull, "1,000"},
                                {86064ull, "86,064"},
                                {9'999'999'999ull, "9,999,999,999"},
                                {47'000'000'000ull, "4.7e+10"}})
    EXPECT_EQ(text_of_count(n), text);
  for (auto const& [seconds, text] : {std::pair(1.5e-6, "0.0015 ms"),
                                      {4.51e-3, "4.5 ms"},
                                      {0.0997, "100 ms"},
                                      {0.21, "210 ms"},
                                      {0.58, "0.58 s"},
                                      {0.999, "1.00 s"},
                                      {12.34, "12.3 s"},
                                      {999.0, "999 s"},
                                      {1234.4, "1,234 s"}})
    EXPECT_EQ(text_of_seconds(seconds), text);
}

TEST(Result, PrintsEveryComponent) {
  kubature::Result<Kokkos::Array<double, 2>> result;
  result.value = {1.5, 2.5};
  result.error = {0.2, 0.3};
  result.chi2_per_dof = {0.5, NAN};
  result.non_finite = 7;
  std::ostringstream text;
  text << result;
  EXPECT_EQ(text.str().substr(0, 16), "1.5(2)  2.5(3)  ");
  EXPECT_NE(text.str().find("chi2/dof 0.50"), std::string::npos);
  EXPECT_NE(text.str().find("7 values not finite"), std::string::npos);
}

} // namespace
} // namespace result_test

#pragma once

#include "values_of.hpp"

#include <kubature/automatic.hpp>
#include <kubature/batched.hpp>
#include <kubature/integrate.hpp>
#include <kubature/mixed_precision.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <type_traits>

/// What the tests of values that are not finite share: batches of a function object's values, a fixture that calls all
/// methods, and what to expect of results.
namespace poles {

using namespace kubature;

/// The values of a function object, by a kernel.
template <class Space, int C, int D, class F>
struct Evaluate {
  F f;
  void operator()(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    values_of::evaluate<Space, C, D>("test::poles::evaluate", exec, f, points, values);
  }
};
template <class Space, int D, int C = 1, class F>
auto in_batches(F const& f) {
  return batched<C>(Evaluate<Space, C, D, F>{f});
}

/// In every space.
template <class Space>
class Poles : public ::testing::Test {
protected:
  Space exec;

  template <class F, class Box, class Check>
  void by_sampling(F const& f, Box const& box, Check const& check) {
    auto const call = [&](auto const& method) {
      SCOPED_TRACE(Described<std::remove_cvref_t<decltype(method)>>::type);
      check(integrate(exec, method, f, box, {.relative = 1e-3}, {.evaluations = 2'000'000}));
    };
    call(PlainMonteCarlo{.evaluations = 100'000, .iterations = 10});
    call(MCubes{.evaluations = 50'000});
    call(VegasPlus{.evaluations = 50'000});
    call(QuasiMonteCarlo{.evaluations = 100'000});
    if constexpr (!detail::is_batched<F>)
      call(MixedPrecision<Fp64>{.evaluations = 100'000, .iterations = 10});
  }
  template <class F, class Box, class Check>
  void by_all(F const& f, Box const& box, Check const& check) {
    by_sampling(f, box, check);
    SCOPED_TRACE("cubature");
    check(integrate(exec, Pagani{}, f, box, {.relative = 1e-3}, {.evaluations = 2'000'000}));
    if constexpr (!detail::is_batched<F>)
      check(integrate(exec, TwoPhase{}, f, box, {.relative = 1e-3}, {.evaluations = 2'000'000}));
    check(integrate(exec, Auto{}, f, box, {.relative = 1e-3}, {.evaluations = 2'000'000}));
  }
};

inline bool says(Result<> const& result, std::string const& words) {
  for (auto const& remark : result.remarks)
    if (remark.find(words) != std::string::npos)
      return true;
  return false;
}

/// The integral of exp(2 x) times a normal density.
inline double const product_truth = std::sqrt(2 * std::numbers::pi) * std::exp(2);

/// Found, counted and remarked.
template <int D>
void expect_product(Result<> const& result) {
  double const truth = std::pow(product_truth, D);
  EXPECT_NE(result.status, Status::non_finite) << result;
  EXPECT_LE(std::abs(result.value - truth), 5 * result.error) << result;
  EXPECT_LT(result.error, 0.1 * truth) << result;
  EXPECT_TRUE(result.non_finite == 0 || says(result, "where the integrand has vanished")) << result;
}

} // namespace poles

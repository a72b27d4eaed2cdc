#pragma once

#include "spaces.hpp"

#include <kubature/pagani.hpp>
#include <kubature/two_phase.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

/// What the tests of cubature methods share: integrands with their true values, what to expect of a result, and a
/// fixture.
namespace cubatures {

using namespace kubature;

inline constexpr double f4_truth = 1.79132603674878596e-06, f5_truth = 3.09363588982679e-04; // of 5 variables
inline constexpr double shells_truth = 27.6322385978419831;                                  // TwoPhaseF1<5>

struct Constant {
  double value;
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const&) const {
    return static_cast<Real>(value);
  }
};

/// f times a factor.
template <class F>
struct Scaled {
  F f;
  double factor;
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return static_cast<Real>(factor) * f(x);
  }
};

/// exp(-sum x_i^2).
struct Bell {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    auto square = Real(0);
    for (int i = 0; i < x.size(); ++i)
      square += x[i] * x[i];
    return Kokkos::exp(-square);
  }
};
inline constexpr double bell_truth = 0.746824132812427025; // of one variable over (0, 1)

/// Whether the tolerance was met, with too few evaluations left for second opinions.
inline bool unconfirmed(Result<> const& result) {
  return result.status == Status::evaluation_limit && !result.remarks.empty() &&
         result.remarks.front().starts_with("too few evaluations were left to confirm");
}

/// The true error is at most the estimate, and this is at most the tolerance if the call says that it converged. The
/// true value is itself rounded.
inline void expect_honest(Result<> const& result, double truth, Tolerance tolerance) {
  EXPECT_LE(std::abs(result.value - truth), result.error + 5e-16 * std::abs(truth)) << result;
  EXPECT_EQ(tolerance.met(result.value, result.error), result.status == Status::converged || unconfirmed(result))
      << result;
}

inline void expect_converged(Result<> const& result, double truth, Tolerance tolerance) {
  EXPECT_EQ(result.status, Status::converged) << result;
  expect_honest(result, truth, tolerance);
}

/// The same bits, of the same work.
inline void expect_same_call(Result<> const& a, Result<> const& b) {
  EXPECT_EQ(std::memcmp(&a.value, &b.value, sizeof(double)), 0) << a << '\n' << b;
  EXPECT_EQ(std::memcmp(&a.error, &b.error, sizeof(double)), 0) << a << '\n' << b;
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.evaluations, b.evaluations);
  EXPECT_EQ(a.regions, b.regions);
  EXPECT_EQ(a.iterations.size(), b.iterations.size());
}

/// In every space.
template <class Space>
class Cubatures : public ::testing::Test {
protected:
  Space exec;

  /// Pagani and the two-phase method.
  template <class F, class Box, class Check>
  void with_both(F const& f, Box const& box, Tolerance tolerance, Limits limits, Check const& check) {
    {
      SCOPED_TRACE("pagani");
      check(integrate(exec, Pagani{}, f, box, tolerance, limits));
    }
    SCOPED_TRACE("two-phase");
    check(integrate(exec, kubature::TwoPhase{}, f, box, tolerance, limits));
  }

  template <class F, class Box>
  void expect_both(F const& f, Box const& box, double truth, Tolerance tolerance) {
    with_both(f, box, tolerance, {}, [&](Result<> const& result) { expect_converged(result, truth, tolerance); });
  }
};

} // namespace cubatures

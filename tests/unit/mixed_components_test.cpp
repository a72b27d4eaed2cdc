#include "refused.hpp"
#include "spaces.hpp"

#include <kubature/integrate.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

// Several components in mixed precision; covariances as for other methods: covariance_test.cpp, components_test.cpp.

namespace mixed_components_test {
namespace {

using namespace kubature;

using Mixed = MixedPrecision<Fp64>;

template <class Space>
class MixedComponents : public ::testing::Test {
protected:
  Space exec;
};
TYPED_TEST_SUITE(MixedComponents, spaces::All, spaces::Names);

/// Peaks near two corners of the square, and x + y.
struct TwoPeaks {
  static constexpr double side = 0.05 * 1.7724538509055161; // the integral of exp(-400 t^2)
  KOKKOS_FUNCTION static double peak(Point<double, 2> const& x, double at) {
    return Kokkos::exp(-400 * ((x[0] - at) * (x[0] - at) + (x[1] - at) * (x[1] - at)));
  }
  KOKKOS_FUNCTION Kokkos::Array<double, 3> operator()(Point<double, 2> const& x) const {
    return {peak(x, 0.25), peak(x, 0.75), x[0] + x[1]};
  }
};
constexpr double truths[] = {TwoPeaks::side * TwoPeaks::side, TwoPeaks::side* TwoPeaks::side, 1};

struct FirstPeak {
  KOKKOS_FUNCTION double operator()(Point<double, 2> const& x) const { return TwoPeaks::peak(x, 0.25); }
};

Mixed in_regions(std::uint64_t evaluations, Driver driver = Driver::first) {
  return {.evaluations = evaluations, .strategy = Strategy::region, .covariance = Covariance::full, .driver = driver};
}

/// The points of a single region are those of plain Monte Carlo; chunks differ.
TYPED_TEST(MixedComponents, OfOneRegionAreThoseOfPlainMonteCarlo) {
  auto const mixed =
      integrate(this->exec, Mixed{.evaluations = 10'000, .covariance = Covariance::full}, TwoPeaks{}, Box<2>{});
  PlainMonteCarlo const method{.evaluations = mixed.iterations[0].evaluations, .covariance = Covariance::full};
  auto const plain = integrate(this->exec, method, TwoPeaks{}, Box<2>{});
  EXPECT_EQ(mixed.precision, "adaptive: fp64");
  EXPECT_TRUE(mixed.remarks.empty()) << mixed;
  EXPECT_EQ(mixed.dof, plain.dof);
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(mixed.value[c], plain.value[c], 1e-12 * plain.value[c]);
    EXPECT_NEAR(mixed.error[c], plain.error[c], 1e-12 * plain.error[c]);
    for (int b = 0; b < c; ++b)
      EXPECT_NEAR(mixed.correlation(b, c), plain.correlation(b, c), 1e-12);
  }
}

TYPED_TEST(MixedComponents, OfWhichTheFirstDrivesAreThatOneAlone) {
  auto method = in_regions(20'000);
  method.covariance = Covariance::diagonal; // which combines each by itself
  auto const alone = integrate(this->exec, method, FirstPeak{}, Box<2>{});
  auto const all = integrate(this->exec, method, TwoPeaks{}, Box<2>{});
  EXPECT_EQ(all.evaluations, alone.evaluations);
  EXPECT_NEAR(all.value[0], alone.value, 1e-12 * alone.value);
  EXPECT_NEAR(all.error[0], alone.error, 1e-12 * alone.error);
}

TYPED_TEST(MixedComponents, HaveRegionsWhereTheDriverVaries) {
  auto const run = [&](Driver driver) {
    return integrate(this->exec, in_regions(20'000, driver), TwoPeaks{}, Box<2>{});
  };
  auto const first = run(Driver::first), second = run(component(1)), all = run(Driver::sum_of_magnitudes);
  EXPECT_LT(first.error[0], 0.5 * second.error[0]);
  EXPECT_LT(second.error[1], 0.5 * first.error[1]);
  for (int c = 0; c < 3; ++c) {
    EXPECT_LT(all.error[c], 0.7 * std::max(first.error[c], second.error[c])) << c;
    EXPECT_NEAR(all.value[c], truths[c], 5 * all.error[c]) << c;
  }
  auto const balanced = run(Driver::balanced); // the peaks have 0.8 % of the last one's integral
  for (int c = 0; c < 2; ++c)
    EXPECT_LT(balanced.error[c], 0.9 * all.error[c]) << c;
}

TYPED_TEST(MixedComponents, HaveHonestErrors) {
  constexpr int seeds = 40;
  double squares[5] = {};
  for (int seed = 0; seed < seeds; ++seed) {
    auto method = in_regions(8'000, Driver::sum_of_magnitudes);
    method.regions = 16;
    method.iterations = 4;
    method.seed = static_cast<std::uint64_t>(seed);
    auto const result = integrate(this->exec, method, TwoPeaks{}, Box<2>{});
    auto const add = [&](int k, double value, double error, double truth) {
      squares[k] += (value - truth) * (value - truth) / (error * error);
    };
    for (int c = 0; c < 3; ++c)
      add(c, result.value[c], result.error[c], truths[c]);
    auto const ratio = result.ratio(1, 0), sum = result.sum();
    add(3, ratio.value, ratio.error, 1);
    add(4, sum.value, sum.error, truths[0] + truths[1] + truths[2]);
  }
  for (double const square : squares) // chi^2 of 40 degrees of freedom, 4 of its deviations
    EXPECT_NEAR(square / seeds, 1, 4 * std::sqrt(2.0 / seeds));
}

/// What batched() is given: a kernel that evaluates the peaks.
template <class Space>
struct InBatches {
  struct Kernel {
    BatchPoints<Space> points;
    BatchValues<Space> values;
    KOKKOS_FUNCTION void operator()(std::int64_t k) const {
      Point<double, 2> x;
      x[0] = points(k, 0);
      x[1] = points(k, 1);
      auto const all = TwoPeaks{}(x);
      for (int c = 0; c < 3; ++c)
        values(k, c) = all[c];
    }
  };
  void operator()(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    auto const n = static_cast<std::int64_t>(points.extent(0));
    Kokkos::parallel_for("test::mixed_components::evaluate",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                         Kernel{points, values});
  }
};

template <class Result>
void expect_same_bits(Result const& a, Result const& b) {
  for (int c = 0; c < 3; ++c) {
    EXPECT_EQ(a.value[c], b.value[c]);
    EXPECT_EQ(a.error[c], b.error[c]);
  }
  EXPECT_EQ(a.correlations, b.correlations);
  EXPECT_EQ(a.chi2, b.chi2);
}

TYPED_TEST(MixedComponents, OfBatchesHaveTheBitsOfTheFunctionObject) {
  for (Driver const driver : {component(1), Driver::sum_of_magnitudes}) {
    auto const method = in_regions(20'001, driver);
    expect_same_bits(integrate(this->exec, method, batched<3>(InBatches<TypeParam>{}), Box<2>{}),
                     integrate(this->exec, method, TwoPeaks{}, Box<2>{}));
  }
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(MixedComponentsThreads, TheirNumberDoesNotChangeABit) {
  Kokkos::OpenMP const one(1), two(2);
  if (one.concurrency() != 1 || two.concurrency() != 2)
    GTEST_SKIP() << "instances of this Kokkos share their threads; see the command line's test";
  auto const method = in_regions(20'000, Driver::sum_of_magnitudes);
  expect_same_bits(integrate(two, method, TwoPeaks{}, Box<2>{}), integrate(one, method, TwoPeaks{}, Box<2>{}));
}
#endif

/// The peaks, with NaN as the last component in a corner.
struct BadInACorner {
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(Point<double, 2> const& x) const {
    bool const bad = x[0] < 0.25 && x[1] < 0.25;
    return {1, bad ? Kokkos::Experimental::quiet_NaN_v<double> : 2};
  }
};

TYPED_TEST(MixedComponents, AreAllLeftOutWhereOneIsNotFinite) {
  auto method = in_regions(10'000, component(1));
  EXPECT_EQ(integrate(this->exec, method, BadInACorner{}, Box<2>{}).status, Status::non_finite);
  method.non_finite = NonFinite::discard;
  auto const result = integrate(this->exec, method, BadInACorner{}, Box<2>{});
  EXPECT_GT(result.non_finite, 0u);
  EXPECT_NEAR(result.value[0], 15.0 / 16, 5 * result.error[0] + 1e-12);
  EXPECT_NEAR(result.value[1], 15.0 / 8, 5 * result.error[1] + 1e-12);
}

TYPED_TEST(MixedComponents, EndWhenEachMeetsTheTolerance) {
  auto const result =
      integrate(this->exec, in_regions(20'000, Driver::sum_of_magnitudes), TwoPeaks{}, Box<2>{}, {.relative = 5e-3});
  EXPECT_EQ(result.status, Status::converged) << result;
  for (int c = 0; c < 3; ++c)
    EXPECT_LE(result.error[c], 5e-3 * result.value[c]);
}

TEST(MixedComponentsInput, IsRefusedByNameAndValue) {
  expect_refused([] { integrate(in_regions(1000, component(3)), TwoPeaks{}, Box<2>{}); }, "MixedPrecision.driver", "3");
  expect_refused([] { integrate(Mixed{.driver = component(1)}, FirstPeak{}, Box<2>{}); }, "MixedPrecision.driver", "1");
}

} // namespace
} // namespace mixed_components_test

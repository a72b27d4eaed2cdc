#include "batched.hpp"
#include "refused.hpp"
#include "temporary.hpp"

#include <kubature/detail/audit/audit.hpp>
#include <kubature/detail/normal.hpp>
#include <kubature/detail/quasi_monte_carlo/direction_numbers.hpp>
#include <kubature/detail/sampling/strata.hpp>
#include <kubature/integrate.hpp>
#include <kubature/vegas_map.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <type_traits>
#include <vector>

/// Integrals over up to 1024 variables by the sampling methods.
namespace many_variables_test {
namespace {

using namespace kubature;

enum class Kind { sum, product, gaussian, oscillatory, keister };

/// One type for all integrands: each is compiled with every method.
template <int D>
struct Integrand {
  Kind kind;

  /// Genz's difficulties: their sum, or that of their squares, is the same for all D.
  KOKKOS_FUNCTION static constexpr double frequency(int i) { return 8.0 * (D - i) / (D * (D + 1)); }
  KOKKOS_FUNCTION static constexpr double narrowness(int i) { return 9.0 / D * (1 + i % 3) / 2; }

  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    Real sum = 0, product = 1;
    for (int i = 0; i < D; ++i)
      switch (kind) {
      case Kind::sum:
        sum += x[i];
        break;
      case Kind::product:
        product *= 1 + (x[i] - Real(0.5)) / static_cast<Real>((i + 1) * (i + 1));
        break;
      case Kind::gaussian:
        sum += static_cast<Real>(narrowness(i)) * (x[i] - Real(0.4)) * (x[i] - Real(0.4));
        break;
      case Kind::oscillatory:
        sum += static_cast<Real>(frequency(i)) * x[i];
        break;
      case Kind::keister: {
        auto const z = static_cast<Real>(detail::normal_quantile(static_cast<double>(x[i])));
        sum += z * z / 2;
      }
      }
    return kind == Kind::sum           ? sum
           : kind == Kind::product     ? product
           : kind == Kind::gaussian    ? Kokkos::exp(-sum)
           : kind == Kind::oscillatory ? Kokkos::cos(1 + sum)
                                       : Kokkos::cos(Kokkos::sqrt(sum));
  }

  double value() const {
    double product = 1;
    std::complex<double> waves = std::polar(1.0, 1.0);
    for (int i = 0; i < D; ++i) {
      double const a = std::sqrt(narrowness(i)), c = frequency(i);
      product *= std::sqrt(std::numbers::pi) / (2 * a) * (std::erf(0.6 * a) + std::erf(0.4 * a));
      waves *= (std::polar(1.0, c) - 1.0) / std::complex<double>(0, c);
    }
    return kind == Kind::sum           ? D / 2.0
           : kind == Kind::product     ? 1
           : kind == Kind::gaussian    ? product
           : kind == Kind::oscillatory ? waves.real()
                                       : mean_cosine();
  }

  /// The mean of cos |x| over a normal distribution of variance 1/2, for D variables from those for D - 2: by parts,
  /// from the integrals of r^n cos(r) exp(-r^2) and r^n sin(r) exp(-r^2), in units of those without cosine and sine.
  static double mean_cosine() {
    constexpr double dawson = 0.42443638350202229; // the integral of sin(r) exp(-r^2)
    std::vector<double> cosine{std::exp(-0.25)}, sine{2 * dawson / std::sqrt(std::numbers::pi)};
    for (int n = 1; n < D; ++n) {
      double const g = std::exp(std::lgamma(n / 2.0) - std::lgamma((n + 1) / 2.0)) / 2;
      auto const at = static_cast<std::size_t>(n);
      cosine.push_back((n > 1 ? cosine[at - 2] : 1) - g * sine[at - 1]);
      sine.push_back((n > 1 ? sine[at - 2] : 0) + g * cosine[at - 1]);
    }
    return cosine.back();
  }
};

template <int D, class P = Fp64>
struct Calls {
  std::uint64_t evaluations; ///< in all
  P precision = {};

  template <class Work>
  void each(Integrand<D> const& f, Work const& work, Limits const& limits = {}) const {
    Box<D> const box;
    std::uint64_t const part = evaluations / 10;
    work("plain", integrate(PlainMonteCarlo{.evaluations = part, .precision = precision}, f, box, {}, limits));
    work("m-Cubes",
         integrate(MCubes{.evaluations = part, .iterations = 10, .precision = precision}, f, box, {}, limits));
    work("VEGAS+",
         integrate(VegasPlus{.evaluations = part, .iterations = 10, .precision = precision}, f, box, {}, limits));
    for (auto const rule : {QmcRule::lattice, QmcRule::sobol})
      work(rule == QmcRule::sobol ? "Sobol'" : "lattice",
           integrate(QuasiMonteCarlo{.evaluations = evaluations, .rule = rule, .precision = precision}, f, box, {},
                     limits));
  }

  void expect_honest() const {
    for (auto const kind : {Kind::sum, Kind::product, Kind::gaussian, Kind::oscillatory, Kind::keister}) {
      Integrand<D> const f{kind};
      each(f, [&](char const* method, Result<> const& result) {
        double const rounding = 4 * (std::is_same_v<P, Fp64> ? 0x1p-52 : 0x1p-23) * std::abs(f.value());
        EXPECT_LT(std::abs(result.value - f.value()), 5 * result.error + rounding)
            << method << ", integrand " << static_cast<int>(kind) << ", " << D << " variables: " << result;
        EXPECT_EQ(result.status, Status::completed) << method << result;
      });
    }
  }
};

TEST(ManyVariables, HaveHonestErrors) {
  Calls<64>{50'000}.expect_honest();
  Calls<252>{20'000}.expect_honest();
  Calls<1024>{5'000}.expect_honest();
}

TEST(ManyVariables, HaveHonestErrorsInSinglePrecision) {
  Calls<64, Fp32>{20'000}.expect_honest();
  Calls<252, Fp32>{10'000}.expect_honest();
  Calls<1024, Fp32>{5'000}.expect_honest();
}

TEST(ManyVariables, GiveAValueWithinAThousandEvaluations) {
  Integrand<1024> const f{Kind::product};
  Calls<1024>{1'000'000}.each(f,
                              [&](char const* method, Result<> const& result) {
                                EXPECT_LE(result.evaluations, 1000u) << method;
                                EXPECT_GT(result.error, 0) << method;
                                EXPECT_LT(std::abs(result.value - 1), 5 * result.error) << method << result;
                              },
                              {.evaluations = 1000});
}

/// Errors of as many random points are 17 to 50,000 times larger (docs/many-variables.md).
TEST(ManyVariables, AreForPointsThatAreEven) {
  for (auto const kind : {Kind::product, Kind::gaussian, Kind::oscillatory}) {
    Integrand<252> const f{kind};
    auto const random = integrate(PlainMonteCarlo{.evaluations = 1 << 18, .iterations = 1}, f, Box<252>{});
    for (auto const rule : {QmcRule::lattice, QmcRule::sobol}) {
      auto const even = integrate(QuasiMonteCarlo{.evaluations = 1 << 18, .rule = rule}, f, Box<252>{});
      EXPECT_LT(10 * even.error, random.error) << static_cast<int>(kind);
    }
  }
}

/// Coordinate of point k, from SciPy 1.17.1: qmc.Sobol(1024, scramble=False, bits=32).
TEST(ManyVariables, HaveTheSobolPointsOfJoeAndKuo) {
  struct Known {
    std::uint32_t k, at[6];
  };
  constexpr std::size_t variables[] = {20, 21, 63, 251, 511, 1023};
  auto const numbers = detail::direction_numbers(most_variables);
  for (auto const& [k, at] :
       {Known{3, {0xc0000000, 0x40000000, 0x40000000, 0x40000000, 0x40000000, 0x40000000}},
        Known{100, {0xc2000000, 0x66000000, 0xa6000000, 0xba000000, 0x86000000, 0xf2000000}},
        Known{123456789, {0x3d12aae0, 0x6255e760, 0x40d40920, 0x4fc8a8a0, 0xba62fd20, 0xab7b28a0}}})
    for (std::size_t j = 0; j < 6; ++j) {
      std::uint32_t point = 0, reversed = 0;
      for (unsigned bit = 0; bit < 32; ++bit)
        reversed ^= (k ^ k >> 1) >> bit & 1 ? numbers[variables[j] * 32 + bit] : 0;
      for (unsigned bit = 0; bit < 32; ++bit)
        point |= (reversed >> bit & 1) << (31 - bit);
      EXPECT_EQ(point, at[j]) << k << ", variable " << variables[j] + 1;
    }
  auto const few = detail::direction_numbers(max_dimension);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), numbers.begin()));
}

TEST(ManyVariables, AreCutAlongTheFirstTwenty) {
  detail::Strata<dynamic> const few(20, 10'000'000), many(252, 10'000'000);
  EXPECT_EQ(few.cubes, many.cubes);
  detail::Strata<252> const strata(252, 10'000'000);
  for (int i = 0; i < 252; ++i)
    EXPECT_EQ(strata.counts[detail::axis_place<252>(i)], i < 20 ? few.counts[i] : 1) << i;
  std::vector<double> weights(252);
  weights[3] = weights[100] = 1;
  detail::Strata<dynamic> const along(252, 2'000, weights);
  EXPECT_EQ(along.counts[3], 1000);
  EXPECT_EQ(along.cubes, 1000u);
}

TEST(ManyVariables, AreAuditedAlongTwenty) {
  EXPECT_EQ(detail::examined_axes(3), (std::vector<int>{0, 1, 2}));
  auto const axes = detail::examined_axes(1024);
  EXPECT_EQ(axes.size(), 20u);
  EXPECT_EQ(axes.back(), 19 * 1024 / 20);
}

TEST(ManyVariables, KeepMapsAndCheckpointsInFiles) {
  TemporaryFolder const folder;
  Integrand<64> const f{Kind::gaussian};
  Box<64> const box;
  auto const call = [&](Callback const& callback) {
    VegasPlus const method{.evaluations = 50'000,
                           .iterations = 8,
                           .checkpoint = {.file = folder.path("state"), .seconds = callback ? 0.0 : 1e9}};
    Integrator integrator(Kokkos::DefaultExecutionSpace(), method);
    auto const result = integrator.integrate(f, box, {}, {}, callback);
    integrator.map().save(folder.path("map"));
    return result;
  };
  auto const whole = call({});
  auto const map = VegasMap::load(folder.path("map"));
  EXPECT_EQ(map.axes(), 64);
  EXPECT_GT(map.bins(), 10);
  call([](Progress const& progress) { return progress.iteration < 3; });
  ASSERT_TRUE(folder.has("state"));
  auto const resumed = call({});
  EXPECT_EQ(resumed.value, whole.value);
  EXPECT_EQ(resumed.error, whole.error);
  Integrator next(Kokkos::DefaultExecutionSpace(), VegasPlus{.evaluations = 10'000, .iterations = 2, .skip = 0});
  next.use(map);
  auto const mapped = next.integrate(f, box);
  EXPECT_LT(std::abs(mapped.value - f.value()), 5 * mapped.error);
}

/// Whose values deviate from their mean by 18 times that: the first iterations see little of it.
struct Peak {
  KOKKOS_FUNCTION double operator()(Point<double, 64> const& x) const {
    double sum = 0;
    for (int i = 0; i < 64; ++i)
      sum += (x[i] - 0.4) * (x[i] - 0.4);
    return Kokkos::exp(-4 * sum);
  }
};

TEST(ManyVariables, AreNotMappedByNoise) {
  double const value = std::pow(std::sqrt(std::numbers::pi) / 4 * (std::erf(1.2) + std::erf(0.8)), 64);
  auto const vegas = integrate(VegasPlus{.evaluations = 50'000, .iterations = 10}, Peak{}, Box<64>{});
  auto const cubes = integrate(MCubes{.evaluations = 50'000, .iterations = 10}, Peak{}, Box<64>{});
  for (double const found : {vegas.value, cubes.value})
    EXPECT_NEAR(found / value, 1, 0.5);
}

TEST(ManyVariables, MayBeEvaluatedInBatches) {
  using Space = Kokkos::DefaultExecutionSpace;
  Integrand<64> const f{Kind::product};
  Box<64> const box;
  std::atomic<std::size_t> threads = 0, others = 0;
  std::size_t batches = 0, points = 0;
  for (VegasPlus const method{.evaluations = 4000, .iterations = 4, .skip = 1};
       auto const& other :
       {integrate(method, batched(batches::Evaluate<Space, 1, 64, Integrand<64>>{f, &batches, &points}), box),
        integrate(method, batched(batches::InThreads<Space, 1, 64, Integrand<64>>{f, &threads, &others}), box)}) {
    auto const one = integrate(method, f, box);
    EXPECT_EQ(other.value, one.value);
    EXPECT_EQ(other.error, one.error);
  }
}

TEST(ManyVariables, AreLimitedWhereTheyAreKnownAtRunTime) {
  std::vector<Side> const sides(21, Side{0, 1});
  expect_refused([&] { Box<> const box(sides, 21); }, "dimension", "21");
  EXPECT_EQ(Box<252>(0.0, 2.0)[251].upper, 2);
  expect_refused(
      [] { integrate(QuasiMonteCarlo{.trained_map = QmcMap::rotated}, Integrand<64>{Kind::sum}, Box<64>{}); },
      "QuasiMonteCarlo.trained_map", "rotated");
}

} // namespace
} // namespace many_variables_test

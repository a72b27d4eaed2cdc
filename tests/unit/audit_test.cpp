#include "spaces.hpp"

#include <kubature/detail/audit/audit.hpp>
#include <kubature/detail/audit/audits.hpp>
#include <kubature/detail/audit/tail_shape.hpp>
#include <kubature/detail/normal.hpp>
#include <kubature/detail/policies/call_policy.hpp>
#include <kubature/integrate.hpp>
#include <kubature/mixed_precision.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <vector>

/// What audits find of what samples cannot tell: tails without a variance, and ends that hide a part of the integral.
namespace audit_test {
namespace {

using namespace kubature;
using detail::Audit, detail::tail_shape;

std::vector<double> uniform_numbers(int count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> numbers;
  for (int k = 0; k < count; ++k)
    numbers.push_back((static_cast<double>(random() >> 12) + 0.5) * 0x1p-52);
  return numbers;
}
/// Numbers that exceed v with a chance of v^(-1/k).
std::vector<double> pareto(double k, int count, unsigned seed) {
  auto numbers = uniform_numbers(count, seed);
  for (double& number : numbers)
    number = std::pow(number, -k);
  return numbers;
}

TEST(TailShape, IsThatOfParetosDistribution) {
  for (double const k : {0.3, 0.75}) {
    double sum = 0;
    for (unsigned seed = 1; seed <= 8; ++seed) {
      double const found = tail_shape(pareto(k, 20'000, seed));
      EXPECT_NEAR(found, k, 0.12) << seed; // it is the least of three estimates, one of them from 25 numbers
      sum += found;
    }
    EXPECT_NEAR(sum / 8, k, 0.05);
  }
}

TEST(TailShape, DoesNotDependOnTheUnitOrTheOrder) {
  auto numbers = pareto(0.6, 2000, 3);
  double const shape = tail_shape(numbers);
  std::sort(numbers.begin(), numbers.end());
  EXPECT_DOUBLE_EQ(tail_shape(numbers), shape);
  for (double& number : numbers)
    number *= -0x1p-900;
  EXPECT_DOUBLE_EQ(tail_shape(numbers), shape);
}

TEST(TailShape, IsNegativeWhereNumbersHaveABound) {
  EXPECT_LT(tail_shape(uniform_numbers(2000, 1)), -0.5);
  auto nearly_equal = uniform_numbers(2000, 1);
  for (double& number : nearly_equal)
    number = 1 + 1e-6 * number;
  EXPECT_LT(tail_shape(nearly_equal), 0.1);
}

TEST(TailShape, IsUnknownWithoutFiveThatDiffer) {
  EXPECT_TRUE(std::isnan(tail_shape({})));
  EXPECT_TRUE(std::isnan(tail_shape(pareto(0.6, 24, 1)))); // a fifth is less than five
  EXPECT_FALSE(std::isnan(tail_shape(pareto(0.6, 25, 1))));
  EXPECT_TRUE(std::isnan(tail_shape(std::vector<double>(2000, 3))));
  std::vector<double> peak(2000);
  for (std::size_t k = 0; k < 9; ++k)
    peak[k * 100] = static_cast<double>(k + 1);
  EXPECT_TRUE(std::isnan(tail_shape(peak))); // zero is no threshold
}

/// A few of the points make up all of a narrow peak, and tell nothing of its tail. Where there is an integral, k < 1.
TEST(TailShape, IsUnknownOfAPeakThatFewPointsSee) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    auto const numbers = uniform_numbers(6 * 600, seed);
    std::vector<double> peak;
    for (std::size_t k = 0; k < 600; ++k) {
      double square = 0;
      for (std::size_t i = 0; i < 6; ++i)
        square += (numbers[6 * k + i] - 0.3) * (numbers[6 * k + i] - 0.3);
      peak.push_back(std::exp(-100 * square));
    }
    EXPECT_TRUE(std::isnan(tail_shape(peak))) << seed;
    EXPECT_GT(tail_shape(pareto(0.9, 600, seed)), 0.5) << seed;
  }
}

TEST(TailShape, TakesWhatIsNotFiniteForZero) {
  auto numbers = pareto(0.6, 2000, 1);
  double const shape = tail_shape(numbers);
  numbers.push_back(std::numeric_limits<double>::quiet_NaN());
  numbers.push_back(infinity);
  EXPECT_NEAR(tail_shape(numbers), shape, 0.01);
}

/// The findings for f, a function of a point of the unit cube, among `count` points that are drawn evenly.
template <class F>
Audit::Findings findings(int dimension, F const& f, double samples = 1e5, std::uint64_t count = 4000) {
  Side const unit;
  Box<> const box(std::span(&unit, 1), dimension);
  auto reach = detail::reach_of_rounding(box, detail::CoordinateFormat::of<double>());
  detail::AxisMap const even = [](int, double y, double&) { return y; };
  detail::note_reach(reach, even, samples, 0x1p-53);
  Audit const audit(reach, count, detail::draw_through(even, dimension, count / 2, 1));
  std::vector<double> values;
  auto const d = static_cast<std::size_t>(dimension);
  for (std::size_t k = 0; k < audit.count(); ++k)
    values.push_back(f(std::vector<double>(audit.points().begin() + static_cast<std::ptrdiff_t>(k * d),
                                           audit.points().begin() + static_cast<std::ptrdiff_t>((k + 1) * d))));
  return audit.findings(values, 1, 0);
}
using X = std::vector<double>;

TEST(Audits, FindNothingWhereFIsSmooth) {
  for (int d : {1, 2, 5}) {
    auto const found = findings(d, [](X const& x) {
      double value = 1;
      for (double const t : x)
        value *= std::exp(-3 * t) * (2 + std::cos(5 * t));
      return value;
    });
    EXPECT_EQ(found.rounding.of(1), 0) << d;
    EXPECT_EQ(found.points.of(1), 0) << d;
    EXPECT_FALSE(found.diverges) << d;
    EXPECT_EQ(found.where, "") << d;
    EXPECT_LT(found.k_hat, detail::policy<detail::CallPolicy>().without_variance) << d;
  }
}

/// (1-x)^-0.9, of which e^0.1 lies closer than e to 1: 2.5 % closer than numbers can tell. The integral is 10.
TEST(Audits, FindWhatLiesBeyondTheLastNumbersBeforeAnEnd) {
  auto const found = findings(1, [](X const& x) { return std::pow(1 - x[0], -0.9); });
  double const rounding = 10 * std::pow(0x1p-51, 0.1), points = 10 * std::pow(1e-5, 0.1);
  EXPECT_GT(found.rounding.of(10), rounding / 2);
  EXPECT_LT(found.rounding.of(10), rounding * 2);
  EXPECT_GT(found.points.of(10), points / 2);
  EXPECT_LT(found.points.of(10), points * 2);
  EXPECT_EQ(found.where, "the upper end of side 1");
  EXPECT_FALSE(found.diverges);
  EXPECT_GT(found.k_hat, 0.7);
}

/// Numbers are much closer to 0 than to 1, so that rounding hides nothing there.
TEST(Audits, FindThatZeroIsNoSuchEnd) {
  auto const found = findings(1, [](X const& x) { return std::pow(x[0], -0.9); });
  EXPECT_LT(found.rounding.of(10), 1e-20);
  EXPECT_GT(found.points.of(10), 1);
  EXPECT_EQ(found.where, "the lower end of side 1");
}

/// 1 / x over 1:inf is 1 / (1 - t) in the variable t.
TEST(Audits, FindThatAnIntegralDiverges) {
  EXPECT_TRUE(findings(1, [](X const& t) { return 1 / (1 - t[0]); }).diverges);
  EXPECT_TRUE(findings(2, [](X const& t) { return t[1] / (1 - t[0]); }).diverges);
  EXPECT_FALSE(findings(1, [](X const& t) { return 1 / std::sqrt(1 - t[0]); }).diverges);
}

/// r^-1.9 about a corner: within a distance h of both sides lies h^0.1 of the integral over the unit square.
TEST(Audits, FindAPoleInACorner) {
  auto const pole = [](X const& x) { return std::pow(std::hypot(x[0], x[1]), -1.9); };
  double whole = 0;
  constexpr int steps = 1000;
  for (int k = 0; k < steps; ++k)
    whole += std::pow(std::cos((k + 0.5) / steps * std::numbers::pi / 4), -0.1) * 20 * std::numbers::pi / 4 / steps;
  auto const found = findings(2, pole);
  double const corner = whole * std::pow(1e-5, 0.1);
  EXPECT_GT(found.points.amount, corner / 3);
  EXPECT_LT(found.points.amount, corner * 3);
  EXPECT_EQ(found.where, "the lower end of side 1 and the lower end of side 2");
  EXPECT_FALSE(found.diverges);
  auto const other = findings(2, [&](X const& x) { return pole({x[0], 1 - x[1]}); });
  EXPECT_EQ(other.where, "the lower end of side 1 and the upper end of side 2");
}

/// exp(3 z) of a normal number z has all moments; beyond the last samples lies exp(9/2) Phi(3 - z) of it.
TEST(Audits, FindTheTailOfALogNormalDistribution) {
  auto const found = findings(1, [](X const& x) { return std::exp(3 * detail::normal_quantile(x[0])); }, 1 << 13);
  double const beyond = std::exp(4.5) * detail::normal_probability(3 + detail::normal_quantile(0x1p-13));
  EXPECT_GT(found.points.amount, beyond / 1.5);
  EXPECT_LT(found.points.amount, beyond * 1.5);
  EXPECT_EQ(found.where, "the upper end of side 1");
  EXPECT_FALSE(found.diverges);
}

/// A call pays nothing along most lines but close to their ends. One line to each end is examined.
TEST(Audits, FindNothingWherePayoffsSetInJustBeforeAnEnd) {
  for (int const d : {1, 4, 16})
    for (double const volatility : {0.1, 0.3, 1.0})
      for (double const strike : {0.9, 1.0, 1.1, 1.5})
        for (double const samples : {0x1p14, 0x1p16, 0x1p18}) {
          auto const call = [&](X const& x) {
            double sum = 0;
            for (double const t : x)
              sum += detail::normal_quantile(t);
            return std::max(std::exp(volatility * sum / std::sqrt(d)) - strike, 0.0);
          };
          auto const found = findings(d, call, samples, static_cast<std::uint64_t>(samples / 128));
          EXPECT_LT(found.points.of(1), 1e-3) << d << " " << volatility << " " << strike << " " << samples;
          EXPECT_FALSE(found.diverges) << d << " " << volatility << " " << strike << " " << samples;
        }
}

/// Of poles at the ends of several sides no more is beyond than all.
TEST(Audits, AddSharesAsThoseOfAProduct) {
  auto const found = findings(16, [](X const& x) {
    double product = 1;
    for (double const t : x)
      product *= std::pow(t, -0.9);
    return product;
  });
  EXPECT_NEAR(found.points.share, 1 - std::pow(1 - std::pow(1e-5, 0.1), 16), 0.02);
}

TEST(Audits, WidenErrorsByWhatTheyFind) {
  detail::Audits audits;
  Audit::Findings found;
  EXPECT_EQ(audits.error(0, 2, 0.1), 0.1); // without an audit
  EXPECT_TRUE(std::isnan(audits.k_hat()));
  std::uint64_t asked = 0;
  audits.by([&](std::uint64_t most) {
    asked = most;
    return detail::Audited{most, {found}};
  });
  EXPECT_EQ(audits.audit(1'000'000, 5000), 1000u); // it may take five times as many, which is what is left
  EXPECT_EQ(audits.error(0, 2, 0.1), 0.1);
  EXPECT_TRUE(audits.remarks(0, 2, 0.1).empty());
  EXPECT_EQ(audits.audit(3'999'999, 1'000'000), 0u); // the last one still serves

  found.k_hat = 0.8;
  found.weights = 4096;
  found.points = found.rounding = {.share = 0.01, .amount = 0.001};
  found.where = "the upper end of side 1";
  EXPECT_EQ(audits.audit(4'000'000, 1'000'000), 16'384u);
  EXPECT_EQ(asked, 16'384u);
  EXPECT_EQ(audits.k_hat(), 0.8);
  EXPECT_TRUE(audits.no_variance(0, 0.1));
  found.largest = 1e8; // far more than the error: points are even enough
  EXPECT_EQ(audits.audit(16'000'000, 1'000'000), 16'384u);
  EXPECT_FALSE(audits.no_variance(0, 0.1));
  found.largest = 0;
  EXPECT_EQ(audits.audit(64'000'000, 1'000'000), 16'384u);
  EXPECT_NEAR(audits.error(0, 2, 0.1), 0.1 / 0.4 + 0.02, 1e-12);
  EXPECT_TRUE(audits.out_of_reach(0, 2, 0.019));
  EXPECT_FALSE(audits.out_of_reach(0, 2, 0.021));
  auto const remarks = audits.remarks(0, 2, 0.1);
  ASSERT_EQ(remarks.size(), 2u);
  EXPECT_EQ(remarks[0].find("near the upper end of side 1 up to 0.02"), 0u) << remarks[0];
  EXPECT_NE(remarks[1].find("k-hat 0.80"), std::string::npos) << remarks[1];
}

/// (1-x)^-power.
struct NearOne {
  double power;
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 1> const& x) const {
    return Kokkos::pow(Real(1) - x[0], static_cast<Real>(-power));
  }
};
/// x^-power.
struct Inverse {
  double power;
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 1> const& x) const {
    return Kokkos::pow(x[0], static_cast<Real>(-power));
  }
};
/// |x - 0.3|^-power (1 + y).
struct Within {
  double power;
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    return Kokkos::pow(Kokkos::abs(x[0] - Real(0.3)), static_cast<Real>(-power)) * (1 + x[1]);
  }
};
struct Smooth {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Kokkos::exp(x[0]) * (1 + x[D - 1]);
  }
};

template <class Space>
class AuditedCalls : public ::testing::Test {
protected:
  Space exec;

  /// Calls each sampling method.
  template <class F, class Box, class Check>
  void by_sampling(F const& f, Box const& box, Tolerance tolerance, Check const& check) {
    auto const call = [&](auto const& method) {
      SCOPED_TRACE(Described<std::remove_cvref_t<decltype(method)>>::type);
      check(integrate(exec, method, f, box, tolerance, {.evaluations = 3'000'000}));
    };
    call(PlainMonteCarlo{.evaluations = 100'000, .iterations = 20});
    call(MCubes{.evaluations = 100'000});
    call(VegasPlus{.evaluations = 100'000});
    call(QuasiMonteCarlo{.evaluations = 100'000});
  }
  static std::string text(Result<> const& result) {
    std::string all;
    for (auto const& remark : result.remarks)
      all += remark + "\n";
    return all;
  }
};
TYPED_TEST_SUITE(AuditedCalls, spaces::All, spaces::Names);

TYPED_TEST(AuditedCalls, SmoothIntegrandsAreLeftAlone) {
  this->by_sampling(Smooth{}, Box<2>{}, {.relative = 1e-3}, [](Result<> const& result) {
    EXPECT_EQ(result.status, Status::converged) << result;
    EXPECT_LT(result.k_hat, 0.5) << result;
    EXPECT_LE(std::abs(result.value - 1.5 * (std::numbers::e - 1)), 5 * result.error) << result;
  });
  auto const cubature = integrate(this->exec, Pagani{}, Smooth{}, Box<2>{}, {.relative = 1e-3});
  EXPECT_TRUE(std::isnan(cubature.k_hat));
}

/// About one evaluation in 128.
TYPED_TEST(AuditedCalls, CallsCountTheirAudit) {
  auto const result =
      integrate(this->exec, PlainMonteCarlo{.evaluations = 10'000, .iterations = 10}, Smooth{}, Box<2>{});
  EXPECT_GT(result.evaluations, 100'000u);
  EXPECT_LE(result.evaluations, 101'600u);
  auto const limited = integrate(this->exec, PlainMonteCarlo{.evaluations = 10'000, .iterations = 10}, Smooth{},
                                 Box<2>{}, {}, {.evaluations = 100'000});
  EXPECT_LE(limited.evaluations, 100'000u);
}

/// What rounding hides exceeds the tolerance by far.
TYPED_TEST(AuditedCalls, NothingConvergesBelowWhatAnEndHides) {
  this->by_sampling(NearOne{0.9}, Box<1>{}, {.relative = 1e-3}, [](Result<> const& result) {
    EXPECT_NE(result.status, Status::converged) << result;
    EXPECT_LE(std::abs(result.value - 10), 3 * result.error) << result;
  });
  auto const lattices = integrate(this->exec, QuasiMonteCarlo{}, NearOne{0.9}, Box<1>{}, {.relative = 1e-3});
  EXPECT_EQ(lattices.status, Status::precision_limit) << lattices;
  EXPECT_NE(this->text(lattices).find("near the upper end of side 1"), std::string::npos) << lattices;
}

TYPED_TEST(AuditedCalls, DivergentIntegralsDoNotConverge) {
  auto const check = [](Result<> const& result) { EXPECT_NE(result.status, Status::converged) << result; };
  this->by_sampling(Inverse{1}, Box<1>{{1, infinity}}, {.relative = 1e-2}, check);
  this->by_sampling(Inverse{1}, Box<1>{}, {.relative = 1e-2}, check);
  auto const plain = integrate(this->exec, PlainMonteCarlo{.evaluations = 100'000, .iterations = 10}, Inverse{1},
                               Box<1>{{1, infinity}}, {.relative = 1e-2});
  EXPECT_NE(this->text(plain).find("hardly exists, if at all"), std::string::npos) << plain;
}

/// Plain samples of |x - 0.3|^-0.75 have no variance: k is 0.75.
TYPED_TEST(AuditedCalls, AVarianceThatDoesNotExistIsSaid) {
  double const truth = 1.5 * 4 * (std::pow(0.3, 0.25) + std::pow(0.7, 0.25));
  auto const result = integrate(this->exec, PlainMonteCarlo{.evaluations = 100'000, .iterations = 10}, Within{0.75},
                                Box<2>{}, {.relative = 1e-6});
  EXPECT_NE(result.status, Status::converged) << result;
  EXPECT_NEAR(result.k_hat, 0.75, 0.25) << result;
  EXPECT_LE(std::abs(result.value - truth), 5 * result.error) << result;
  auto const loose = integrate(this->exec, PlainMonteCarlo{.evaluations = 100'000, .iterations = 10}, Within{0.25},
                               Box<2>{}, {.relative = 1e-3});
  EXPECT_EQ(loose.status, Status::converged) << loose;
  EXPECT_LT(loose.k_hat, 0.5) << loose;
}

} // namespace
} // namespace audit_test

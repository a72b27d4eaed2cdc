#include "spaces.hpp"
#include "temporary.hpp"

#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace adaptive_test {
namespace {

using namespace kubature;

/// The policy `adaptive` from call to call, and where fp32 fails.
template <class Space>
class AdaptiveCalls : public ::testing::Test {
protected:
  Space exec;
  TemporaryFolder folder;
  suite::F3<3> f;
  static constexpr double truth = 0.010846560846560847;

  auto method(double seconds = 0) const {
    return VegasPlus<Adaptive>{
        .evaluations = 20'000, .precision = adaptive, .checkpoint = {.file = folder.path("state"), .seconds = seconds}};
  }
  Result<> run(double relative, int stop, Limits const& limits = {}) const {
    return integrate(exec, method(), f, Box<3>{}, {.relative = relative}, limits,
                     [=](Progress const& at) { return at.iteration < stop; });
  }
};
TYPED_TEST_SUITE(AdaptiveCalls, spaces::All, spaces::Names);

TYPED_TEST(AdaptiveCalls, GoOnToTheSameBits) {
  auto const whole = integrate(this->exec, VegasPlus<Adaptive>{.evaluations = 20'000, .precision = adaptive}, this->f,
                               Box<3>{}, {.relative = 1e-4});
  ASSERT_EQ(whole.precision, "adaptive: fp32");
  ASSERT_GT(whole.iterations.size(), 3u);
  EXPECT_EQ(this->run(1e-4, 2).status, Status::stopped);
  auto const resumed = this->run(1e-4, 1000);
  EXPECT_EQ(resumed.status, Status::converged);
  EXPECT_EQ(resumed.value, whole.value);
  EXPECT_EQ(resumed.error, whole.error);
  EXPECT_EQ(resumed.iterations.size(), whole.iterations.size());
  EXPECT_FALSE(this->folder.has("state"));
}

TYPED_TEST(AdaptiveCalls, GoOnWithATighterToleranceInFp64) {
  auto const loose = this->run(1e-4, 3);
  EXPECT_EQ(loose.precision, "adaptive: fp32");
  auto const tight = this->run(1e-12, 4); // in fp32 nothing of that would be left
  EXPECT_EQ(tight.status, Status::stopped);
  EXPECT_EQ(tight.precision, "adaptive: fp64");
  ASSERT_EQ(tight.iterations.size(), 4u); // the others were for training
  EXPECT_TRUE(tight.iterations[0].included);
  EXPECT_NEAR(tight.iterations[0].value, this->truth, 5 * tight.iterations[0].error);
  EXPECT_LT(tight.iterations[0].error, 2 * loose.iterations.back().error); // with a trained map
  std::uint64_t own = 0;
  for (auto const& iteration : tight.iterations)
    own += iteration.evaluations;
  EXPECT_GE(tight.evaluations, loose.evaluations + own);
  ASSERT_EQ(tight.remarks.size(), 1u);
  EXPECT_NE(tight.remarks[0].find("fp32"), std::string::npos);

  // What is recorded in fp64 stays in fp64.
  auto const again = this->run(1e-4, 1000);
  EXPECT_EQ(again.precision, "adaptive: fp64");
  EXPECT_EQ(again.status, Status::converged);
  EXPECT_EQ(again.iterations[3].value, tight.iterations[3].value);
  EXPECT_FALSE(this->folder.has("state"));
}

TYPED_TEST(AdaptiveCalls, OfAnotherPolicyAreRefused) {
  this->run(1e-4, 3);
  VegasPlus<Fp32> const single{
      .evaluations = 20'000, .precision = fp32, .checkpoint = {.file = this->folder.path("state")}};
  EXPECT_THROW(integrate(this->exec, single, this->f, Box<3>{}), InvalidArgument);
}

/// In fp32 it is NaN at about one point in a hundred thousand; in fp64 it is 1 there.
struct TooLargeForSingles {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    bool const rare = x[0] > Real(0.997) && x[1] > Real(0.997);
    Real const large = rare ? Real(1e30) : Real(1);
    return rare ? large * large / (large * large) : Real(1);
  }
};

TYPED_TEST(AdaptiveCalls, TryAgainInFp64WhatIsNotFiniteInFp32) {
  PlainMonteCarlo<Adaptive> const method{.evaluations = 20'000, .iterations = 60, .precision = adaptive};
  auto const single =
      integrate(this->exec, PlainMonteCarlo<Fp32>{.evaluations = 20'000, .iterations = 60, .precision = fp32},
                TooLargeForSingles{}, Box<2>{});
  ASSERT_EQ(single.status, Status::non_finite);
  ASSERT_GT(single.iterations.size(), 3u);
  std::vector<Progress> seen;
  auto const result = integrate(this->exec, method, TooLargeForSingles{}, Box<2>{}, {}, {}, [&](Progress const& at) {
    seen.push_back(at);
    return true;
  });
  EXPECT_EQ(result.precision, "adaptive: fp64");
  EXPECT_EQ(result.status, Status::completed);
  EXPECT_EQ(result.value, 1);
  auto const tried = single.iterations.size();
  ASSERT_EQ(result.iterations.size(), tried + 60);
  for (std::size_t i = 0; i < result.iterations.size(); ++i)
    EXPECT_EQ(result.iterations[i].included, i >= tried);
  EXPECT_GT(result.evaluations, single.evaluations + 60u * 20'000);
  EXPECT_TRUE(std::ranges::any_of(result.remarks, [](auto& text) { return text.find("fp64") != text.npos; }));
  EXPECT_TRUE(std::ranges::is_sorted(seen, {}, &Progress::iteration));
  EXPECT_TRUE(std::ranges::is_sorted(seen, {}, &Progress::evaluations));
  EXPECT_TRUE(std::ranges::is_sorted(seen, {}, &Progress::seconds));

  // Both together keep to the limit on iterations.
  auto const limited =
      integrate(this->exec, method, TooLargeForSingles{}, Box<2>{}, {}, {.iterations = static_cast<int>(tried) + 2});
  EXPECT_EQ(limited.status, Status::iteration_limit);
  EXPECT_EQ(limited.iterations.size(), tried + 2);
}

TYPED_TEST(AdaptiveCalls, ShareTheTimeBetweenBothTries) {
  constexpr double nap = 0.05;
  auto const sleep = [=](Progress const&) {
    std::this_thread::sleep_for(std::chrono::duration<double>(nap));
    return true;
  };
  PlainMonteCarlo<Adaptive> const method{.evaluations = 20'000, .iterations = 60, .precision = adaptive};
  auto const tried =
      integrate(this->exec, PlainMonteCarlo<Fp32>{.evaluations = 20'000, .iterations = 60, .precision = fp32},
                TooLargeForSingles{}, Box<2>{})
          .iterations.size();
  integrate(this->exec, method, TooLargeForSingles{}, Box<2>{}); // first calls load kernels
  double const limit = nap * static_cast<double>(tried) + 2.5 * nap;
  auto const start = std::chrono::steady_clock::now();
  auto const result = integrate(this->exec, method, TooLargeForSingles{}, Box<2>{}, {}, {.seconds = limit}, sleep);
  std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(result.status, Status::time_limit);
  EXPECT_EQ(result.precision, "adaptive: fp64");
  EXPECT_LE(result.iterations.size(), tried + 6); // the remaining time allows three naps, not as many again
  EXPECT_NEAR(result.seconds, taken.count(), 0.01 + 0.1 * taken.count());
}

} // namespace
} // namespace adaptive_test

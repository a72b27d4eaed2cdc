#include "domains.hpp"

namespace domains_test {

TEST(Domains, EveryMethodServesThem) {
  Ball<2> const disc;
  auto const within = [&](auto const& method) {
    auto const result = integrate(method, squares, disc, {.relative = 1e-3}, {.evaluations = 10'000'000});
    EXPECT_EQ(result.status, Status::converged) << result.method;
    EXPECT_NEAR(result.value, pi / 2, 6 * result.error + 1e-12) << result.method;
  };
  within(PlainMonteCarlo<>{});
  within(MCubes<>{});
  within(VegasPlus<>{});
  within(QuasiMonteCarlo<>{});
  within(Pagani<>{});
  within(TwoPhase<>{});
  within(MixedPrecision<Fp32>{});
  within(VegasPlus<Fp32>{});
  within(Pagani<Fp32>{});
}

} // namespace domains_test

#include "cubatures.hpp"

#include <cmath>

namespace cubature_every_rule_test {
namespace {

using namespace kubature;
using namespace cubatures;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

TYPED_TEST(Cubatures, EveryRuleCanBeChosen) {
  auto const check = [&](Rule rule, auto const& box) {
    SCOPED_TRACE(to_string(rule));
    int const d = box.dimension();
    double const truth = std::pow(bell_truth, d);
    // Those of the rule, and of second opinions: up to 12 d for each remaining region, which are half of all; and a few
    // rounds of a search for poles.
    auto const expect_evaluations = [&](Result<> const& result) {
      auto const points = CubatureRule(rule, d).points();
      EXPECT_GE(result.evaluations, result.regions * points);
      EXPECT_LE(result.evaluations, result.regions * (points + 12 * static_cast<unsigned>(d)) + (d > 1 ? 2000 : 0));
    };
    for (double const relative : {1e-3, 1e-6, 1e-9}) {
      auto const by_pagani =
          integrate(this->exec, Pagani{.rule = rule, .close_look = false, .channels = Channels::never}, Bell{}, box,
                    {.relative = relative});
      expect_converged(by_pagani, truth, {.relative = relative});
      expect_evaluations(by_pagani);
      auto const by_two_phase =
          integrate(this->exec, kubature::TwoPhase{.rule = rule, .close_look = false, .channels = Channels::never},
                    Bell{}, box, {.relative = relative});
      expect_converged(by_two_phase, truth, {.relative = relative});
      expect_evaluations(by_two_phase);
    }
  };
  for (Rule const rule : {Rule::automatic, Rule::degree_7, Rule::degree_9}) {
    check(rule, Box<2>{});
    check(rule, Box<3>{});
    check(rule, Box<4>{});
  }
  check(Rule::automatic, Box<1>{});
  check(Rule::gauss_kronrod, Box<1>{});
  check(Rule::degree_11, Box<3>{});
  check(Rule::degree_13, Box<2>{});
}

} // namespace
} // namespace cubature_every_rule_test

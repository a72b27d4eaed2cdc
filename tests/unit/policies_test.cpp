#include <kubature/detail/policies/auto_policy.hpp>
#include <kubature/detail/policies/call_policy.hpp>
#include <kubature/detail/policies/cubature_policy.hpp>
#include <kubature/detail/policies/qmc_policy.hpp>
#include <kubature/detail/policies/vegas_policy.hpp>
#include <kubature/detail/quasi_monte_carlo/map_choice.hpp>
#include <kubature/detail/quasi_monte_carlo/qmc_stream_id.hpp>
#include <kubature/detail/vegas_plus/training.hpp>
#include <kubature/error.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

/// The constants by which methods decide: what is known of each, and that they can be set.
namespace policies_test {
namespace {

using namespace kubature;
using namespace kubature::detail;

class Policies : public testing::Test {
protected:
  void TearDown() override { restore_policies(); }

  static std::string refusal(std::string const& assignments) {
    try {
      set_policies(assignments);
    } catch (InvalidArgument const& refused) {
      return refused.what();
    }
    return {};
  }
};

TEST_F(Policies, NameEachConstantOnceWithASectionAndAStudy) {
  std::set<std::string> names;
  for (auto const& one : policy_constants()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_EQ(one.value, one.initial) << one.name;
    EXPECT_TRUE(one.docs.starts_with("docs/") && one.docs.find(".md#") != std::string::npos) << one.name;
    EXPECT_FALSE(one.study.empty()) << one.name;
  }
  EXPECT_GT(names.size(), 200u);
}

TEST_F(Policies, AreListedByTheirNameOrAMethod) {
  EXPECT_EQ(policy_constants("vegas").size(), policy_constants("vegas+").size());
  EXPECT_EQ(policy_constants("pagani").front().name, policy_constants("two-phase").front().name);
  for (auto const& one : policy_constants("qmc"))
    EXPECT_TRUE(one.name.starts_with("qmc.")) << one.name;
  for (std::string const of : {"auto", "call", "cubature", "precision", "qmc", "vegas"})
    EXPECT_TRUE(policy_constants(of).front().name.starts_with(of + '.'));
  EXPECT_THROW(policy_constants("vega"), InvalidArgument);
}

TEST_F(Policies, AcceptEachDefaultAgain) {
  for (auto const& one : policy_constants())
    EXPECT_NO_THROW(set_policy(one.name, one.value)) << one.name;
  for (auto const& one : policy_constants())
    EXPECT_EQ(one.value, one.initial) << one.name;
}

TEST_F(Policies, AreSetAndRestored) {
  set_policies("qmc.most_retrained=3,cubature.worth_refining=0.125");
  set_policy("vegas.few_bins", 250);
  set_policy("auto.cubature_first", "false");
  EXPECT_EQ(policy<QmcPolicy>().most_retrained, 3);
  EXPECT_EQ(policy<CubaturePolicy>().worth_refining, 0.125);
  EXPECT_EQ(policy<VegasPolicy>().few_bins, 250);
  EXPECT_FALSE(auto_policy(false).cubature_first || auto_policy(true).cubature_first);
  restore_policies();
  EXPECT_EQ(policy<QmcPolicy>().most_retrained, QmcPolicy().most_retrained);
  EXPECT_EQ(policy<CubaturePolicy>().worth_refining, CubaturePolicy().worth_refining);
  EXPECT_EQ(policy<VegasPolicy>().few_bins, VegasPolicy().few_bins);
  EXPECT_TRUE(auto_policy(false).cubature_first);
  EXPECT_FALSE(auto_policy(true).cubature_first);
}

TEST_F(Policies, RefuseWhatIsWrongInASentence) {
  EXPECT_EQ(refusal("qmc.most_retraine=1"),
            "qmc.most_retraine = 1: there is no such constant; `kubature policies` lists all of them");
  EXPECT_EQ(refusal("qmc.most_retrained=4"), "qmc.most_retrained = 4: must be a whole number from 0 to 3");
  EXPECT_EQ(refusal("qmc.most_retrained=1.5"), "qmc.most_retrained = 1.5: must be a whole number from 0 to 3");
  EXPECT_EQ(refusal("qmc.overlooked=nan"), "qmc.overlooked = nan: must be a number not below 0");
  EXPECT_EQ(refusal("auto.cubature_first=maybe"), "auto.cubature_first = maybe: must be true or false");
  EXPECT_EQ(refusal("call.audit_part=many"),
            "call.audit_part = many: must be a whole number from 1 to 9007199254740992");
  EXPECT_EQ(refusal("qmc.most_retrained"), "qmc.most_retrained = : must be NAME=VALUE, as in qmc.most_retrained=3");
}

TEST_F(Policies, AreSetTogetherOrNotAtAll) {
  EXPECT_NE(refusal("qmc.most_retrained=1,qmc.nonsense=2"), "");
  EXPECT_EQ(policy<QmcPolicy>().most_retrained, 2);
}

TEST_F(Policies, ChangeWhatIsDecided) {
  EXPECT_EQ(wanted_bins(0, 99'999), 500);
  set_policy("vegas.samples_to_learn_fast", 50'000);
  EXPECT_EQ(wanted_bins(0, 99'999), 1000);

  MapChoice choice;
  choice.trials[MapChoice::trained] = {1, 1e-3, 1, 0.01, true};
  choice.trials[MapChoice::none] = {1, 2.5e-3, 1.5, 0.01, true};
  EXPECT_EQ(choice.best(), MapChoice::trained);
  set_policy("qmc.prefer_none", 3);
  EXPECT_EQ(choice.best(), MapChoice::none);
}

TEST(QmcStreamIds, DifferForEachCallMapAndPurpose) {
  std::set<std::uint32_t> numbers;
  for (std::uint32_t const call : {0u, 1u, QmcStreamId::most_call})
    for (std::uint32_t map = 0; map <= QmcStreamId::most_map; ++map)
      for (std::uint32_t purpose = 0; purpose < QmcStreamId::purposes; ++purpose)
        EXPECT_TRUE(numbers.insert(QmcStreamId{call, map, QmcStreamId::Purpose(purpose)}.number()).second);
  EXPECT_EQ((QmcStreamId{5, 2, QmcStreamId::differences}.number()), 5u | 2u << 28 | 3u << 30);
  EXPECT_EQ((QmcStreamId{QmcStreamId::most_call + 1, 0, QmcStreamId::points}.number()), 0u);
}

} // namespace
} // namespace policies_test

#include <kubature/runtime/names.hpp>
#include <kubature/runtime/options.hpp>
#include <kubature/runtime/settings.hpp>
#include <kubature/unnamed_variables.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace likely_names_test {
namespace {

using namespace kubature;
using runtime::likely, runtime::Settings;
using Names = std::vector<std::string_view>;

TEST(LikelyNames, OfMisspeltOnes) {
  Names const known{"relative", "absolute", "error_norm", "max_evaluations", "evaluations", "seed", "bins"};
  for (auto const& [name, meant] : {std::pair("reltive", "relative"),
                                    {"Relative", "relative"},
                                    {"relatvie", "relative"},
                                    {"evalutions", "evaluations"},
                                    {"error-norm", "error_norm"},
                                    {"sed", "seed"},
                                    {"max_eval", "max_evaluations"},
                                    {"abs", "absolute"},
                                    {"bims", "bins"},
                                    {"--seeds", "seed"},
                                    {"zzz", ""},
                                    {"x", ""},
                                    {"", ""},
                                    {"covariance", ""}})
    EXPECT_EQ(likely(name, known), meant) << name;
}

TEST(LikelyNames, OfOthers) {
  Names const known{"relative", "absolute", "evaluations", "vegas+", "pagani"};
  for (auto const& [name, meant] : {std::pair("epsrel", "relative"),
                                    {"rtol", "relative"},
                                    {"atol", "absolute"},
                                    {"neval", "evaluations"},
                                    {"vegas", "vegas+"},
                                    {"Cuhre", "pagani"},
                                    {"timeout", ""}})
    EXPECT_EQ(likely(name, known), meant) << name;
}

/// Whatever others call an option, it is not what something of ours is called.
TEST(LikelyNames, OfOursAreThemselves) {
  Names all;
  for (auto const& option : runtime::options())
    all.push_back(option.name);
  for (auto const& method : runtime::methods())
    all.push_back(method.name);
  for (auto const name : all)
    EXPECT_EQ(likely(name, all), name);
}

TEST(LikelyNames, AreInMessages) {
  auto const sentence = [](auto const& work) -> std::string {
    try {
      work();
    } catch (InvalidArgument const& refused) {
      return refused.problem();
    }
    return "accepted";
  };
  auto const of_option = sentence([] { Settings("mc").set("epsrel", 1); });
  EXPECT_EQ(of_option.find("mc has no such option; did you mean relative? Its options are relative, absolute, "), 0u);
  EXPECT_EQ(of_option.find("rule"), std::string::npos);
  EXPECT_EQ(sentence([] { Settings("mc").set("zzz", 1); }).find("mc has no such option; its options are relative, "),
            0u);
  EXPECT_EQ(sentence([] { Settings("mc").set("rule", 7); }),
            "mc has no such option; methods that have it: qmc, pagani, two-phase");
  EXPECT_EQ(sentence([] { Settings("cuhre"); }).find("no such method; did you mean pagani? The methods are vegas+, "),
            0u);
  EXPECT_EQ(sentence([] { Settings("mc", "float"); }).find("no such precision; did you mean fp32? The "), 0u);
}

TEST(Defaults, OfAuto) {
  constexpr double none = std::numeric_limits<double>::infinity();
  auto const expect = [](Settings const& settings, double relative, double seconds) {
    EXPECT_EQ(settings.tolerance().relative, relative);
    EXPECT_EQ(settings.limits().seconds, seconds);
  };
  expect(Settings("auto"), 1e-6, 10);
  expect(Settings("auto").set("seed", 3), 1e-6, 10);
  expect(Settings("auto").set("relative", 1e-3), 1e-3, none);
  expect(Settings("auto").set("absolute", 1e-3), 0, none);
  expect(Settings("auto").set("relative", 0), 0, none);
  expect(Settings("auto").set("seconds", 3), 1e-6, 3);
  expect(Settings("auto").set("evaluations", 1e5), 1e-6, none);
  expect(Settings("pagani"), 0, none);
  EXPECT_TRUE(Settings("auto").set("seconds", 3).own_tolerance());
  EXPECT_FALSE(Settings("auto").set("absolute", 3).own_tolerance() || Settings("pagani").own_tolerance());
}

TEST(UnnamedVariables, GoOnAsTheFirst) {
  using Variables = std::vector<std::string>;
  EXPECT_EQ(unnamed_variables({"x"}, 3), (Variables{"x", "y", "z"}));
  EXPECT_EQ(unnamed_variables({"x", "y"}, 3), (Variables{"x", "y", "z"}));
  EXPECT_EQ(unnamed_variables({"x1"}, 3), (Variables{"x1", "x2", "x3"}));
  EXPECT_EQ(unnamed_variables({}, 2), (Variables{"x1", "x2"}));
  EXPECT_EQ(unnamed_variables({"x", "y"}, 2), (Variables{"x", "y"}));
  EXPECT_EQ(unnamed_variables({"x", "y"}, 9)[8], "x9");
}

} // namespace
} // namespace likely_names_test

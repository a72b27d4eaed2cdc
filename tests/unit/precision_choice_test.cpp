#include "refused.hpp"
#include "spaces.hpp"

#include <kubature/expression.hpp>
#include <kubature/precision_selection.hpp>
#include <kubature/suite/mixed.hpp>

#include <cmath>
#include <sstream>

namespace precision_choice_test {
namespace {

using namespace kubature;

// ---- the paper's prediction ----------------------------------------------------------------------------------

TEST(PredictedError, IsThePapersFormula) {
  PrecisionChoice seen;
  seen.average = 3;
  seen.variance = 4;
  seen.gradient = 5;
  seen.operations = 9;
  EXPECT_DOUBLE_EQ(predicted_error(Format::binary32, seen), 0x1p-23 * (3 * 5 * 3 + 2));
  EXPECT_DOUBLE_EQ(predicted_error(Format::binary16, seen), 0x1p-10 * (3 * 5 * 3 + 2));
  EXPECT_DOUBLE_EQ(predicted_error(Format::binary64, seen), 0x1p-52 * (3 * 5 * 3 + 2));
  EXPECT_EQ(predicted_format(seen, 1), Format::binary16);
  EXPECT_EQ(predicted_format(seen, 1e-3), Format::binary32);
  EXPECT_EQ(predicted_format(seen, 1e-8), Format::binary64);
  EXPECT_EQ(predicted_format(seen, 0), Format::binary64);
}

TEST(PredictedError, HasFloors) {
  PrecisionChoice seen;
  seen.operations = 1;
  EXPECT_DOUBLE_EQ(predicted_error(Format::binary32, seen), 0x1p-23 * 1e-10);
}

// ---- how formats are chosen from what was seen ---------------------------------------------------------------

PrecisionChoice seen(double half, double single, int operations = 10, double share = 1) {
  PrecisionChoice choice;
  choice.share = share;
  choice.operations = operations;
  choice.bound = {half, single, 0};
  return choice;
}

std::vector<Format> chosen(std::vector<PrecisionChoice> choices, double tolerance,
                           detail::FormatCosts costs = {{1, 2, 4}}) {
  detail::choose_formats(choices, tolerance, costs);
  std::vector<Format> formats;
  for (auto const& choice : choices)
    formats.push_back(choice.format);
  return formats;
}

constexpr auto b16 = Format::binary16, b32 = Format::binary32, b64 = Format::binary64;
using Formats = std::vector<Format>;

TEST(ChooseFormats, TakesTheCheapestWithinTheTolerance) {
  EXPECT_EQ(chosen({seen(1e-3, 1e-7)}, 1e-2), Formats{b16});
  EXPECT_EQ(chosen({seen(1e-3, 1e-7)}, 1e-3), Formats{b16});
  EXPECT_EQ(chosen({seen(1e-3, 1e-7)}, 1e-4), Formats{b32});
  EXPECT_EQ(chosen({seen(1e-3, 1e-7)}, 1e-8), Formats{b64});
  EXPECT_EQ(chosen({seen(0, 0)}, 0), Formats{b16});
}

TEST(ChooseFormats, LeavesOutWhatCostsNoLessOrMayNotBeOrFailed) {
  double const nan = std::nan("");
  EXPECT_EQ(chosen({seen(1e-3, 1e-7)}, 1e-2, {{2, 2, 4}}), Formats{b32});
  EXPECT_EQ(chosen({seen(1e-3, 1e-7)}, 1e-2, {{4, 4, 4}}), Formats{b64});
  EXPECT_EQ(chosen({seen(1e-3, 1e-7)}, 1e-2, {{1, 2, 4}, b32}), Formats{b32});
  EXPECT_EQ(chosen({seen(1e-3, 1e-7)}, 1e-2, {{1, 2, 4}, b64}), Formats{b64});
  EXPECT_EQ(chosen({seen(nan, 1e-7)}, 1e-2), Formats{b32});
  EXPECT_EQ(chosen({seen(infinity, infinity)}, 1e-2), Formats{b64});
  EXPECT_EQ(chosen({seen(1e-3, infinity)}, 1e-2), Formats{b16});
}

TEST(ChooseFormats, SharesTheToleranceAmongTheParts) {
  // Two of three fit, those first that round least.
  EXPECT_EQ(chosen({seen(1, 6e-7), seen(1, 5e-7), seen(1, 4e-7)}, 1e-6), (Formats{b64, b32, b32}));
  // Regions are weighted by their volumes.
  EXPECT_EQ(chosen({seen(1, 9e-7, 10, 0.5), seen(1, 1e-6, 10, 0.5)}, 1e-6), (Formats{b32, b32}));
  // What costs more operations goes first.
  EXPECT_EQ(chosen({seen(1, 8e-7, 10), seen(1, 9e-7, 100)}, 1e-6), (Formats{b64, b32}));
  // A small region's own error stays within the tolerance, too.
  EXPECT_EQ(chosen({seen(1, 2e-6, 10, 0.01), seen(1, 1e-8, 10, 0.99)}, 1e-6), (Formats{b64, b32}));
}

TEST(ChooseFormats, SparesWhatDoesNotPay) {
  auto const left = [](std::vector<PrecisionChoice> choices, std::size_t parts, double overhead, bool spared) {
    detail::FormatCosts const costs{{1, 2, 4}};
    detail::choose_formats(choices, 1e-6, costs);
    EXPECT_EQ(detail::spare(choices, parts, costs, overhead), spared);
    std::vector<Format> formats;
    for (auto const& choice : choices)
      formats.push_back(choice.format);
    return formats;
  };
  auto const low = seen(1, 1e-9, 30), high = seen(1, 1, 10), heavy = seen(1, 1, 1000);
  EXPECT_EQ(left({low, high}, 2, 0, false), (Formats{b32, b64}));
  EXPECT_EQ(left({low, high}, 2, 6, false), (Formats{b32, b64}));   // 60 + 40 + 48 of 160
  EXPECT_EQ(left({low, high}, 2, 6.6, true), (Formats{b64, b64}));  // 60 + 40 + 53
  EXPECT_EQ(left({low, low}, 2, 1000, false), (Formats{b32, b32})); // nothing is mixed
  EXPECT_EQ(left({low, heavy}, 2, 0, true), (Formats{b64, b64}));
  EXPECT_EQ(left({low, heavy}, 1, 0, false), (Formats{b32, b64})); // two regions
}

TEST(ChooseFormats, ASumOfAllTermsOfAFormatIsEvaluatedByItself) {
  auto const spared = [](std::vector<PrecisionChoice> choices, double overhead) {
    detail::FormatCosts const costs{{1, 2, 4}};
    detail::choose_formats(choices, 1e-6, costs);
    return detail::spare(choices, choices.size(), costs, overhead, true);
  };
  auto const low = seen(1, 1e-9, 10), high = seen(1, 1, 10);
  EXPECT_FALSE(spared({low, low, low, high}, 6)); // 60 + 40 + 48 of 160
  EXPECT_TRUE(spared({low, low, low, high}, 6.6));
}

TEST(PredictFormats, LooksAtEachPartByItself) {
  auto const nan = std::nan("");
  PrecisionChoice part;
  part.average = 1;
  part.operations = 1;
  std::vector<PrecisionChoice> choices(4, part); // P = epsilon
  choices[1].variance = 1e4;                     // 200 epsilon
  choices[2].observed = {nan, 0, 0};
  choices[3].observed = {nan, nan, 0};
  auto const formats = [&](double tolerance, Format lowest) {
    detail::predict_formats(choices, tolerance, {{1, 1, 1}, lowest});
    Formats chosen;
    for (auto const& choice : choices)
      chosen.push_back(choice.format);
    return chosen;
  };
  EXPECT_EQ(formats(0x1p-10, b16), (Formats{b16, b32, b32, b64}));
  EXPECT_EQ(formats(0x1p-10, b32), (Formats{b32, b32, b32, b64}));
  EXPECT_EQ(formats(0x1p-23, b16), (Formats{b32, b64, b32, b64}));
  EXPECT_EQ(formats(0x1p-24, b16), (Formats{b64, b64, b64, b64}));
}

TEST(Summary, CountsFormats) {
  std::vector<PrecisionChoice> choices(3);
  EXPECT_EQ(summary(choices, "terms"), "fp64");
  choices[1].format = b32;
  EXPECT_EQ(summary(choices, "terms"), "1 of 3 terms fp32, 2 fp64");
  choices[0].format = b16;
  EXPECT_EQ(summary(choices, "terms"), "1 of 3 terms fp16, 1 fp32, 1 fp64");
}

TEST(Table, HasALineAPart) {
  std::vector<PrecisionChoice> choices(2);
  choices[0].name = "cos(x)";
  choices[0].format = b32;
  choices[1].name = "x^2";
  choices[1].points = 90;
  choices[1].non_finite = 10;
  std::ostringstream out;
  out << std::span<PrecisionChoice const>(choices);
  auto const text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
  EXPECT_NE(text.find("cos(x)  fp32"), std::string::npos) << text;
  EXPECT_NE(text.find("10 of 100 values not finite"), std::string::npos) << text;
}

// ---- what points tell of an integrand ------------------------------------------------------------------------

template <class Space>
class SelectPrecision : public ::testing::Test {
protected:
  /// As if half precision paid off.
  static PrecisionChoice select(std::string const& text, double tolerance, Box<dynamic> const& box,
                                SelectionOptions options = {.costs = {1, 2, 4}}) {
    return select_precision(Space(), Expression::parse(text, {"x", "y"}), box, tolerance, options);
  }
  static inline Box<dynamic> const square{{0, 1}, {0, 1}};
};
TYPED_TEST_SUITE(SelectPrecision, spaces::All, spaces::Names);

TYPED_TEST(SelectPrecision, SeesMomentsAndGradient) {
  auto const seen = this->select("3*x - 2*y", 1e-6, this->square, {.points = 10'000});
  EXPECT_EQ(seen.points, 10'000u);
  EXPECT_EQ(seen.non_finite, 0u);
  EXPECT_EQ(seen.operations, 3);
  EXPECT_NEAR(seen.mean, 0.5, 5 * std::sqrt(13.0 / 12 / 10'000));
  EXPECT_NEAR(seen.variance, 13.0 / 12, 0.05);
  EXPECT_NEAR(seen.average, 0.5 + 2 * 2.0 / 9, 0.03); // the negative part is 2/9
  EXPECT_NEAR(seen.gradient, 3, 1e-6);
  EXPECT_GT(seen.observed[1], 1e-9);
  EXPECT_LT(seen.observed[1], 3e-7);
  EXPECT_GT(seen.bound[1], seen.observed[1]);
  EXPECT_LT(seen.bound[1], 1.2 * seen.observed[1]);
  EXPECT_EQ(seen.observed[2], 0);
}

TYPED_TEST(SelectPrecision, UsesTheTolerance) {
  auto const f = "sin(x) + y";
  EXPECT_EQ(this->select(f, 1e-12, this->square).format, b64);
  EXPECT_EQ(this->select(f, 1e-6, this->square).format, b32);
  EXPECT_EQ(this->select(f, 1e-2, this->square).format, Tuning<TypeParam>::half_in_hardware ? b16 : b32);
  EXPECT_EQ(this->select(f, 0, this->square).format, b64);
}

TYPED_TEST(SelectPrecision, NeverChoosesAnEmulatedFormat) {
  auto const seen = this->select("x", 1, this->square);
  EXPECT_EQ(std::isnan(seen.observed[0]), !Tuning<TypeParam>::half_in_hardware);
  EXPECT_EQ(seen.format, Tuning<TypeParam>::half_in_hardware ? b16 : b32);
}

TYPED_TEST(SelectPrecision, SeesCancellationThatThePredictionDoesNot) {
  auto const seen = this->select("exp(8*x) - exp(8*x - 1e-5)", 1e-6, this->square);
  EXPECT_EQ(predicted_format(seen, 1e-6), b32);
  EXPECT_EQ(seen.format, b64);
  EXPECT_GT(seen.observed[1], 1e-6);
}

TYPED_TEST(SelectPrecision, LeavesFormatsThatOverflow) {
  auto const seen = this->select("1e30*x*1e30*x*1e-60", 1, this->square);
  EXPECT_EQ(seen.format, b64);
  EXPECT_TRUE(std::isinf(seen.observed[1]));
}

TYPED_TEST(SelectPrecision, CountsUndefinedValues) {
  auto const seen = this->select("log(x)", 1e-5, {{-1, 1}, {0, 1}});
  EXPECT_GT(seen.non_finite, 30u);
  EXPECT_LT(seen.non_finite, 70u);
  EXPECT_EQ(seen.points + seen.non_finite, 100u);
  EXPECT_EQ(seen.format, b32);                                         // of what is defined
  EXPECT_EQ(this->select("log(x)", 1, {{-1, 1}, {0, 1}}).format, b32); // not fp16
  auto const nowhere = this->select("log(0*x - 1)", 1e-5, this->square);
  EXPECT_EQ(nowhere.points, 0u);
  EXPECT_EQ(nowhere.format, b64);
}

TYPED_TEST(SelectPrecision, RepeatsToTheBitAndFollowsTheSeed) {
  auto const run = [&](std::uint64_t seed) {
    return this->select("sin(x*y)", 1e-5, this->square, {.seed = seed}).observed[1];
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TYPED_TEST(SelectPrecision, TakesInfiniteSides) {
  auto const seen = this->select("exp(-x^2 - y^2)", 1e-5, {{-infinity, infinity}, {0, infinity}}, {.points = 10'000});
  EXPECT_EQ(seen.non_finite, 0u);
  EXPECT_NEAR(seen.mean, M_PI / 2, 5 * std::sqrt(seen.variance / 10'000));
  EXPECT_EQ(seen.format, b32);
}

TYPED_TEST(SelectPrecision, RefusesBadInput) {
  expect_refused([&] { select_precision(TypeParam(), suite::MixedEq10{}, Box<3>{}, -1); }, "tolerance", "-1");
  expect_refused([&] { select_precision(TypeParam(), suite::MixedEq10{}, Box<3>{}, 1, {.points = 1}); },
                 "SelectionOptions.points", "1");
}

} // namespace
} // namespace precision_choice_test

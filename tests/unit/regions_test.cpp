#include "region_rows.hpp"
#include "spaces.hpp"

#include <kubature/detail/cubature/threshold.hpp>
#include <kubature/detail/memory/workspace.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace regions_test {
namespace {

using namespace kubature::detail;
using kubature::ErrorNorm;
using kubature::Tolerance;
using rows::Row;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Interval, TheWholeSide) {
  Interval const whole;
  EXPECT_EQ(whole.level(), 0);
  EXPECT_EQ(whole.length(), 1);
  EXPECT_EQ(whole.centre(), 0.5);
}

TEST(Interval, HalvesShareTheParent) {
  auto const upper = Interval{}.half(1);
  EXPECT_EQ(upper.code, 3u);
  EXPECT_EQ(upper.length(), 0.5);
  EXPECT_EQ(upper.centre(), 0.75);
  auto const part = upper.half(0).half(1); // [1/2, 3/4], [5/8, 3/4]
  EXPECT_EQ(part.level(), 3);
  EXPECT_EQ(part.length(), 0.125);
  EXPECT_EQ(part.centre(), 0.6875);
}

TEST(Interval, HalvesAreExactAtEveryLevel) {
  Interval interval;
  for (int level = 0; level < 50; ++level) {
    auto const lower = interval.half(0), upper = interval.half(1);
    EXPECT_EQ(lower.length() + upper.length(), interval.length());
    EXPECT_EQ(lower.centre() + lower.length() / 2, interval.centre());
    EXPECT_EQ(upper.centre() - upper.length() / 2, interval.centre());
    interval = level % 3 == 0 ? upper : lower;
  }
}

TEST(Interval, TheDeepestLevelHasAPlace) {
  Interval interval;
  for (int level = 0; level < 60; ++level)
    interval = interval.half(1);
  EXPECT_EQ(interval.level(), 60);
  EXPECT_EQ(interval.length(), 0x1p-60);
  EXPECT_GT(interval.length(), 0);
  EXPECT_LE(interval.centre(), 1);
}

TEST(TwoLevelError, IsWhatTheBisectionChangedSharedByTheChildrensErrors) {
  // For up to four variables a quarter of the change: e (1 + 2 D / (e + e')) + D with D = 1.
  EXPECT_DOUBLE_EQ(two_level_error(2, 6, 4, 1), 2 * (1 + 2.0 / 8) + 1);
  EXPECT_DOUBLE_EQ(two_level_error(2, 6, 4, 4), 3.5);
  EXPECT_DOUBLE_EQ(two_level_error(6, 2, 4, 3), 6 * (1 + 2.0 / 8) + 1);
  // For more, d / 16 of it: D = 2 for 8 variables, 5 for 20.
  EXPECT_DOUBLE_EQ(two_level_error(2, 6, 4, 8), 2 * (1 + 4.0 / 8) + 2);
  EXPECT_DOUBLE_EQ(two_level_error(2, 6, 4, 20), 2 * (1 + 10.0 / 8) + 5);
  EXPECT_DOUBLE_EQ(two_level_error(3, 5, 16, 5), 3 * (1 + 10.0 / 8) + 5);
}

TEST(TwoLevelError, WithoutErrorsTheChangeAloneTells) {
  EXPECT_EQ(two_level_error(0, 0, 4, 2), 1);
  EXPECT_EQ(two_level_error(0, 8, 4, 2), 1);
  EXPECT_EQ(two_level_error(5, 3, 0, 8), 5);
  EXPECT_TRUE(std::isnan(two_level_error(nan, 1, 1, 2)));
  EXPECT_TRUE(std::isnan(two_level_error(1, nan, nan, 2)));
}

TEST(LoweredError, IsEightTimesTheChangeButWithinTheLeeway) {
  auto const leeway = leeway_between(1e-6, 1e-3);
  EXPECT_EQ(leeway, 39); // a little less than 10 octaves
  EXPECT_EQ(lowered_error(1e-3, leeway, 1e-5), 8e-5);
  EXPECT_EQ(lowered_error(1e-3, leeway, 1e-3), 1e-3); // more than the null rules tell
  double const least = lowered_error(1e-3, leeway, 0);
  EXPECT_GE(least, 1e-6);
  EXPECT_LE(least, 1.25e-6);
  EXPECT_EQ(lowered_error(1e-3, 0, 1e-9), 1e-3);
}

TEST(LoweredError, LeavesWhatIsNotFiniteAlone) {
  EXPECT_EQ(leeway_between(1, 1), 0);
  EXPECT_EQ(leeway_between(2, 1), 0);
  EXPECT_EQ(leeway_between(0, 1), 0);
  EXPECT_EQ(leeway_between(nan, 1), 0);
  EXPECT_EQ(leeway_between(1, nan), 0);
  EXPECT_EQ(leeway_between(1, std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(leeway_between(1e-300, 1), 255);
  EXPECT_EQ(lowered_error(1, 40, nan), 1);
  EXPECT_TRUE(std::isnan(lowered_error(nan, 40, 1e-9)));
}

TEST(ErrorBins, HoldLargerErrorsInLowerBins) {
  int last = 0;
  for (double error = 1.5; error > 1e-300; error *= 0.99) {
    int const bin = ErrorBins::of(error);
    EXPECT_GE(bin, last);
    EXPECT_LT(bin, ErrorBins::count);
    last = bin;
  }
  EXPECT_EQ(last, ErrorBins::count - 1);
}

TEST(ErrorBins, NoErrorIsLargerThanTheBoundOfItsBin) {
  for (double error = std::nextafter(1.0, 0.0); error > 1e-30; error *= 0.997) {
    int const bin = ErrorBins::of(error);
    EXPECT_GE(bin, 1);
    EXPECT_LE(error, ErrorBins::bound(bin));
    if (bin + 1 < ErrorBins::count) { // bins are narrow: a quarter of an octave
      EXPECT_GE(error, 0.79 * ErrorBins::bound(bin));
    }
  }
  for (int bin = 1; bin < ErrorBins::count; ++bin) {
    double const bound = ErrorBins::bound(bin);
    EXPECT_EQ(ErrorBins::of(std::nextafter(bound, 0.0)), bin);
    EXPECT_EQ(ErrorBins::of(bound), bin - 1);
  }
}

TEST(ErrorBins, TheFirstHoldsTheReferenceAndWhatIsNoNumber) {
  for (double const error : {1.0, 2.0, double(INFINITY), nan, -nan})
    EXPECT_EQ(ErrorBins::of(error), 0);
  EXPECT_EQ(ErrorBins::of(std::nextafter(1.0, 0.0)), 1);
  EXPECT_EQ(ErrorBins::bound(1), 1);
}

TEST(ErrorBins, TheLastHoldsAllThatIsSmall) {
  for (double const error : {0.0, 1e-300, std::numeric_limits<double>::denorm_min(), 0x1p-65})
    EXPECT_EQ(ErrorBins::of(error), ErrorBins::count - 1);
  EXPECT_EQ(ErrorBins::bound(255), 1.5 * 0x1p-64);
}

/// Counts by hand: bins with bounds 1, 1/2 and 1/16, which contain 2, 3 and 4 errors, and one error in bin 0.
struct SomeErrors {
  ErrorCounts counts = {};
  static constexpr int one = 1, half = 5, sixteenth = 17, last = ErrorBins::count - 1;
  SomeErrors() {
    counts[0] = 1;
    counts[one] = 2;
    counts[half] = 3;
    counts[sixteenth] = 4;
  }
};

TEST(Threshold, BinsOfTheHandMadeCountsHaveTheseBounds) {
  EXPECT_EQ(ErrorBins::bound(SomeErrors::one), 1);
  EXPECT_EQ(ErrorBins::bound(SomeErrors::half), 0.5);
  EXPECT_EQ(ErrorBins::bound(SomeErrors::sixteenth), 1.0 / 16);
}

void expect_threshold(Threshold const& threshold, int last_bin, std::uint64_t above) {
  EXPECT_EQ(threshold.last_bin, last_bin);
  EXPECT_EQ(threshold.above, above);
}

TEST(Threshold, ByErrorLeavesAsManyAsTheAllowanceHolds) {
  SomeErrors const some;
  auto const& counts = some.counts;
  expect_threshold(threshold_by_error(counts, 0), some.sixteenth, 10);
  expect_threshold(threshold_by_error(counts, 0.24), some.sixteenth, 10);
  expect_threshold(threshold_by_error(counts, 0.25), some.half, 6);
  expect_threshold(threshold_by_error(counts, 1.74), some.half, 6);
  expect_threshold(threshold_by_error(counts, 1.75), some.one, 3);
  expect_threshold(threshold_by_error(counts, 3.75), 0, 1);
  expect_threshold(threshold_by_error(counts, 1e9), 0, 1); // bin 0 has no bound and stays
  expect_threshold(threshold_by_error(counts, -1), some.last, 10);
}

TEST(Threshold, ByErrorOfNoneIsNone) {
  ErrorCounts const none = {};
  EXPECT_EQ(threshold_by_error(none, 1).above, 0u);
  EXPECT_EQ(threshold_by_error(none, 0).above, 0u);
  EXPECT_EQ(threshold_by_count(none, 5).above, 0u);
  EXPECT_EQ(sum_of_errors(none), 0);
}

TEST(Threshold, ByCountTakesWholeBinsUntilThereAreEnough) {
  SomeErrors const some;
  auto const& counts = some.counts;
  expect_threshold(threshold_by_count(counts, 0), -1, 0);
  expect_threshold(threshold_by_count(counts, 1), 0, 1);
  expect_threshold(threshold_by_count(counts, 2), some.one, 3);
  expect_threshold(threshold_by_count(counts, 3), some.one, 3);
  expect_threshold(threshold_by_count(counts, 4), some.half, 6);
  expect_threshold(threshold_by_count(counts, 7), some.sixteenth, 10);
  expect_threshold(threshold_by_count(counts, 11), some.last, 10);
}

TEST(Threshold, SumOfErrorsBoundsThemAll) {
  EXPECT_DOUBLE_EQ(sum_of_errors(SomeErrors().counts), 1.25 + 2 + 1.5 + 0.25);
}

TEST(StartGrid, HasFourPartsAnAxisThenTwoThenOne) {
  auto const size = [](int d) { return start_grid(d, 1'000'000'000).size; };
  EXPECT_EQ(size(1), 4u);
  EXPECT_EQ(size(2), 16u);
  EXPECT_EQ(size(3), 64u);
  EXPECT_EQ(size(4), 256u);
  EXPECT_EQ(size(5), 32u);
  EXPECT_EQ(size(10), 1024u);
  EXPECT_EQ(size(11), 1u);
  EXPECT_EQ(size(20), 1u);
}

TEST(StartGrid, HasFewerPartsWhereFewRegionsCanBeEvaluated) {
  EXPECT_EQ(start_grid(3, 0).size, 0u);
  EXPECT_EQ(start_grid(3, 1).size, 1u);
  EXPECT_EQ(start_grid(3, 63).size, 32u);
  auto const grid = start_grid(3, 5);
  EXPECT_EQ(grid.size, 4u);
  EXPECT_EQ(grid.levels[0] + grid.levels[1] + grid.levels[2], 2);
}

TEST(PublishedGrid, HasTheMostIntervalsAlongEachAxisThatFit) {
  for (auto const& [d, intervals] : {std::pair{1, 32768}, {2, 181}, {3, 32}, {5, 8}, {6, 5}, {7, 4}, {8, 3}, {16, 1}}) {
    auto const grid = published_grid(d, 32768);
    EXPECT_EQ(grid.intervals, static_cast<std::uint64_t>(intervals)) << d;
    EXPECT_DOUBLE_EQ(static_cast<double>(grid.size), std::pow(intervals, d));
    EXPECT_DOUBLE_EQ(grid.stretch(), std::ldexp(1, grid.levels[0]) / intervals);
    EXPECT_LT(grid.stretch(), 2);
  }
  EXPECT_EQ(published_grid(3, 0).size, 0u);
  EXPECT_EQ(published_grid(3, 7).size, 1u);
}

TEST(Selection, SettlesRegionsBelowTheFilterOrAnAbsoluteError) {
  std::vector<std::byte> memory(bytes_of_regions(2, 1, 16));
  auto const regions = regions_at(memory.data(), 2, 1, 16);
  regions.set_axis(0, 1);
  regions.value(0, 0) = -2;
  regions.error(0, 0) = 0.5;
  EXPECT_TRUE((Selection{.relative = 0.25}.settled(regions, 0)));
  EXPECT_FALSE((Selection{.relative = 0.2}.settled(regions, 0)));
  EXPECT_TRUE((Selection{.relative = 0.2, .absolute = 0.5}.settled(regions, 0)));
  EXPECT_FALSE((Selection{.relative = 0.2, .absolute = 0.4}.settled(regions, 0)));
}

TEST(HalfErrors, PublishedOnesAreRaisedByAQuarterOfTheChange) {
  std::vector<std::byte> memory(bytes_of_regions(8, 1, 16));
  auto const regions = regions_at(memory.data(), 8, 1, 16);
  auto const raised = [&](HalfErrors how) {
    regions.value(0, 0) = 3;
    regions.value(0, 1) = 5;
    regions.error(0, 0) = 2;
    regions.error(0, 1) = 6;
    regions.improve_errors(0, 0, 1, 4.0, how);
    return regions.error(0, 0);
  };
  EXPECT_DOUBLE_EQ(raised(HalfErrors::published), two_level_error(2, 6, 4, 4));
  EXPECT_DOUBLE_EQ(raised(HalfErrors::raised), two_level_error(2, 6, 4, 8));
}

/// Fills values with the integral of (c + 1)(1 + x_1), which is exact and additive, errors with numbers from 1 to 97
/// times a power of two, and axes in turn, so that all sums are exact.
struct Fill {
  KOKKOS_FUNCTION void operator()(Regions const& regions, std::uint64_t i) const {
    double volume = 1;
    std::uint64_t mixed = 0;
    for (int k = 0; k < regions.dimension; ++k) {
      volume *= regions.interval(k, i).length();
      mixed = (mixed + regions.interval(k, i).code) * 0x9e3779b97f4a7c15u;
      mixed ^= mixed >> 29;
    }
    for (int c = 0; c < regions.components; ++c) {
      regions.value(c, i) = (c + 1) * volume * (1 + regions.interval(0, i).centre());
      regions.error(c, i) = static_cast<double>(1 + mixed % 97) / static_cast<double>(1 << (mixed >> 32) % 12);
    }
    regions.set_axis(i, static_cast<int>(mixed % static_cast<unsigned>(regions.dimension)));
  }
};

struct SetAxis {
  int axis;
  KOKKOS_FUNCTION void operator()(Regions const& regions, std::uint64_t i) const { regions.set_axis(i, axis); }
};

/// Values and errors that depend on the region's number, so that no two bisections are alike.
struct Irregular {
  double scale;
  KOKKOS_FUNCTION void operator()(Regions const& regions, std::uint64_t i) const {
    for (int c = 0; c < regions.components; ++c) {
      double const phase = static_cast<double>(i + 1) * (c + 1);
      regions.value(c, i) = scale * Kokkos::sin(phase);
      regions.error(c, i) = scale * (1.5 + Kokkos::cos(3 * phase));
    }
  }
};

/// New regions that nobody has evaluated yet, so that tests may read them.
struct Unevaluated {
  std::uint64_t first;
  KOKKOS_FUNCTION void operator()(Regions const& regions, std::uint64_t i) const {
    if (i < first)
      return;
    for (int c = 0; c < regions.components; ++c)
      regions.value(c, i) = regions.error(c, i) = 0;
    regions.set_axis(i, 0);
  }
};

/// Errors 2^-i, values 1.
struct Halving {
  KOKKOS_FUNCTION void operator()(Regions const& regions, std::uint64_t i) const {
    for (int c = 0; c < regions.components; ++c) {
      regions.value(c, i) = 1;
      regions.error(c, i) = 1 / static_cast<double>(std::uint64_t{1} << i);
    }
  }
};

/// Regions that do not overlap and have the volume of the cube are a partition of it.
void expect_partition(std::vector<Row> const& all) {
  double volume = 0;
  for (auto const& row : all)
    volume += row.volume();
  EXPECT_EQ(volume, 1);
  auto const apart = [](Interval a, Interval b) { // neither contains the other
    if (a.level() > b.level())
      std::swap(a, b);
    return b.code >> (b.level() - a.level()) != a.code;
  };
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      bool disjoint = false;
      for (int k = 0; k < static_cast<int>(all[i].codes.size()); ++k)
        disjoint = disjoint || apart(all[i].interval(k), all[j].interval(k));
      ASSERT_TRUE(disjoint) << i << ' ' << j;
    }
}

/// Sums over regions of component c.
struct Sums {
  double value = 0, error = 0;
  Sums(std::vector<Row> const& all, std::size_t c) {
    long double value_sum = 0, error_sum = 0;
    for (auto const& row : all) {
      value_sum += row.values[c];
      error_sum += row.errors[c];
    }
    value = static_cast<double>(value_sum);
    error = static_cast<double>(error_sum);
  }
};

std::vector<Row> sorted(std::vector<Row> all) {
  std::sort(all.begin(), all.end());
  return all;
}

std::uint64_t total(ErrorCounts const& counts) {
  std::uint64_t sum = 0;
  for (auto const count : counts)
    sum += count;
  return sum;
}

/// The list's memory: what the last allocation took.
std::uint64_t list_bytes;
void allocation(Kokkos_Profiling_SpaceHandle, char const* label, void const*, std::uint64_t bytes) {
  if (std::string(label) == "kubature::regions::list")
    list_bytes = bytes;
}

template <class Space>
class RegionLists : public ::testing::Test {
protected:
  void TearDown() override { Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr); }

  Space exec;
  Workspace<Space> workspace{exec};
  RegionList<Space> list;

  void fill(Grid const& grid, int d, int components = 1) {
    workspace.tag() = 0; // the rule is no longer there
    list.clear(exec, d, components, grid.size, rows::no_limit, workspace.device(), workspace.host());
    finish_fill(grid);
  }
  /// In the list's own memory, as little as suffices.
  void fill_within(std::size_t bytes, Grid const& grid, int d, int components = 1) {
    list.clear(exec, d, components, grid.size, bytes, {}, {});
    finish_fill(grid);
  }
  void finish_fill(Grid const& grid) {
    ASSERT_GE(list.capacity(), grid.size);
    list.fill(exec, grid);
    write(Fill{});
  }
  template <class Write>
  void write(Write const& what) {
    rows::write(exec, list, what);
  }
  /// Bisects the first regions of the list, in their present order.
  void bisect(std::uint64_t count) {
    Unevaluated const fresh{list.size()};
    list.bisect(exec, {}, list.size(), count);
    write(fresh);
  }
  std::vector<Row> read() const { return rows::read(exec, list); }
};
TYPED_TEST_SUITE(RegionLists, spaces::All, spaces::Names);

TYPED_TEST(RegionLists, FillIsAPartitionOfTheCube) {
  for (int d : {1, 2, 3, 4, 5, 8, 12, 20}) {
    SCOPED_TRACE(d);
    auto const grid = start_grid(d, 1'000'000'000);
    this->fill(grid, d);
    EXPECT_EQ(this->list.size(), grid.size);
    auto const all = this->read();
    expect_partition(all);
    for (auto const& row : all)
      for (int k = 0; k < d; ++k)
        EXPECT_EQ(row.interval(k).level(), grid.levels[k]);
    EXPECT_EQ(this->list.summarise(this->exec, {.relative = 1e-3}, 0).counters.non_finite, 0u);
    EXPECT_EQ(this->list.listed(0).value.value(), 1.5);
  }
}

TYPED_TEST(RegionLists, BisectLeavesLowerHalvesInPlaceAndPutsUpperOnesBehind) {
  this->fill(rows::grid({2, 1, 1}), 3);
  auto const before = this->read();
  this->bisect(5);
  auto const after = this->read();
  ASSERT_EQ(after.size(), 21u);
  expect_partition(after);
  for (std::size_t i = 0; i < 16; ++i)
    for (int k = 0; k < 3; ++k) {
      auto const whole = before[i].interval(k);
      bool const split = i < 5 && before[i].axis == k;
      EXPECT_EQ(after[i].interval(k).code, split ? whole.half(0).code : whole.code);
      if (i < 5) {
        EXPECT_EQ(after[16 + i].interval(k).code, split ? whole.half(1).code : whole.code);
      }
    }
}

TYPED_TEST(RegionLists, SummariesAddUpWhatTheHostAddsUp) {
  for (auto const& levels : {std::vector<int>{3, 3}, {7, 7}}) { // one chunk, and several
    this->fill(rows::grid(levels), 2, 3);
    this->write(Irregular{0.1});
    this->list.summarise(this->exec, {.relative = 1e-3}, 0);
    auto const all = this->read();
    for (std::size_t c = 0; c < 3; ++c) {
      Sums const sums(all, c);
      auto const totals = this->list.listed(static_cast<int>(c));
      EXPECT_NEAR(totals.value.value(), sums.value, 1e-15 * sums.error);
      EXPECT_NEAR(totals.error.value(), sums.error, 1e-15 * sums.error);
      EXPECT_EQ(this->list.committed(static_cast<int>(c)).error.value(), 0);
    }
  }
}

TYPED_TEST(RegionLists, TheErrorsOfChildrenAreImprovedOnceAndOnlyWhenAskedFor) {
  for (int d : {2, 6}) {
    this->fill(rows::grid(std::vector<int>(static_cast<std::size_t>(d), d == 2 ? 6 : 2)), d, 2);
    this->list.reserve(this->exec, 2 * this->list.size(), rows::no_limit);
    this->write(Irregular{1});
    auto const parents = this->read();
    auto const size = this->list.size(), count = size / 2 + 3;
    this->bisect(count);
    this->write(Irregular{0.7});
    auto const children = this->read();
    this->list.summarise(this->exec, {.relative = 1e-3}, 0);
    EXPECT_EQ(this->read(), children);
    this->list.improve_and_summarise(this->exec, {.relative = 1e-3}, 0);
    auto const after = this->read();
    for (std::size_t c = 0; c < 2; ++c) {
      for (std::size_t i = 0; i < count; ++i) {
        double const change = std::abs(children[i].values[c] + children[size + i].values[c] - parents[i].values[c]);
        double const a = children[i].errors[c], b = children[size + i].errors[c];
        ASSERT_NEAR(after[i].errors[c], two_level_error(a, b, change, d), 1e-14);
        ASSERT_NEAR(after[size + i].errors[c], two_level_error(b, a, change, d), 1e-14);
      }
      for (std::size_t i = count; i < size; ++i)
        ASSERT_EQ(after[i].errors[c], children[i].errors[c]);
      Sums const sums(after, c);
      EXPECT_NEAR(this->list.listed(static_cast<int>(c)).error.value(), sums.error, 1e-15 * sums.error);
      EXPECT_NEAR(this->list.listed(static_cast<int>(c)).value.value(), sums.value, 1e-15 * sums.error);
    }
    this->list.improve_and_summarise(this->exec, {.relative = 1e-3}, 0); // without new regions
    EXPECT_EQ(this->read(), after);
  }
}

TYPED_TEST(RegionLists, SummariesSortErrorsIntoBins) {
  this->fill(rows::grid({2, 2}), 2);
  this->write(Halving{});
  // The allowed error is 16 * 1/8 = 2, so errors are weighted by 1/2, and their sum of 2 - 2^-15 is the reference.
  auto const& statistics = this->list.summarise(this->exec, {.relative = 0.125}, 0.125);
  double const sum = 2 - 0x1p-15;
  EXPECT_DOUBLE_EQ(statistics.reference, sum / 2);
  EXPECT_TRUE(statistics.possible);
  ErrorCounts open = {}, settled = {};
  for (int i = 0; i < 16; ++i) { // errors of 1/8 and below are settled, by the filter
    double const error = 1.0 / (1 << i);
    ++(error <= 0.125 ? settled : open)[ErrorBins::of(error / 2 / statistics.reference)];
  }
  for (int bin = 0; bin < ErrorBins::count; ++bin) {
    EXPECT_EQ(statistics.open[bin], open[bin]) << bin;
    EXPECT_EQ(statistics.settled[bin], settled[bin]) << bin;
  }
}

/// Component 0 has an error of 1/2 in each region, component 1 of 1/4; values 8 and 1.
struct TwoComponents {
  KOKKOS_FUNCTION void operator()(Regions const& regions, std::uint64_t i) const {
    regions.value(0, i) = 8;
    regions.error(0, i) = 0.5;
    regions.value(1, i) = 1;
    regions.error(1, i) = 0.25;
  }
};

TYPED_TEST(RegionLists, SummariesFindTheComponentThatIsFarthestFromItsTolerance) {
  this->fill(rows::grid({1, 1}), 2, 2);
  this->write(TwoComponents{});
  auto const summarise = [&](Tolerance tolerance) { return this->list.summarise(this->exec, tolerance, 0); };
  auto const relative = summarise({.relative = 0.01}); // 2 / 0.32 and 1 / 0.04
  EXPECT_EQ(relative.driver, 1);
  EXPECT_DOUBLE_EQ(relative.reference, 25);
  auto const absolute = summarise({.absolute = 0.125}); // 2 / 0.125 and 1 / 0.125
  EXPECT_EQ(absolute.driver, 0);
  EXPECT_DOUBLE_EQ(absolute.reference, 16);
  auto const large = summarise({.absolute = 4}); // a tenth of the magnitudes: 2 / 3.2 and 1 / 0.4
  EXPECT_EQ(large.driver, 1);
  EXPECT_DOUBLE_EQ(large.reference, 2.5);
  auto const none = summarise({}); // 2 and 1
  EXPECT_EQ(none.driver, 0);
  EXPECT_DOUBLE_EQ(none.reference, 2);
  EXPECT_TRUE(relative.possible && absolute.possible && none.possible);
}

/// The same with an eighth of the errors.
struct TwoBetterComponents {
  KOKKOS_FUNCTION void operator()(Regions const& regions, std::uint64_t i) const {
    TwoComponents{}(regions, i);
    regions.error(0, i) /= 8;
    regions.error(1, i) /= 8;
  }
};

TYPED_TEST(RegionLists, NormsCompareAllComponentsWithOneTolerance) {
  for (auto const norm : {ErrorNorm::individual, ErrorNorm::max, ErrorNorm::l2, ErrorNorm::paired, ErrorNorm::l1}) {
    auto const met = [&](double relative, double absolute) { return this->list.met({relative, absolute, norm}); };
    this->list = RegionList<TypeParam>();
    this->fill(rows::grid({1, 1}), 2, 2);
    this->write(TwoBetterComponents{}); // values of 32 and 4 in all, errors of 1/4 and 1/8
    bool const individual = norm == ErrorNorm::individual, l1 = norm == ErrorNorm::l1,
               l2 = norm == ErrorNorm::l2 || norm == ErrorNorm::paired;
    double const excess = individual ? 1.0 / 32 : l2 ? std::sqrt(5.0 / 1040) / 8 : l1 ? 3.0 / 288 : 1.0 / 128;
    auto const& statistics = this->list.summarise(this->exec, {.relative = 1e-3, .norm = norm}, 0);
    EXPECT_DOUBLE_EQ(statistics.reference, 1000 * excess);
    EXPECT_EQ(statistics.driver, individual ? 1 : 0);
    EXPECT_EQ(statistics.open[ErrorBins::of(0.2499)] + statistics.open[ErrorBins::of(0.2501)], 4u); // a quarter each
    EXPECT_TRUE(met(1.001 * excess, 0));
    EXPECT_FALSE(met(0.999 * excess, 0));
    EXPECT_FALSE(met(0, 0.24));
    EXPECT_EQ(met(0, 0.26), !l2 && !l1);
    EXPECT_EQ(met(0, 0.29), !l1);
    EXPECT_TRUE(met(0, 0.38));
    // The error of the second component is now more than a tenth of its values.
    this->write(TwoComponents{});
    this->list.summarise(this->exec, {.relative = 1e-3, .norm = norm}, 0);
    EXPECT_EQ(met(0.9, 0), individual);
    EXPECT_FALSE(met(0, 100));
  }
}

TYPED_TEST(RegionLists, TheFilterSettlesARegionOnlyWhereAllComponentsAreSettled) {
  this->fill(rows::grid({1, 1}), 2, 2);
  this->write(TwoComponents{}); // relative errors of 1/16 and 1/4
  auto const settled = [&](double relative) {
    return total(this->list.summarise(this->exec, {.relative = 0.01}, relative).settled);
  };
  EXPECT_EQ(settled(0.06), 0u);
  EXPECT_EQ(settled(0.2), 0u);
  EXPECT_EQ(settled(0.25), 4u);
}

TYPED_TEST(RegionLists, BringForwardPutsTheSelectedFirstAndLosesNone) {
  this->fill(rows::grid({4, 4, 3}), 3, 2);
  for (double const relative : {0.0, 1e-1}) {
    auto const statistics = this->list.summarise(this->exec, {.relative = 1e-3}, relative);
    EXPECT_EQ(total(statistics.open) + total(statistics.settled), this->list.size());
    for (double const part : {0.01, 0.3, 0.5, 0.9, 1.0}) {
      auto const wanted = static_cast<std::uint64_t>(part * static_cast<double>(total(statistics.open)));
      auto const threshold = threshold_by_count(statistics.open, wanted);
      ASSERT_GE(threshold.above, wanted);
      auto const before = this->read();
      this->list.bring_forward(this->exec, this->list.select(statistics, threshold.last_bin, relative),
                               threshold.above);
      auto const after = this->read();
      EXPECT_EQ(sorted(before), sorted(after));
      double least = INFINITY, most = 0; // errors of the regions that are selected, and of the others
      for (std::size_t i = 0; i < after.size(); ++i) {
        bool const settled = after[i].errors[0] <= relative * std::abs(after[i].values[0]) &&
                             after[i].errors[1] <= relative * std::abs(after[i].values[1]);
        double const size = std::max(after[i].errors[0], after[i].errors[1] / 2); // twice the value, twice the error
        if (i < threshold.above) {
          EXPECT_FALSE(settled);
          least = std::min(least, size);
        } else if (!settled) {
          most = std::max(most, size);
        }
      }
      EXPECT_GE(least, most);
    }
  }
}

TYPED_TEST(RegionLists, BringForwardOfAllOrNoneChangesNothing) {
  this->fill(rows::grid({3, 3}), 2);
  auto const statistics = this->list.summarise(this->exec, {.relative = 1e-3}, 0);
  auto const before = this->read();
  this->list.bring_forward(this->exec, this->list.select(statistics, ErrorBins::count - 1, 0), before.size());
  EXPECT_EQ(this->read(), before);
  this->list.bring_forward(this->exec, this->list.select(statistics, -1, 0), 0);
  EXPECT_EQ(this->read(), before);
}

TYPED_TEST(RegionLists, CommitBehindKeepsTheSums) {
  this->fill(rows::grid({7, 6}), 2, 2);
  this->list.summarise(this->exec, {.relative = 1e-3}, 0);
  auto const all = this->read();
  for (std::size_t const count : {6000u, 5999u, 100u, 1u}) {
    this->list.commit_behind(this->exec, count);
    EXPECT_EQ(this->list.size(), count);
    this->list.summarise(this->exec, {.relative = 1e-3}, 0);
    std::vector<Row> const kept(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    EXPECT_EQ(this->read(), kept);
    for (std::size_t c = 0; c < 2; ++c) {
      auto const listed = this->list.listed(static_cast<int>(c)), committed = this->list.committed(static_cast<int>(c));
      EXPECT_EQ(listed.value.value(), Sums(kept, c).value);
      EXPECT_EQ(listed.error.value(), Sums(kept, c).error);
      EXPECT_EQ(listed.value.value() + committed.value.value(), Sums(all, c).value);
      EXPECT_EQ(listed.error.value() + committed.error.value(), Sums(all, c).error);
    }
  }
}

TYPED_TEST(RegionLists, CommittedErrorsTakeFromWhatIsAllowed) {
  this->fill(rows::grid({2, 2}), 2);
  this->write(Halving{}); // the sum of the values is 16
  this->list.summarise(this->exec, {.absolute = 0.25}, 0);
  this->list.commit_behind(this->exec, 4); // errors 1/16 and less: 1/8 - 2^-15
  double const committed = 0.125 - 0x1p-15;
  auto const& statistics = this->list.summarise(this->exec, {.absolute = 0.25}, 0);
  EXPECT_TRUE(statistics.possible);
  EXPECT_DOUBLE_EQ(statistics.reference, 1.875 / (0.25 - committed));
  EXPECT_FALSE(this->list.summarise(this->exec, {.absolute = 0.1}, 0).possible);
  EXPECT_FALSE(this->list.summarise(this->exec, {.relative = 0.1 / 16}, 0).possible);
  EXPECT_TRUE(this->list.summarise(this->exec, {}, 0).possible);
}

TYPED_TEST(RegionLists, ClearForgetsWhatWasCommitted) {
  this->fill(rows::grid({2, 2}), 2);
  this->list.commit_behind(this->exec, 4);
  this->list.summarise(this->exec, {.relative = 1e-3}, 0);
  EXPECT_GT(this->list.committed(0).error.value(), 0);
  this->fill(rows::grid({2, 2}), 2);
  this->list.summarise(this->exec, {.relative = 1e-3}, 0);
  EXPECT_EQ(this->list.committed(0).error.value(), 0);
  EXPECT_EQ(this->list.listed(0).value.value(), 1.5);
}

TYPED_TEST(RegionLists, GrowthKeepsEveryRegion) {
  std::size_t const bytes = 1 << 20; // without a limit the list starts with room for many
  this->fill_within(bytes, rows::grid({2, 2, 1}), 3, 2);
  auto const before = this->read();
  auto capacity = this->list.capacity();
  EXPECT_LT(capacity, 200u);
  for (std::uint64_t const count : {300u, 1000u, 5000u}) {
    this->list.reserve(this->exec, count, bytes);
    EXPECT_GE(this->list.capacity(), count);
    EXPECT_GT(this->list.capacity(), capacity);
    capacity = this->list.capacity();
    EXPECT_EQ(this->read(), before);
    this->list.reserve(this->exec, 10, bytes); // never less
    EXPECT_EQ(this->list.capacity(), capacity);
  }
}

TYPED_TEST(RegionLists, ALimitOfBytesLeavesLessRoomAndKeepsTheList) {
  std::size_t const bytes = 300'000;
  this->fill_within(bytes, rows::grid({2, 2, 1}), 3, 2);
  auto const before = this->read();
  this->list.reserve(this->exec, 1'000'000, bytes);
  auto const capacity = this->list.capacity();
  EXPECT_GE(capacity, before.size());
  EXPECT_LE(capacity * 65, bytes); // a region takes 8 * (3 + 2 + 2 + 1) + 1 bytes
  EXPECT_GE(capacity * 65, bytes / 4);
  EXPECT_EQ(this->read(), before);
  this->list.reserve(this->exec, 2'000'000, bytes);
  EXPECT_LE(this->list.capacity() * 65, bytes);
  EXPECT_EQ(this->read(), before);
}

TYPED_TEST(RegionLists, RoundsOfRefinementLoseNoRegion) {
  std::size_t const bytes = 1 << 19;
  for (int d : {1, 3, 5}) {
    SCOPED_TRACE(d);
    this->fill_within(bytes, start_grid(d, 1000), d);
    for (int round = 0; round < 12 && this->list.size() < 1000; ++round) {
      auto const statistics = this->list.improve_and_summarise(this->exec, {.relative = 1e-3}, 0);
      ASSERT_EQ(this->list.listed(0).value.value(), 1.5); // children add up to their parents, so errors do not change
      auto const all = this->read();
      ASSERT_EQ(this->list.listed(0).error.value(), Sums(all, 0).error);
      expect_partition(all);
      auto const threshold = threshold_by_count(statistics.open, this->list.size() / 2 + 1);
      this->list.reserve(this->exec, this->list.size() + threshold.above, bytes);
      ASSERT_GE(this->list.capacity(), this->list.size() + threshold.above);
      auto const count = threshold.above - static_cast<std::uint64_t>(round % 2); // as if few evaluations were left
      this->list.bisect(this->exec, this->list.select(statistics, threshold.last_bin, 0), threshold.above, count);
      ASSERT_EQ(this->list.size(), all.size() + count);
      this->write(Fill{});
    }
    EXPECT_GE(this->list.size(), 500u);
  }
}

TYPED_TEST(RegionLists, RoomIsFoundWheneverTheBytesSuffice) {
  // Twice the regions' bytes: a list grows into new memory while the old memory still exists.
  std::uint64_t const count = 64, need = 45 * count;
  for (std::size_t bytes = 2 * need; bytes < 8 * need; bytes += 16) {
    RegionList<TypeParam> fresh;
    fresh.clear(this->exec, 3, 1, count, bytes, {}, {});
    EXPECT_GE(fresh.capacity(), count) << bytes;
  }
}

TYPED_TEST(RegionLists, RegionsLieInTheListsMemory) {
  Kokkos::Tools::Experimental::set_allocate_data_callback(allocation);
  for (int const d : {1, 2, 3, 5, 12})
    for (int const components : {1, 2})
      for (std::size_t bytes = 100; bytes < 5000; bytes += 9) {
        RegionList<TypeParam> fresh;
        list_bytes = 0;
        fresh.clear(this->exec, d, components, 1, bytes, {}, {});
        auto const& regions = fresh.regions();
        EXPECT_LE(list_bytes, bytes);
        if (fresh.capacity() > 0) {
          auto const taken = regions.marks + regions.capacity - reinterpret_cast<unsigned char*>(regions.intervals);
          EXPECT_LE(static_cast<std::uint64_t>(taken), list_bytes)
              << "of " << regions.capacity << " regions of " << d << " variables within " << bytes << " bytes";
        }
      }
}

} // namespace
} // namespace regions_test

#include "ranks.hpp"

#include <kubature/batched.hpp>
#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace kubature;

Kokkos::DefaultExecutionSpace exec_of_test() { return {}; }

/// All processes list as many regions as one does, and their sums differ by rounding only. Each of them gets the same.
template <class F, int D>
void expect_the_same_of_all(Pagani<> const& method, F const& f, Box<D> const& box, Tolerance tolerance,
                            Limits limits = {}) {
  auto const exec = exec_of_test();
  auto const together = integrate(exec, ranks(), method, f, box, tolerance, limits);
  auto const alone = integrate(exec, method, f, box, tolerance, limits);
  EXPECT_EQ(together.status, alone.status);
  EXPECT_EQ(together.regions, alone.regions);
  // A search for poles may begin at another of several regions that are equal up to rounding.
  EXPECT_NEAR(static_cast<double>(together.evaluations), static_cast<double>(alone.evaluations), 3000);
  EXPECT_EQ(together.non_finite, alone.non_finite);
  EXPECT_EQ(together.iterations.size(), alone.iterations.size());
  if (std::isnan(alone.value)) {
    EXPECT_TRUE(std::isnan(together.value));
  } else {
    EXPECT_NEAR(together.value, alone.value, 1e-14 * std::abs(alone.value));
    EXPECT_NEAR(together.error, alone.error, 1e-8 * std::abs(alone.error));
  }
  std::uint64_t words[2] = {Kokkos::bit_cast<std::uint64_t>(together.value), together.regions};
  ranks().sum(words);
  EXPECT_EQ(words[0], static_cast<std::uint64_t>(ranks().size()) * Kokkos::bit_cast<std::uint64_t>(together.value));
  EXPECT_EQ(words[1], static_cast<std::uint64_t>(ranks().size()) * together.regions);
}

/// A peak in a corner: at first, one process has all of the work.
struct Corner {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 3> const& x) const {
    Real const a(1e-4);
    return Real(1) / ((a + x[0] * x[0]) * (a + x[1] * x[1]) * (a + x[2] * x[2]));
  }
};

struct Twelve {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 12> const& x) const {
    Real sum(0);
    for (int i = 0; i < 12; ++i)
      sum += Real(i + 1) * x[i];
    return Kokkos::cos(sum);
  }
};

struct Zero {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const&) const {
    return Real(0);
  }
};

struct Pole {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    return x[0] > Real(0.9) ? Real(1) / (x[1] - x[1]) : Real(1);
  }
};

TEST(RanksOfPagani, ListTheSameRegions) {
  expect_the_same_of_all({}, suite::F4<5>{}, Box<5>{}, {.relative = 1e-5});
  expect_the_same_of_all({}, suite::F5<5>{}, Box<5>{}, {.relative = 1e-4});
  expect_the_same_of_all({.relative_filter = false}, suite::F1<5>{}, Box<5>{}, {.relative = 1e-6});
}

TEST(RanksOfPagani, ShareWhatLiesInOneCorner) { expect_the_same_of_all({}, Corner{}, Box<3>{}, {.relative = 1e-10}); }

TEST(RanksOfPagani, IntegrateFunctionsThatEvaluateBatches) {
  expect_the_same_of_all({}, batched(OfBatches<Corner, 3>{}), Box<3>{}, {.relative = 1e-6});
  bool const last = ranks().rank() == ranks().size() - 1;
  auto const result = integrate(exec_of_test(), ranks(), Pagani{}, batched(OfBatches<Corner, 3>{}), Box<3>{},
                                {.relative = 1e-6}, {.bytes = last ? 1'000 : Limits{}.bytes});
  EXPECT_EQ(result.status, Status::memory_exhausted);
}

TEST(RanksOfPagani, BeginWithFewerRegionsThanProcesses) {
  expect_the_same_of_all({}, Twelve{}, Box<12>{}, {.relative = 1e-3}, {.iterations = 8});
}

TEST(RanksOfPagani, EndAtTheSameLimit) {
  expect_the_same_of_all({}, Corner{}, Box<3>{}, {.relative = 1e-12}, {.iterations = 9});
  expect_the_same_of_all({}, Zero{}, Box<2>{}, {.relative = 1e-6});
  expect_the_same_of_all({}, Pole{}, Box<2>{}, {.relative = 1e-6});
}

/// If not all regions that should be refined can be, those of the first processes are: not the same regions that one
/// process would take, but as many.
TEST(RanksOfPagani, UseUpTheSameEvaluations) {
  Limits const limits{.evaluations = 200'000};
  auto const together = integrate(exec_of_test(), ranks(), Pagani{}, Corner{}, Box<3>{}, {.relative = 1e-12}, limits);
  auto const alone = integrate(exec_of_test(), Pagani{}, Corner{}, Box<3>{}, {.relative = 1e-12}, limits);
  EXPECT_EQ(together.status, Status::evaluation_limit);
  EXPECT_EQ(together.regions, alone.regions);
  EXPECT_EQ(together.evaluations, alone.evaluations);
  EXPECT_NEAR(together.value, alone.value, alone.error);
}

TEST(RanksOfPagani, GiveUpRegionsWhereMemoryIsShort) {
  auto const result = integrate(exec_of_test(), ranks(), Pagani{}, suite::F4<5>{}, Box<5>{}, {.relative = 1e-5},
                                {.bytes = std::size_t{1} << 17});
  EXPECT_FALSE(result.remarks.empty());
  EXPECT_NEAR(result.value, 1.79132603674878596e-06, result.error);
}

TEST(RanksOfPagani, AnErrorOfOneEndsTheCallOfAll) {
  int const last = ranks().size() - 1;
  std::string words;
  try {
    integrate(exec_of_test(), ranks(), Pagani{}, Corner{}, Box<3>{}, {.relative = 1e-8}, {}, [&](Progress const& at) {
      if (ranks().rank() == last && at.iteration == 3)
        throw std::runtime_error("no more");
      return true;
    });
  } catch (std::exception const& error) {
    words = error.what();
  }
  EXPECT_EQ(words, ranks().rank() == last ? "no more" : "process " + std::to_string(last) + ": no more");
}

} // namespace

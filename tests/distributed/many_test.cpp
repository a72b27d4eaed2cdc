#include "ranks.hpp"

#include <kubature/integrate_many.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace {

using namespace kubature;

/// Two components, whose integrals over the unit square are 1 - exp(-a) and half of it.
struct Decay {
  template <class Real>
  KOKKOS_FUNCTION Kokkos::Array<Real, 2> operator()(Point<Real, 2> const& x, double a) const {
    Real const value = Real(a) * Kokkos::exp(-Real(a) * x[0]);
    return {value, value * x[1]};
  }
};

std::vector<double> rates(int count) {
  std::vector<double> all;
  for (int k = 0; k < count; ++k)
    all.push_back(0.5 + 7.3 * k);
  return all;
}

template <class Results>
void expect_same(Results const& together, Results const& alone) {
  ASSERT_EQ(together.size(), alone.size());
  EXPECT_EQ(together.status, alone.status);
  EXPECT_EQ(together.non_finite, alone.non_finite);
  EXPECT_EQ(together.evaluations, alone.evaluations);
  EXPECT_EQ(together.method, alone.method);
  EXPECT_EQ(together.backend, alone.backend);
  EXPECT_EQ(together.precision, alone.precision);
  for (std::size_t k = 0; k < alone.size(); ++k)
    for (int c = 0; c < 2; ++c) {
      EXPECT_EQ(Kokkos::bit_cast<std::uint64_t>(together.value[k][c]),
                Kokkos::bit_cast<std::uint64_t>(alone.value[k][c]));
      EXPECT_EQ(Kokkos::bit_cast<std::uint64_t>(together.error[k][c]),
                Kokkos::bit_cast<std::uint64_t>(alone.error[k][c]));
    }
}

template <class Method>
void expect_the_same_of_all(Method const& method, int count, Tolerance tolerance, Limits limits = {}) {
  Kokkos::DefaultExecutionSpace const exec;
  std::vector<Box<2>> const one{Box<2>{}};
  auto const parameters = rates(count);
  auto const alone = integrate_many(exec, method, Decay{}, one, parameters, tolerance, limits);
  expect_same(integrate_many(exec, ranks(), method, Decay{}, one, parameters, tolerance, limits), alone);
  // In rounds.
  int told = 0;
  auto const count_them = [&](Progress const& progress) {
    told = progress.iteration;
    return true;
  };
  expect_same(integrate_many(exec, ranks(), method, Decay{}, one, parameters, tolerance, limits, count_them), alone);
  EXPECT_EQ(told, count);
}

TEST(RanksOfMany, HaveTheBitsOfOne) {
  for (int const count : {1, 2, 7, 100}) {
    expect_the_same_of_all(Pagani{}, count, {.relative = 1e-6});
    expect_the_same_of_all(VegasPlus{.evaluations = 2000, .iterations = 7, .seed = 5}, count, {});
  }
  expect_the_same_of_all(VegasPlus{.evaluations = 2000, .skip = 2}, 10, {.relative = 1e-2});
}

TEST(RanksOfMany, HaveBoxesOfTheirOwn) {
  Kokkos::DefaultExecutionSpace const exec;
  std::vector<Box<2>> boxes;
  for (int k = 1; k <= 9; ++k)
    boxes.push_back(Box<2>({{0, 0.25 * k}, {0, 1}}));
  std::vector<double> const one{2.0};
  for (auto const& many :
       {integrate_many(exec, ranks(), Pagani{}, Decay{}, boxes, one, {.relative = 1e-8}),
        integrate_many(exec, ranks(), Pagani{}, Decay{}, boxes, std::vector(9, 2.0), {.relative = 1e-8})})
    for (std::size_t k = 0; k < boxes.size(); ++k)
      EXPECT_NEAR(many.value[k][0], -std::expm1(-0.5 * static_cast<double>(k + 1)), 2e-8);
}

TEST(RanksOfMany, ShareALimitOfEvaluations) {
  expect_the_same_of_all(Pagani{}, 50, {.relative = 1e-12}, {.evaluations = 50 * 40000});
  expect_the_same_of_all(VegasPlus{.evaluations = 1000}, 11, {}, {.evaluations = 11 * 9000});
}

TEST(RanksOfMany, StopWhereOneSaysSo) {
  Kokkos::DefaultExecutionSpace const exec;
  int calls = 0;
  auto const stop = [&](Progress const&) { return ++calls < 3 || ranks().rank() != ranks().size() - 1; };
  int const count = 64 * ranks().size() * exec.concurrency();
  auto const many = integrate_many(exec, ranks(), Pagani{}, Decay{}, std::vector{Box<2>{}}, rates(count),
                                   {.relative = 1e-3}, {}, stop);
  EXPECT_TRUE(many.status.front() == Status::converged);
  EXPECT_EQ(many.status.back(), Status::stopped);
  EXPECT_TRUE(std::isnan(many.value.back()[0]));
  auto const late = integrate_many(exec, ranks(), Pagani{}, Decay{}, std::vector{Box<2>{}}, rates(count),
                                   {.relative = 1e-12}, {.seconds = 1e-4});
  EXPECT_EQ(late.status.back(), Status::time_limit);
}

TEST(RanksOfMany, AnErrorOfOneEndsTheCallOfAll) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const fail = [&](Progress const&) -> bool {
    if (ranks().rank() == ranks().size() - 1)
      throw std::runtime_error("no more");
    return true;
  };
  EXPECT_THROW(
      integrate_many(exec, ranks(), Pagani{}, Decay{}, std::vector{Box<2>{}}, rates(20), {.relative = 1e-3}, {}, fail),
      std::runtime_error);
  EXPECT_THROW(integrate_many(exec, ranks(), Pagani{}, Decay{}, std::vector{Box<2>{}}, rates(20)), InvalidArgument);
  EXPECT_THROW(integrate_many(exec, ranks(), VegasPlus{.one_map = true}, Decay{}, std::vector{Box<2>{}}, rates(20)),
               InvalidArgument);
}

} // namespace

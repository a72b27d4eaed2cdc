#include "ranks.hpp"

#include <kubature/detail/components/of_all_processes.hpp>
#include <kubature/detail/memory/messages.hpp>
#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>
#include <kubature/suite/genz.hpp>
#include <kubature/suite/random_gaussians.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <vector>

namespace {

using namespace kubature;

Kokkos::DefaultExecutionSpace const exec_of_test() { return {}; }

/// Equal to the bit, NaN included.
template <class Value>
void expect_same(Value const& a, Value const& b) {
  EXPECT_EQ(std::memcmp(&a, &b, sizeof(Value)), 0);
}

template <class Value>
void expect_same(Result<Value> const& several, Result<Value> const& one) {
  EXPECT_EQ(several.status, one.status);
  EXPECT_EQ(several.evaluations, one.evaluations);
  EXPECT_EQ(several.non_finite, one.non_finite);
  expect_same(several.value, one.value);
  expect_same(several.error, one.error);
  expect_same(several.chi2_per_dof, one.chi2_per_dof);
  expect_same(several.chi2, one.chi2);
  EXPECT_EQ(several.correlations, one.correlations);
  ASSERT_EQ(several.iterations.size(), one.iterations.size());
  for (std::size_t i = 0; i < one.iterations.size(); ++i) {
    expect_same(several.iterations[i].value, one.iterations[i].value);
    expect_same(several.iterations[i].error, one.iterations[i].error);
    EXPECT_EQ(several.iterations[i].evaluations, one.iterations[i].evaluations);
  }
}

/// Two calls by all processes give what two calls by one of them give.
template <class Method, class F, int D>
void expect_the_same_of_all(Method const& method, F const& f, Box<D> const& box, Tolerance tolerance = {}) {
  auto const exec = exec_of_test();
  Integrator together(exec, ranks(), method);
  Integrator alone(exec, method);
  for (int call = 0; call < 2; ++call)
    expect_same(together.integrate(f, box, tolerance), alone.integrate(f, box, tolerance));
}

struct Ridge {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 3> const& x) const {
    Real const across = x[0] - x[1], along = x[0] + x[1] + x[2] - Real(1);
    return Kokkos::exp(-Real(200) * across * across) / (Real(0.01) + along * along);
  }
};

struct Moments {
  template <class Real>
  KOKKOS_FUNCTION Kokkos::Array<Real, 2> operator()(Point<Real, 2> const& x) const {
    return {x[0] * x[1], Kokkos::exp(-x[0])};
  }
};

struct Kink {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 1> const& x) const {
    return Kokkos::abs(x[0] - Real(0.3));
  }
};

TEST(Ranks, PlainMonteCarlo) {
  expect_the_same_of_all(PlainMonteCarlo<>{.evaluations = 300'001}, Ridge{}, Box<3>{});
  expect_the_same_of_all(PlainMonteCarlo<Fp32>{.evaluations = 50'000}, Ridge{}, Box<3>{});
  expect_the_same_of_all(PlainMonteCarlo<>{.evaluations = 50'000}, Moments{}, Box<2>{});
}

TEST(Ranks, FullCovariance) {
  auto const full = Covariance::full;
  expect_the_same_of_all(PlainMonteCarlo<>{.evaluations = 300'001, .covariance = full}, Moments{}, Box<2>{});
  expect_the_same_of_all(kubature::MCubes<>{.evaluations = 50'000, .covariance = full}, Moments{}, Box<2>{});
  expect_the_same_of_all(
      kubature::VegasPlus<>{.evaluations = 50'000, .covariance = full, .driver = Driver::sum_of_magnitudes}, Moments{},
      Box<2>{});
  expect_the_same_of_all(
      kubature::MixedPrecision<Fp64>{.evaluations = 50'000, .strategy = Strategy::region, .covariance = full},
      Moments{}, Box<2>{});
}

TEST(Ranks, QuasiMonteCarlo) {
  expect_the_same_of_all(QuasiMonteCarlo<>{.evaluations = 1 << 18, .shifts = 7}, Ridge{}, Box<3>{});
  expect_the_same_of_all(QuasiMonteCarlo<>{.evaluations = 1000}, Moments{}, Box<2>{}, {.relative = 1e-6});
  // Two more maps are trained on the way: one is of no use, and in the other the call begins anew.
  expect_the_same_of_all(QuasiMonteCarlo<>{.evaluations = 1 << 14}, Ridge{}, Box<3>{}, {.relative = 1e-5});
  expect_the_same_of_all(QuasiMonteCarlo<>{.evaluations = 1 << 14}, kubature::suite::F4<3>{}, Box<3>{},
                         {.relative = 1e-7});
}

TEST(Ranks, FewerChunksThanProcesses) {
  expect_the_same_of_all(PlainMonteCarlo<>{.evaluations = 5}, Kink{}, Box<1>{});
  expect_the_same_of_all(QuasiMonteCarlo<>{.evaluations = 5}, Ridge{}, Box<3>{});
  expect_the_same_of_all(kubature::MCubes<>{.evaluations = 10}, Ridge{}, Box<3>{});
  expect_the_same_of_all(VegasPlus<>{.evaluations = 10}, Kink{}, Box<1>{});
}

TEST(Ranks, GroupsOfChunks) {
  expect_the_same_of_all(PlainMonteCarlo<>{.evaluations = 8'000'003, .iterations = 1}, Kink{}, Box<1>{});
  expect_the_same_of_all(VegasPlus<>{.evaluations = 3'000'000, .iterations = 2, .skip = 0}, Kink{}, Box<1>{});
}

TEST(Ranks, MCubes) {
  expect_the_same_of_all(kubature::MCubes<>{.evaluations = 200'000, .iterations = 12, .adapt = 8}, Ridge{}, Box<3>{});
  expect_the_same_of_all(kubature::MCubes<Fp32Pure>{.evaluations = 60'000}, Ridge{}, Box<3>{});
  expect_the_same_of_all(kubature::MCubes<>{.evaluations = 60'000, .one_map = true}, Ridge{}, Box<3>{});
}

TEST(Ranks, VegasPlus) {
  expect_the_same_of_all(kubature::VegasPlus<>{.evaluations = 100'000}, Ridge{}, Box<3>{});
  expect_the_same_of_all(kubature::VegasPlus<>{.evaluations = 100'000, .redistribute = 0.99}, Ridge{}, Box<3>{});
  expect_the_same_of_all(kubature::VegasPlus<>{.evaluations = 100'000, .iterations = 8}, kubature::suite::F1<5>{},
                         Box<5>{});
  expect_the_same_of_all(kubature::VegasPlus<Fp32>{.evaluations = 77'777}, Ridge{}, Box<3>{});
  expect_the_same_of_all(kubature::VegasPlus<>{.evaluations = 50'000}, Moments{}, Box<2>{});
  expect_the_same_of_all(kubature::VegasPlus<>{.evaluations = 20'000}, Kink{}, Box<1>{{-1, 2}});
}

TEST(Ranks, IntegrandsThatEvaluateBatches) {
  auto const f = batched(OfBatches<Ridge, 3>{});
  expect_the_same_of_all(kubature::PlainMonteCarlo<>{.evaluations = 100'000, .iterations = 3}, f, Box<3>{});
  expect_the_same_of_all(kubature::MCubes<>{.evaluations = 100'000, .iterations = 3, .skip = 0}, f, Box<3>{});
  expect_the_same_of_all(kubature::VegasPlus<>{.evaluations = 100'000, .iterations = 3, .skip = 0}, f, Box<3>{});
  expect_the_same_of_all(
      kubature::MixedPrecision<Fp64>{.evaluations = 30'000, .iterations = 2, .strategy = Strategy::region}, f,
      Box<3>{});
}

/// exp(-c x y / 10).
struct Family {
  using Space = Kokkos::DefaultExecutionSpace;

  struct Evaluate {
    BatchPoints<Space> points;
    BatchValues<Space> values;
    KOKKOS_FUNCTION void operator()(std::int64_t k) const {
      for (int c = 0; c < static_cast<int>(values.extent(1)); ++c)
        values(k, c) = Kokkos::exp(-0.1 * c * points(k, 0) * points(k, 1));
    }
  };
  void operator()(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    Kokkos::parallel_for("test::ranks::family",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(exec, 0, points.extent(0)),
                         Evaluate{points, values});
  }
};

/// So many that they are known at run time only. With few evaluations all are one batch, of which each process has a
/// part.
template <class Method>
void expect_the_same_components(Method const& method) {
  auto const exec = exec_of_test();
  auto const f = batched(Family{}, 40);
  for (std::uint64_t const evaluations : {10u, 5'000u, 100'000u}) {
    auto some = method;
    some.evaluations = evaluations;
    auto const together = integrate(exec, ranks(), some, f, Box<2>{}), alone = integrate(exec, some, f, Box<2>{});
    EXPECT_EQ(together.status, alone.status);
    EXPECT_EQ(together.evaluations, alone.evaluations);
    EXPECT_EQ(together.value, alone.value);
    EXPECT_EQ(together.error, alone.error);
    EXPECT_EQ(together.chi2_per_dof, alone.chi2_per_dof);
  }
}

TEST(Ranks, ComponentsKnownAtRunTime) {
  expect_the_same_components(PlainMonteCarlo<>{.iterations = 2});
  expect_the_same_components(kubature::MCubes<>{.iterations = 4, .skip = 1});
  expect_the_same_components(kubature::VegasPlus<>{.iterations = 4, .skip = 1});
  expect_the_same_components(kubature::MixedPrecision<Fp64>{.iterations = 2, .strategy = Strategy::region});
  bool const last = ranks().rank() == ranks().size() - 1;
  auto const none = integrate(exec_of_test(), ranks(), kubature::PlainMonteCarlo<>{.evaluations = 300'000},
                              batched(Family{}, 40), Box<2>{}, {}, {.bytes = last ? 100'000 : Limits{}.bytes});
  EXPECT_EQ(none.status, Status::memory_exhausted);
}

TEST(Ranks, NobodyWaitsForAProcessWithoutRoomForABatch) {
  bool const last = ranks().rank() == ranks().size() - 1;
  auto const result =
      integrate(exec_of_test(), ranks(), kubature::PlainMonteCarlo<>{.evaluations = 300'000},
                batched(OfBatches<Ridge, 3>{}), Box<3>{}, {}, {.bytes = last ? 100'000 : Limits{}.bytes});
  EXPECT_EQ(result.status, Status::memory_exhausted);
}

TEST(Ranks, NobodyWaitsForAProcessWithoutRoomForAMap) {
  bool const last = ranks().rank() == ranks().size() - 1;
  auto const call = [&](auto const& method) {
    return integrate(exec_of_test(), ranks(), method, Ridge{}, Box<3>{}, {}, {.bytes = last ? 100 : Limits{}.bytes});
  };
  EXPECT_EQ(call(kubature::VegasPlus<>{.evaluations = 100'000}).status, Status::memory_exhausted);
  EXPECT_EQ(call(kubature::MCubes<>{.evaluations = 100'000}).status, Status::memory_exhausted);
}

TEST(Ranks, VegasPlusWithFrozenStrata) {
  expect_the_same_of_all(kubature::VegasPlus<>{.evaluations = 100'000, .iterations = 10, .adapt = 6}, Ridge{},
                         Box<3>{});
}

TEST(Ranks, VegasPlusThatGrowsItsIterations) {
  expect_the_same_of_all(kubature::VegasPlus<>{.evaluations = 10'000}, Ridge{}, Box<3>{}, {.relative = 2e-4});
}

TEST(Ranks, MixedPrecision) {
  auto const terms = Expression::parse("exp(-(x-y)^2) + sin(30*x) + 1000*y*z^2");
  Box const box{{0, 1}, {0, 1}, {0, 1}};
  for (auto const strategy : {Strategy::term, Strategy::region, Strategy::hybrid})
    expect_the_same_of_all(kubature::MixedPrecision<>{.evaluations = 30'000, .iterations = 4, .strategy = strategy},
                           terms, box, {.relative = 1e-6});
  expect_the_same_of_all(kubature::VegasPlus<Adaptive>{.evaluations = 20'000}, Ridge{}, Box<3>{}, {.relative = 1e-2});
}

TEST(Ranks, StopWhereOneAsks) {
  auto const method = kubature::VegasPlus<>{.evaluations = 10'000};
  auto const result = integrate(exec_of_test(), ranks(), method, Ridge{}, Box<3>{}, {}, {}, [](Progress const& at) {
    return ranks().rank() + 1 < ranks().size() || at.iteration < 3;
  });
  EXPECT_EQ(result.status, Status::stopped);
  EXPECT_EQ(result.iterations.size(), 3u);
}

/// A checkpoint of all processes serves a single process, and vice versa.
TEST(Ranks, CheckpointServesAnyNumberOfProcesses) {
  auto const exec = exec_of_test();
  kubature::VegasPlus<> method{.evaluations = 100'000, .iterations = 12, .adapt = 9};
  auto const through = integrate(exec, method, Ridge{}, Box<3>{});
  method.checkpoint = {.file = "ranks_" + std::to_string(ranks().size()) + ".checkpoint", .seconds = 0};
  auto const stop_at = [](int iteration) { return [=](Progress const& at) { return at.iteration < iteration; }; };
  Communicator const alone;
  for (int first : {0, 1}) { // who begins
    if (ranks().rank() == 0)
      std::filesystem::remove(method.checkpoint.file);
    ranks().any(false);
    for (int iteration : {4, 11, 100}) {
      bool const all = (iteration == 11) == (first == 1);
      if (all || ranks().rank() == 0) {
        auto const result =
            integrate(exec, all ? ranks() : alone, method, Ridge{}, Box<3>{}, {}, {}, stop_at(iteration));
        EXPECT_EQ(result.status, iteration == 100 ? Status::completed : Status::stopped);
        if (iteration == 100)
          expect_same(result, through);
      }
      ranks().any(false);
    }
    EXPECT_FALSE(std::filesystem::exists(method.checkpoint.file));
  }
}

/// What the call throws; "nothing" if it does not throw.
template <class Call>
std::string thrown(Call const& call) {
  try {
    call();
  } catch (InvalidArgument const& error) {
    return std::string("InvalidArgument ") + error.what();
  } catch (std::exception const& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Ranks, AnErrorOfOneEndsTheCallOfAll) {
  int const last = ranks().size() - 1;
  auto const integrate_with = [&](auto const& method, auto const& error) {
    return thrown([&] {
      integrate(exec_of_test(), ranks(), method, Ridge{}, Box<3>{}, {}, {}, [&](Progress const& at) {
        if (ranks().rank() == last && at.iteration == 2)
          throw error;
        return true;
      });
    });
  };
  std::string const words = ranks().rank() == last ? "no more" : "process " + std::to_string(last) + ": no more";
  std::runtime_error const error("no more");
  EXPECT_EQ(integrate_with(kubature::VegasPlus<>{.evaluations = 10'000}, error), words);
  EXPECT_EQ(integrate_with(kubature::MCubes<>{.evaluations = 10'000}, error), words);
  EXPECT_EQ(integrate_with(PlainMonteCarlo<>{.evaluations = 10'000}, error), words);
  EXPECT_EQ(integrate_with(kubature::VegasPlus<>{.evaluations = 10'000}, InvalidArgument("file", "f", "is full")),
            "InvalidArgument file = f: is full");
  // The processes are in step again.
  expect_the_same_of_all(kubature::VegasPlus<>{.evaluations = 10'000}, Ridge{}, Box<3>{});
}

/// An integrand whose preparation fails on one process, before that process has met the others at all.
struct Unprepared : Ridge {
  int dimension() const { return 3; }
  Ridge on(Kokkos::DefaultExecutionSpace const&) const {
    if (ranks().rank() == 0)
      throw std::bad_alloc();
    return {};
  }
};

TEST(Ranks, AnErrorBeforeTheFirstIteration) {
  auto const words = thrown(
      [] { integrate(exec_of_test(), ranks(), kubature::VegasPlus<>{.evaluations = 1000}, Unprepared{}, Box<3>{}); });
  EXPECT_EQ(words, (ranks().rank() == 0 ? "" : "process 0: ") + std::string(std::bad_alloc().what()));
}

/// One process refuses its options, or has no memory, while the others go on to sample.
TEST(Ranks, NobodyWaitsForAProcessThatFailsToConstruct) {
  auto const exec = exec_of_test();
  int const last = ranks().size() - 1;
  bool const mine = ranks().rank() == last;
  auto const refused = thrown(
      [&] { integrate(exec, ranks(), kubature::VegasPlus<>{.evaluations = mine ? 1u : 1000u}, Ridge{}, Box<3>{}); });
  EXPECT_EQ(refused, "InvalidArgument VegasPlus.evaluations = 1: an error estimate needs at least 2");
  auto const no_memory = thrown([&] {
    ranks().agree([&] {
      if (mine)
        throw std::bad_alloc();
      return Integrator(exec, ranks(), kubature::MCubes<>{.evaluations = 1000}).integrate(Ridge{}, Box<3>{});
    });
  });
  EXPECT_EQ(no_memory, (mine ? "" : "process " + std::to_string(last) + ": ") + std::string(std::bad_alloc().what()));
  // Within adaptive calls, calls lie within calls.
  auto const adapted = thrown([&] {
    integrate(exec, ranks(), PlainMonteCarlo{.evaluations = 10'000, .precision = adaptive}, Ridge{}, Box<3>{},
              {.relative = mine ? -1 : 1e-3});
  });
  EXPECT_TRUE(adapted.starts_with("InvalidArgument Tolerance.relative = -1: ")) << adapted;
  expect_the_same_of_all(kubature::VegasPlus<>{.evaluations = 10'000}, Ridge{}, Box<3>{}); // in step again
}

TEST(Ranks, WhatAnotherProcessThrewIsAnExceptionOutsideOfCalls) {
  if (ranks().size() == 1)
    GTEST_SKIP() << "there is no other";
  bool const mine = ranks().rank() == 0;
  auto const words = thrown([&] {
    if (mine)
      ranks().agree([]() -> int { throw std::runtime_error("no more"); });
    else
      ranks().any(false); // as an impatient caller might
  });
  EXPECT_EQ(words, mine ? "no more" : "process 0: no more");
}

TEST(Ranks, MapsAreReadByTheFirstProcessForAll) {
  VegasMap const map(1, 2, {0, 0.25, 1});
  auto const file = "ranks_" + std::to_string(ranks().size()) + ".map";
  if (ranks().rank() == 0)
    map.save(file);
  auto const loaded = VegasMap::load(ranks(), ranks().rank() == 0 ? file : "/no/such/file");
  EXPECT_EQ(loaded.edges(0)[1], 0.25);
  if (ranks().rank() == 0)
    std::filesystem::remove(file);
  auto const words = thrown([&] { VegasMap::load(ranks(), file); });
  EXPECT_TRUE(words.starts_with("InvalidArgument file = " + file + ": cannot be read: ")) << words;
}

TEST(Ranks, SumsAndGathersOfCommunicators) {
  auto const me = static_cast<std::uint64_t>(ranks().rank()), size = static_cast<std::uint64_t>(ranks().size());
  std::vector<std::uint64_t> numbers{me, 1};
  ranks().sum(numbers);
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{size * (size - 1) / 2, size}));
  std::vector<std::size_t> begins;
  for (std::uint64_t r = 0; r <= size; ++r)
    begins.push_back(r * (r + 1) / 2); // process r has r + 1 words
  std::vector<std::uint64_t> words(begins.back(), 100);
  for (std::size_t k = begins[me]; k < begins[me + 1]; ++k)
    words[k] = me;
  ranks().gather(words, begins);
  for (std::uint64_t r = 0; r < size; ++r)
    for (std::size_t k = begins[r]; k < begins[r + 1]; ++k)
      EXPECT_EQ(words[k], r);
  EXPECT_EQ(ranks().least(me + 7), 7u);
  EXPECT_TRUE(ranks().any(me + 1 == size));
  EXPECT_FALSE(ranks().any(false));
  std::string text = me == 0 ? "news" : "";
  ranks().broadcast(text);
  EXPECT_EQ(text, "news");
}

/// As the products of components are added.
TEST(Ranks, SumsOfNumbersWithFractions) {
  auto const size = ranks().size();
  std::vector<double> numbers{0.25 + ranks().rank(), -1e30, 0.5 * ranks().rank() * ranks().rank()};
  double squares = 0;
  for (int r = 0; r < size; ++r)
    squares += 0.5 * r * r;
  detail::add_of_all(ranks(), numbers);
  EXPECT_EQ(numbers, (std::vector<double>{0.25 * size + 0.5 * size * (size - 1), -1e30 * size, squares}));
}

/// Two messages from each process to the next one, and a third from it to the one after that.
TEST(Ranks, MessagesArriveInTheirOrder) {
  if (ranks().size() == 1)
    GTEST_SKIP() << "nobody to send to";
  auto const exec = exec_of_test();
  using Space = Kokkos::DefaultExecutionSpace;
  int const me = ranks().rank(), size = ranks().size(), next = (me + 1) % size, last = (me + size - 1) % size;
  Kokkos::View<float*, Space> const all("test::messages", 460);
  auto const place = [&](int first, int count) {
    return detail::memory_of(all.data() + first, static_cast<std::uint64_t>(count));
  };
  detail::Messages<Space> messages("test::messages");
  bool const device = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;
  for (bool const straight : {false, true}) {
    if (straight && device && !ranks().device_buffers())
      continue;
    Kokkos::deep_copy(exec, all, -1.0f);
    Kokkos::deep_copy(exec, Kokkos::subview(all, std::pair(0, 60)), static_cast<float>(me));
    Kokkos::deep_copy(exec, Kokkos::subview(all, std::pair(60, 160)), static_cast<float>(me) + 0.5f);
    messages.send(next, place(0, 60));
    messages.send(next, place(60, 100));
    messages.receive(last, place(200, 60));
    messages.receive(last, place(260, 100));
    if (size > 2) {
      messages.send((me + 2) % size, place(60, 100)); // again
      messages.receive((me + size - 2) % size, place(360, 100));
    }
    messages.exchange(exec, ranks(), straight);
    auto const seen = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all);
    for (int k = 200; k < 260; ++k)
      ASSERT_EQ(seen(k), static_cast<float>(last));
    for (int k = 260; k < 360; ++k)
      ASSERT_EQ(seen(k), static_cast<float>(last) + 0.5f);
    for (int k = 360; size > 2 && k < 460; ++k)
      ASSERT_EQ(seen(k), static_cast<float>((me + size - 2) % size) + 0.5f);
  }
}

/// Searches are the same on all ranks, and parts are shared.
TEST(RanksOfChannels, AddTheSameParts) {
  auto const f = suite::random_gaussians<4>(20000);
  VegasPlus const method{.evaluations = 50'000, .channels = Channels::always};
  Kokkos::DefaultExecutionSpace const exec;
  for (Tolerance const& tolerance : {Tolerance{}, Tolerance{.relative = 3e-3}}) {
    auto const together = integrate(exec, ranks(), method, f, Box<4>{}, tolerance);
    auto const alone = integrate(exec, method, f, Box<4>{}, tolerance);
    EXPECT_EQ(together.value, alone.value);
    EXPECT_EQ(together.error, alone.error);
    EXPECT_EQ(together.evaluations, alone.evaluations);
    EXPECT_NEAR(together.value, f.integral(), 5 * together.error);
  }
}

} // namespace

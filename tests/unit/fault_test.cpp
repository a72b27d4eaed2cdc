/// \file What a call does if something that it needs is missing: memory, a callback that returns, a running Kokkos.
/// Memory comes from operator new, which this program replaces; so do the Views of hosts.

#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#ifdef __has_feature
#if __has_feature(thread_sanitizer) // it replaces the operators itself
#define KUBATURE_OPERATORS_ARE_TAKEN
#endif
#endif

namespace {

/// Allocations of this thread until one fails (0: none does), and how many there were. Small ones do not count: Kokkos
/// makes some, for labels, in destructors, where nothing can be done about a failure.
thread_local long until_failure = 0, allocations = 0;
constexpr std::size_t small = 128;

void* allocate(std::size_t size, std::size_t alignment) {
  allocations += size > small;
  if (size > small && until_failure > 0 && --until_failure == 0)
    return nullptr;
  alignment = std::max(alignment, alignof(std::max_align_t));
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment + (size == 0 ? alignment : 0));
}
void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  if (void* const memory = allocate(size, alignment))
    return memory;
  throw std::bad_alloc();
}

} // namespace

#ifdef __NVCC__
#pragma nv_diag_suppress 20011, 20014 // it takes these operators for those of devices, too
#endif
#ifndef KUBATURE_OPERATORS_ARE_TAKEN
void* operator new(std::size_t size) { return allocate_or_throw(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, std::nothrow_t const&) noexcept { return allocate(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment, std::nothrow_t const&) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::nothrow_t const&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t, std::nothrow_t const&) noexcept { std::free(memory); }
#endif

namespace {

using namespace kubature;

/// A call of each method that takes several iterations or rounds.
std::vector<std::pair<char const*, std::function<Result<>(Callback const&)>>> calls() {
  auto const call = [](auto const& method, Tolerance tolerance) {
    return
        [=](Callback const& callback) { return integrate(method, suite::F4<3>{}, Box<3>{}, tolerance, {}, callback); };
  };
  return {{"mc", call(PlainMonteCarlo{.evaluations = 1000, .iterations = 4}, {})},
          {"mcubes", call(MCubes{.evaluations = 1000, .iterations = 4, .skip = 1}, {})},
          {"vegas+", call(VegasPlus{.evaluations = 1000, .iterations = 4, .skip = 1}, {})},
          {"adaptive", call(VegasPlus{.evaluations = 1000, .iterations = 4, .skip = 1, .precision = adaptive}, {})},
          {"pagani", call(Pagani{}, {.relative = 1e-3})},
          {"two-phase", call(kubature::TwoPhase{.regions = 64}, {.relative = 1e-2})},
          {"mixed", call(MixedPrecision{.evaluations = 1000, .iterations = 4, .strategy = Strategy::hybrid}, {})},
          {"expression", [](Callback const& callback) {
             return integrate(PlainMonteCarlo{.evaluations = 1000, .iterations = 4}, Expression::parse("x*y + exp(-x)"),
                              Box<2>{}, {}, {}, callback);
           }}};
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::DefaultExecutionSpace, Kokkos::HostSpace>::accessible;

TEST(Faults, NoMemoryAtAnyAllocation) {
  if (!on_host)
    GTEST_SKIP() << "memory of a card does not come from operator new";
#ifdef KUBATURE_OPERATORS_ARE_TAKEN
  GTEST_SKIP() << "the sanitizer's operators never fail";
#endif
  for (auto const& [name, call] : calls()) {
    double const value = call({}).value;
    allocations = 0;
    call({});
    long const all = allocations;
    ASSERT_GT(all, 0) << name;
    long thrown = 0, told = 0;
    for (long n = 1; n <= all; ++n) {
      std::optional<Result<>> result;
      bool exception = false;
      until_failure = n;
      try {
        result = call({});
      } catch (std::exception const&) { // from the standard library or from Kokkos
        exception = true;
      }
      until_failure = 0;
      thrown += exception;
      told += result && result->status == Status::memory_exhausted;
      if (result && result->status != Status::memory_exhausted) {
        EXPECT_NEAR(result->value, value, 1e-2 * std::abs(value)) << name << " without allocation " << n;
      }
    }
    EXPECT_GT(thrown + told, 0) << name;
    EXPECT_TRUE(same_bits(call({}).value, value)) << name; // all that has left no trace
  }
}

struct Unwell {};

TEST(Faults, AnExceptionOfTheCallback) {
  for (auto const& [name, call] : calls()) {
    double const value = call({}).value;
    EXPECT_THROW(call([](Progress const&) -> bool { throw Unwell{}; }), Unwell) << name;
    EXPECT_TRUE(same_bits(call({}).value, value)) << name;
  }
}

/// An integrand whose preparation on the host fails as often as it is told to.
struct Unprepared : suite::F4<3> {
  bool* fails;
  int dimension() const { return 3; }
  suite::F4<3> on(Kokkos::DefaultExecutionSpace const&) const {
    if (*fails)
      throw Unwell{};
    return {};
  }
};

TEST(Faults, AnExceptionOfTheIntegrandsHostSide) {
  bool fails = false;
  Unprepared const f{{}, &fails};
  auto const check = [&](auto const& method, Tolerance tolerance) {
    Integrator fresh(Kokkos::DefaultExecutionSpace(), method), tried(Kokkos::DefaultExecutionSpace(), method);
    fails = true;
    EXPECT_THROW(tried.integrate(f, Box<3>{}, tolerance), Unwell);
    fails = false;
    auto const value = fresh.integrate(f, Box<3>{}, tolerance).value;
    EXPECT_TRUE(same_bits(tried.integrate(f, Box<3>{}, tolerance).value, value));
  };
  check(PlainMonteCarlo{.evaluations = 1000}, {});
  check(VegasPlus{.evaluations = 1000}, {});
  check(Pagani{}, {.relative = 1e-3});
}

/// Each host thread has integrators of its own; those that share an instance take turns at its kernels.
TEST(Faults, TenThreadsIntegrateAtOnce) {
  if (!on_host)
    GTEST_SKIP() << "threads that share a card have an instance each";
  auto const all = calls();
  std::vector<double> values;
  for (auto const& [name, call] : all)
    values.push_back(call({}).value);
  std::vector<int> wrong(10, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      for (std::size_t round = 0; round < 2 * all.size(); ++round) {
        std::size_t const k = (t + round) % all.size();
        wrong[t] += !same_bits(all[k].second({}).value, values[k]);
      }
    });
  for (auto& thread : threads)
    thread.join();
  for (int const count : wrong)
    EXPECT_EQ(count, 0);
}

std::string problem(std::function<void()> const& call) {
  try {
    call();
    return "none";
  } catch (InvalidArgument const& error) {
    return error.argument() + ' ' + error.value();
  }
}

auto const integrate_by_default = [] { integrate(Pagani{}, suite::F4<3>{}, Box<3>{}, {.relative = 1e-3}); };

/// What a separate process writes to standard error before it ends with an abort; empty if it ends otherwise.
std::string last_words(std::function<void()> const& work) {
  int pipe[2];
  if (::pipe(pipe) != 0)
    return "";
  pid_t const child = ::fork();
  if (child == 0) {
    ::dup2(pipe[1], STDERR_FILENO);
    work();
    ::_exit(0);
  }
  ::close(pipe[1]);
  std::string words;
  char text[256];
  for (ssize_t count = 0; (count = ::read(pipe[0], text, sizeof text)) > 0;)
    words.append(text, static_cast<std::size_t>(count));
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? words : "";
}

} // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  auto const before = problem(integrate_by_default);
  Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
  int status = RUN_ALL_TESTS();
  auto* const outlives = new Integrator(Kokkos::DefaultExecutionSpace(), Pagani{}); // and is never deleted
  outlives->integrate(suite::F4<3>{}, Box<3>{}, {.relative = 1e-3});
  Kokkos::finalize();
  auto const expect = [&](bool good, std::string const& found) {
    if (!good) {
      std::cerr << "unexpected: '" << found << "'\n";
      status = 1;
    }
  };
  expect(before == "Kokkos not initialised", before);
  auto const after = problem(integrate_by_default);
  expect(after == "Kokkos finalised", after);
  auto const outlived = problem([&] { outlives->integrate(suite::F4<3>{}, Box<3>{}, {.relative = 1e-3}); });
  expect(outlived == "Kokkos finalised", outlived);
  if (on_host) { // what Kokkos says when it ends the program
    auto const words = last_words([&] { delete outlives; });
    expect(words.find("finalize") != words.npos, words);
  }
  return status;
}

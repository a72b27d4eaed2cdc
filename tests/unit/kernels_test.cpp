#include "spaces.hpp"

#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>
#include <kubature/table.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kernels_test {
namespace {

using namespace kubature;

/// What Kokkos reports to its tools while a call runs.
struct Record {
  std::set<std::string> kernels, allocations, copies;
  std::set<std::pair<std::string, std::uint32_t>> devices; ///< where kernels ran and the library's own fences waited
  int allocation_count = 0;
  std::uint64_t largest_copy = 0; ///< in bytes
};
Record record;

void kernel(char const* name, std::uint32_t device, std::uint64_t*) {
  record.kernels.insert(name);
  record.devices.insert({name, device});
}
void allocation(Kokkos_Profiling_SpaceHandle, char const* label, void const*, std::uint64_t bytes) {
  if (bytes == 0) // Kokkos 4.6 asks for no bytes of scratch at each launch
    return;
  record.allocations.insert(label);
  ++record.allocation_count;
}
void fence(char const* name, std::uint32_t device, std::uint64_t*) {
  if (std::string(name).starts_with("kubature")) // Kokkos fences all when it frees memory
    record.devices.insert({name, device});
}
void copy(Kokkos_Profiling_SpaceHandle, char const* to, void const*, Kokkos_Profiling_SpaceHandle, char const* from,
          void const*, std::uint64_t bytes) {
  record.largest_copy = std::max(record.largest_copy, bytes);
  record.copies.insert(std::string(to) + " <- " + from);
}

/// Runs a call, and returns what was recorded.
template <class Call>
Record watch(Call const& call) {
  namespace tools = Kokkos::Tools::Experimental;
  record = {};
  tools::set_begin_parallel_for_callback(kernel);
  tools::set_begin_parallel_reduce_callback(kernel);
  tools::set_begin_parallel_scan_callback(kernel);
  tools::set_allocate_data_callback(allocation);
  tools::set_begin_fence_callback(fence);
  tools::set_begin_deep_copy_callback(copy);
  call();
  tools::pause_tools();
  return record;
}

/// kubature::<part>::<step>, in lower case.
bool is_label(std::string const& name) {
  return name.starts_with("kubature::") && std::count(name.begin(), name.end(), ':') == 4 && !name.ends_with(':') &&
         name.find("::", 10) > 10 && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_:") == std::string::npos;
}

bool of_cubature(std::string const& name) {
  return name.starts_with("kubature::regions::") || name.starts_with("kubature::second_opinion::");
}

/// A separate instance beside the space's default one.
template <class Space>
Space other_instance() {
  return Kokkos::Experimental::partition_space(Space(), 1, 1)[1];
}

template <class Space>
class Kernels : public ::testing::Test {
protected:
  void TearDown() override { Kokkos::Tools::Experimental::resume_tools(); }

  /// Limits with which a cubature lists thousands of regions if it may, and has to commit some if it may not.
  static constexpr std::array<std::size_t, 2> many_and_few = {Limits{}.bytes, 100'000};

  /// Everything in the library that launches, allocates or copies.
  static void run_everything(Space const& exec) {
    MCubes const mcubes{.evaluations = 10'000};
    integrate(exec, mcubes, suite::F4<5>{}, Box<5>{}, {.relative = 1e-3});
    integrate(exec, MCubes{.evaluations = 1000, .one_map = true}, suite::F4<5>{}, Box<5>{});
    integrate(exec, PlainMonteCarlo{.evaluations = 10'000}, suite::F4<5>{}, Box<5>{});
    integrate(exec, QuasiMonteCarlo{.evaluations = 50'000}, suite::F4<5>{}, Box<5>{});
    Integrator plus(exec, VegasPlus{.evaluations = 10'000});
    plus.integrate(suite::F4<5>{}, Box<5>{}, {.relative = 1e-4}); // grows
    plus.map().sample(exec, Box<5>{}, 1000);
    integrate(exec, mcubes, Expression::parse("x*y"), Box<2>{});
    for (Strategy const strategy : {Strategy::term, Strategy::region, Strategy::hybrid})
      integrate(exec, MixedPrecision{.evaluations = 10'000, .strategy = strategy}, suite::mixed_eq12(), Box<8>{});
    integrate(exec, PlainMonteCarlo<Adaptive>{.evaluations = 10'000, .precision = adaptive}, suite::F4<5>{}, Box<5>{});
    for (std::size_t const bytes : many_and_few)
      integrate(exec, Pagani{}, suite::F5<5>{}, Box<5>{}, {.relative = 1e-4}, {.bytes = bytes});
    integrate(exec, kubature::TwoPhase{.regions = 64}, suite::F5<5>{}, Box<5>{}, {.relative = 1e-2}, {.seconds = 60});
    std::vector<double> const values{1, 2};
    Table1D<Space> const table(exec, {{{0, 1}}}, values);
  }
};
TYPED_TEST_SUITE(Kernels, spaces::All, spaces::Names);

TYPED_TEST(Kernels, EveryKernelAndViewHasALabel) {
  auto const exec = other_instance<TypeParam>();
  auto const seen = watch([&] { this->run_everything(exec); });
  EXPECT_GE(seen.kernels.size(), 5u);
  for (auto const step : {"summarise", "find_misplaced", "exchange", "refine", "add_up", "join", "evaluate"})
    EXPECT_TRUE(seen.kernels.contains(std::string("kubature::regions::") + step)) << step;
  for (auto const step : {"sample", "sum_blocks", "scan_blocks", "carry_over", "join"})
    EXPECT_TRUE(seen.kernels.contains(std::string("kubature::vegas_plus::") + step)) << step;
  for (auto const& name : seen.kernels)
    EXPECT_TRUE(is_label(name)) << name;
  EXPECT_GE(seen.allocations.size(), 8u);
  for (auto const& name : seen.allocations)
    EXPECT_TRUE(is_label(name) || name.starts_with("Kokkos::")) << name; // Kokkos's own scratch
}

TYPED_TEST(Kernels, EverythingRunsOnTheInstanceGiven) {
  auto const exec = other_instance<TypeParam>();
  auto const seen = watch([&] { this->run_everything(exec); });
  auto const given = Kokkos::Tools::Experimental::device_id(exec);
  EXPECT_FALSE(seen.devices.empty());
  for (auto const& [name, device] : seen.devices) {
    bool const alone = !detail::on_device_of_its_own<TypeParam> && of_cubature(name); // may run on the calling thread
    EXPECT_TRUE(device == given || alone) << name;
  }
}

TYPED_TEST(Kernels, ASecondCallOfCubatureAllocatesNothingAndCopiesNoMoreThanItsReports) {
  TypeParam const exec;
  for (auto const& [bytes, channels] : {std::pair{this->many_and_few[0], Channels::never},
                                        {this->many_and_few[1], Channels::never},
                                        {this->many_and_few[0], Channels::automatic}}) {
    Integrator pagani(exec, Pagani{.channels = channels});
    auto const call = [&] {
      auto const result = pagani.integrate(suite::F5<5>{}, Box<5>{}, {.relative = 1e-4}, {.bytes = bytes});
      EXPECT_GT(result.regions, 1024u); // more than one team works on
      EXPECT_EQ(result.status, Status::converged);
      EXPECT_EQ(result.remarks.empty(), bytes == Limits{}.bytes) << result; // otherwise memory was short, as it says
    };
    call();
    auto const second = watch(call);
    EXPECT_EQ(second.allocation_count, 0) << *second.allocations.begin();
    if (channels == Channels::never) { // a second look reads heights of points
      EXPECT_LT(second.largest_copy, 8192u);
    }
  }
}

TYPED_TEST(Kernels, ASecondCallInMixedPrecisionAllocatesNothing) {
  TypeParam const exec;
  Integrator mixed(exec, MixedPrecision{.evaluations = 10'000, .strategy = Strategy::hybrid});
  Integrator plus(exec, VegasPlus<Adaptive>{.evaluations = 10'000, .precision = adaptive});
  auto const call = [&] {
    mixed.integrate(suite::mixed_eq12(), Box<8>{});
    plus.integrate(suite::F4<5>{}, Box<5>{});
  };
  call();
  auto const second = watch(call);
  EXPECT_EQ(second.allocation_count, 0) << *second.allocations.begin();
}

TYPED_TEST(Kernels, ASecondCallOfQuasiMonteCarloAllocatesNothing) {
  Integrator lattice(TypeParam(), QuasiMonteCarlo{.evaluations = 50'000});
  auto const call = [&] { lattice.integrate(suite::F4<5>{}, Box<5>{}); };
  call();
  auto const second = watch(call);
  EXPECT_EQ(second.allocation_count, 0) << *second.allocations.begin();
}

/// Except for the map in which audits draw points, these points and their values.
TYPED_TEST(Kernels, ASecondCallAllocatesNothingAndCopiesNothing) {
  TypeParam const exec;
  Integrator mcubes(exec, MCubes{.evaluations = 10'000});
  Integrator plain(exec, PlainMonteCarlo{.evaluations = 10'000});
  Integrator plus(exec, VegasPlus{.evaluations = 10'000});
  auto const call = [&] {
    mcubes.integrate(suite::F4<5>{}, Box<5>{});
    plain.integrate(suite::F4<5>{}, Box<5>{});
    plus.integrate(suite::F4<5>{}, Box<5>{});
  };
  call();
  auto const second = watch(call);
  EXPECT_EQ(second.allocation_count, 0) << *second.allocations.begin();
  for (auto const& copy : second.copies)
    EXPECT_TRUE(copy == " <- " || copy == " <- kubature::vegas_map::edges") << copy;
}

} // namespace
} // namespace kernels_test

#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <type_traits>

namespace options_test {
namespace {

using namespace kubature;

template <class Method>
class Options : public ::testing::Test {};
using Methods = ::testing::Types<PlainMonteCarlo<>, QuasiMonteCarlo<>, MCubes<>, VegasPlus<>, Pagani<>,
                                 kubature::TwoPhase<>, MixedPrecision<>>;
TYPED_TEST_SUITE(Options, Methods);

template <class Method, class Visitor>
void for_each_option(Visitor const& visit) {
  std::apply([&](auto const&... option) { (visit(option), ...); }, Described<Method>::options);
}

template <class Option>
inline constexpr bool ranged = requires(Option const& option) { option.allowed.sentence; };

TYPED_TEST(Options, ValuesOutsideTheirRangesAreRefusedByNameAndValue) {
  Kokkos::DefaultExecutionSpace const exec;
  for_each_option<TypeParam>([&]<class Option>(Option const& option) {
    if constexpr (ranged<Option>) {
      using T = std::remove_cvref_t<decltype(option.allowed.least)>;
      if (option.allowed.least == std::numeric_limits<T>::lowest())
        return;
      TypeParam method;
      auto& value = method.*option.member;
      value = std::is_floating_point_v<T> ? T(-1) : static_cast<T>(option.allowed.least - 1);
      try {
        Integrator integrator(exec, method);
        ADD_FAILURE() << option.name;
      } catch (InvalidArgument const& refused) {
        EXPECT_EQ(refused.argument(), std::string(Described<TypeParam>::type) + '.' + std::string(option.name));
        EXPECT_EQ(refused.problem(), option.allowed.sentence);
      }
    }
  });
}

TYPED_TEST(Options, DefaultsAreAllowed) {
  for_each_option<TypeParam>(
      [&](auto const& option) { EXPECT_TRUE(option.allowed.holds(TypeParam{}.*option.member)) << option.name; });
}

template <template <class> class Method>
void keeps_all_options() {
  for_each_option<Method<Fp64>>([&]<class Option>(Option const& option) {
    Method<Fp64> method;
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(method.*option.member)>>) {
      auto& value = method.*option.member;
      value = static_cast<std::remove_cvref_t<decltype(value)>>(value == 0 ? 1 : 0);
      auto const there_and_back = with_precision<Fp64>(with_precision<Fp32>(method));
      EXPECT_EQ(there_and_back.*option.member, value) << option.name;
    }
  });
}

TEST(WithPrecision, KeepsAllOptions) {
  keeps_all_options<PlainMonteCarlo>();
  keeps_all_options<QuasiMonteCarlo>();
  keeps_all_options<MCubes>();
  keeps_all_options<VegasPlus>();
  keeps_all_options<Pagani>();
  keeps_all_options<kubature::TwoPhase>();
}

} // namespace
} // namespace options_test

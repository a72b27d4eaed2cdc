#include <kubature/philox.hpp>

#include <gtest/gtest.h>

namespace philox_test {
namespace {

using Words = Kokkos::Array<std::uint32_t, 4>;
using Key = Kokkos::Array<std::uint32_t, 2>;

void expect_equal(Words const& actual, Words const& expected) {
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(actual[i], expected[i]) << "word " << i;
}

constexpr std::uint32_t ones = 0xffffffffu;
Words const pi_counter{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u};
Key const pi_key{0xa4093822u, 0x299f31d0u};

// The known-answer vectors published with the Random123 distribution (kat_vectors).
TEST(Philox, TenRoundsGiveThePublishedVectors) {
  expect_equal(kubature::philox({0, 0, 0, 0}, {0, 0}), {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u});
  expect_equal(kubature::philox({ones, ones, ones, ones}, {ones, ones}),
               {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu});
  expect_equal(kubature::philox(pi_counter, pi_key), {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u});
}

TEST(Philox, SevenRoundsGiveThePublishedVectors) {
  expect_equal(kubature::philox<7>({0, 0, 0, 0}, {0, 0}), {0x5f6fb709u, 0x0d893f64u, 0x4f121f81u, 0x4f730a48u});
  expect_equal(kubature::philox<7>({ones, ones, ones, ones}, {ones, ones}),
               {0x5207ddc2u, 0x45165e59u, 0x4d8ee751u, 0x8c52f662u});
  expect_equal(kubature::philox<7>(pi_counter, pi_key), {0x4dfccabau, 0x190a87f0u, 0xc47362bau, 0xb6b5242au});
}

template <class Real>
void expect_open_interval() {
  EXPECT_GT(kubature::uniform<Real>(0), Real(0));
  EXPECT_LT(kubature::uniform<Real>(ones), Real(1));
  EXPECT_EQ(kubature::uniform<Real>(0), Real(1) - kubature::uniform<Real>(ones)); // symmetric about 1/2
}

TEST(Uniform, IsNeverZeroOrOne) {
  expect_open_interval<double>();
  expect_open_interval<float>();
}

} // namespace
} // namespace philox_test

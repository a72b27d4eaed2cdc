#include <kubature/detail/quasi_monte_carlo/direction_numbers.hpp>

#include <kubature/point.hpp>

#include <array>
#include <bit>
#include <cstddef>

namespace kubature::detail {
namespace {

/// A primitive polynomial over the field of two elements, with its coefficients as bits, and as many odd numbers as its
/// degree.
struct Initial {
  unsigned polynomial;
  std::array<unsigned, 7> numbers;
};

/// For the second variable and all others; the sequence of the first one is van der Corput's.
constexpr std::array<Initial, max_dimension - 1> table{{{3, {1}},
                                                        {7, {1, 3}},
                                                        {11, {1, 3, 1}},
                                                        {13, {1, 1, 1}},
                                                        {19, {1, 1, 3, 3}},
                                                        {25, {1, 3, 5, 13}},
                                                        {37, {1, 1, 5, 5, 17}},
                                                        {41, {1, 1, 5, 5, 5}},
                                                        {47, {1, 1, 7, 11, 19}},
                                                        {55, {1, 1, 5, 1, 1}},
                                                        {59, {1, 1, 1, 3, 11}},
                                                        {61, {1, 3, 5, 5, 31}},
                                                        {67, {1, 3, 3, 9, 7, 49}},
                                                        {91, {1, 1, 1, 15, 21, 21}},
                                                        {97, {1, 3, 1, 13, 27, 49}},
                                                        {103, {1, 1, 1, 15, 7, 5}},
                                                        {109, {1, 3, 1, 15, 13, 25}},
                                                        {115, {1, 1, 5, 5, 19, 61}},
                                                        {131, {1, 3, 7, 11, 23, 15, 103}}}};

std::uint32_t reversed(std::uint32_t bits) {
  std::uint32_t result = 0;
  for (int i = 0; i < 32; ++i)
    result |= (bits >> i & 1) << (31 - i);
  return result;
}

} // namespace

std::vector<std::uint32_t> direction_numbers() {
  std::vector<std::uint32_t> all;
  for (int bit = 0; bit < sobol_bits; ++bit)
    all.push_back(std::uint32_t{1} << bit); // 2^-(bit + 1), reversed
  for (auto const& [polynomial, numbers] : table) {
    auto const degree = static_cast<int>(std::bit_width(polynomial)) - 1;
    std::array<std::uint32_t, sobol_bits> m{}; // as integers: the fraction is m_k / 2^(k + 1)
    for (int k = 0; k < sobol_bits; ++k) {
      auto const at = [&](int i) { return m[static_cast<std::size_t>(i)]; };
      std::uint32_t next = k < degree ? numbers[static_cast<std::size_t>(k)] : at(k - degree);
      for (int i = 1; k >= degree && i <= degree; ++i) // Bratley and Fox, ACM TOMS 14 (1988) 88, eq. 2
        if (polynomial >> (degree - i) & 1)
          next ^= at(k - i) << i;
      m[static_cast<std::size_t>(k)] = next;
      all.push_back(reversed(next << (31 - k)));
    }
  }
  return all;
}

} // namespace kubature::detail

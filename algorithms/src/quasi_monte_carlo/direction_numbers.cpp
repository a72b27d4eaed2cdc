#include <kubature/detail/quasi_monte_carlo/direction_numbers.hpp>

#include "quasi_monte_carlo/joe_kuo.hpp"

#include <array>
#include <cstddef>
#include <iterator>

namespace kubature::detail {
namespace {

/// Reads the bits of the table one after the other.
class Bits {
public:
  std::uint32_t next(int count) {
    std::uint32_t result = 0;
    for (int k = 0; k < count; ++k, ++at_)
      result |= static_cast<std::uint32_t>(joe_kuo::words[at_ / 64] >> at_ % 64 & 1) << k;
    return result;
  }

private:
  std::size_t at_ = 0;
};

std::uint32_t reversed(std::uint32_t bits) {
  std::uint32_t result = 0;
  for (int i = 0; i < 32; ++i)
    result |= (bits >> i & 1) << (31 - i);
  return result;
}

/// Appends the numbers of a variable.
void add_variable(std::vector<std::uint32_t>& all, int degree, Bits& bits) {
  std::uint32_t const inner = bits.next(degree - 1); // coefficients of the polynomial
  std::array<std::uint32_t, sobol_bits> m{};         // as integers: the fraction is m_k / 2^(k + 1)
  for (int k = 0; k < sobol_bits; ++k) {
    auto const at = [&](int i) { return m[static_cast<std::size_t>(i)]; };
    std::uint32_t next = 0;
    if (k < degree) {
      next = bits.next(k) << 1 | 1;
    } else { // Bratley and Fox, ACM TOMS 14 (1988) 88, eq. 2
      next = at(k - degree) ^ at(k - degree) << degree;
      for (int i = 1; i < degree; ++i)
        if (inner >> (degree - 1 - i) & 1)
          next ^= at(k - i) << i;
    }
    m[static_cast<std::size_t>(k)] = next;
    all.push_back(reversed(next << (31 - k)));
  }
}

} // namespace

std::vector<std::uint32_t> direction_numbers(int variables) {
  std::vector<std::uint32_t> all;
  for (int bit = 0; bit < sobol_bits; ++bit) // the sequence of the first variable is van der Corput's
    all.push_back(std::uint32_t{1} << bit);  // 2^-(bit + 1), reversed
  Bits bits;
  auto const wanted = static_cast<std::size_t>(variables * sobol_bits);
  for (int degree = 1; degree < static_cast<int>(std::size(joe_kuo::of_degree)); ++degree)
    for (int k = 0; k < joe_kuo::of_degree[degree] && all.size() < wanted; ++k)
      add_variable(all, degree, bits);
  return all;
}

} // namespace kubature::detail

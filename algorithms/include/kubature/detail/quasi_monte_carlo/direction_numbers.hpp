#pragma once

#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/upload.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubature::detail {

/// Sobol's sequence has 2^32 points; its coordinates are multiples of 2^-32.
inline constexpr int sobol_bits = 32;

/// The direction numbers of Sobol's sequence, by variable and bit of the point's number, as fractions of 2^32 with
/// their bits in reverse order. Primitive polynomials and initial numbers are those of Joe and Kuo, "Constructing Sobol
/// sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30 (2008) 2635 (new-joe-kuo-6.21201).
/// @param variables at most most_variables
std::vector<std::uint32_t> direction_numbers(int variables);

/// The same numbers where kernels read them.
template <class Space>
class DirectionNumbers {
public:
  using Numbers = Kokkos::View<std::uint32_t const*, Space, Kokkos::MemoryUnmanaged>;

  /// Those of at least this many variables.
  Numbers hold(Space const& exec, int variables) {
    bool const fresh = numbers_.size() < static_cast<std::size_t>(variables * sobol_bits);
    if (fresh) {
      exec.fence("kubature::qmc::direction_numbers"); // an earlier call may still read fewer
      numbers_ = direction_numbers(std::max(variables, max_dimension));
    }
    auto const memory = memory_.template as<std::uint32_t>(exec, numbers_.size());
    if (fresh)
      upload(exec, memory, numbers_);
    return memory;
  }

private:
  std::vector<std::uint32_t> numbers_;
  Buffer<Space> memory_{"kubature::qmc::direction_numbers"};
};

} // namespace kubature::detail

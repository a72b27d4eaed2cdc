#pragma once

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

/// The OpenMP runtime of LLVM leaves some of its own memory behind.
extern "C" [[gnu::used]] inline char const* __lsan_default_suppressions() { return "leak:libomp"; }

/// What the fuzzing targets share. A target is a function of bytes that libFuzzer calls millions of times, and that
/// ends the process if the library does not do what its documentation says.
namespace kubature::fuzz {

/// Starts Kokkos for the process's life; libFuzzer ends it by _Exit.
inline void start_kokkos() {
  if (!Kokkos::is_initialized())
    Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true).set_num_threads(1));
}

inline std::string_view text(std::uint8_t const* data, std::size_t size) {
  return {reinterpret_cast<char const*>(data), size};
}

/// Ends the process, which libFuzzer takes for a finding and keeps the input of.
inline void expect(bool holds, std::string const& what) {
  if (holds)
    return;
  std::fprintf(stderr, "kubature: fuzzing found: %s\n", what.c_str());
  std::abort();
}

/// Equal bits; all NaNs count as equal, because which operand's payload and sign a NaN inherits is the compiler's
/// choice.
inline bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof(a)) == 0; }

} // namespace kubature::fuzz

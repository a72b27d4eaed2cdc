#include "tables.hpp"

#include <vector>

namespace kubature::detail::expression {
namespace {

/// The tables for this processor, or null.
[[maybe_unused]] VectorFunctions const* choose() {
#if defined(KUBATURE_SLEEF) && defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    return &functions_of_avx512;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &functions_of_avx2 : nullptr;
#elif defined(KUBATURE_SLEEF)
  return &functions_of_advsimd;
#else
  return nullptr;
#endif
}

VectorFunctions const* chosen() {
  static VectorFunctions const* const result = choose();
  return result;
}

/// Those that this processor has.
std::vector<Arithmetic const*> available() {
  std::vector<Arithmetic const*> result;
#if defined(KUBATURE_VECTOR_ARITHMETIC)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f"))
    result.push_back(&arithmetic_of_avx512);
  if (__builtin_cpu_supports("avx2"))
    result.push_back(&arithmetic_of_avx2);
#endif
  return result;
}

} // namespace

std::span<Arithmetic const* const> all_arithmetic() {
  static auto const all = available();
  return all;
}

VectorFunction<double> vector_function(Opcode opcode, double) {
  auto const* const functions = chosen();
  return functions ? functions->of_double[static_cast<int>(opcode)] : nullptr;
}
VectorFunction<float> vector_function(Opcode opcode, float) {
  auto const* const functions = chosen();
  return functions ? functions->of_float[static_cast<int>(opcode)] : nullptr;
}

} // namespace kubature::detail::expression

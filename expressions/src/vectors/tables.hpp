#pragma once

#include <kubature/detail/expression/vector_functions.hpp>

namespace kubature::detail::expression {

/// The vector functions of one set of instructions by opcode; null where there is none.
struct VectorFunctions {
  static constexpr int opcodes = static_cast<int>(Opcode::table_cubic) + 1;
  VectorFunction<double> of_double[opcodes];
  VectorFunction<float> of_float[opcodes];
};

extern VectorFunctions const functions_of_avx2, functions_of_avx512, functions_of_advsimd;
extern Arithmetic const arithmetic_of_avx2, arithmetic_of_avx512;

} // namespace kubature::detail::expression

#pragma once

#include <kubature/detail/expression/instruction.hpp>

#include <span>
#include <type_traits>

namespace kubature::detail::expression {

/// A function of n pairs of numbers by vector instructions: the result replaces the left one. Functions of one argument
/// ignore the right one.
template <class Real>
using VectorFunction = void (*)(Real* left, Real const* right, int n);

/// The vector function of an operation, from SLEEF's variants whose bits depend neither on the width of vectors nor on
/// a value's place in one (Shibata and Petrogalli 2020, doi:10.1109/TPDS.2019.2960333): within 1 ulp. Null where there
/// is none: for other operations, and where the library was built without SLEEF or the processor has no fused
/// multiply-add.
VectorFunction<double> vector_function(Opcode opcode, double);
VectorFunction<float> vector_function(Opcode opcode, float);

/// Carries out consecutive steps of a program that are arithmetic, from `step` on, by vector instructions: the values
/// are those of run(), to the bit. Arrays have the values of W points side by side.
/// @returns the number of the first step that is not arithmetic, or `end`
template <class Real>
using ArithmeticSteps = int (*)(Instruction const* program, int step, int end, Real* coordinates, Real* stack,
                                int& depth, Real* top);

/// These functions for one set of instructions and each number of points that they are compiled for.
struct Arithmetic {
  ArithmeticSteps<double> double_8, double_32;
  ArithmeticSteps<float> float_8, float_32;
};

/// Those that this processor and the library have, the widest vectors first.
std::span<Arithmetic const* const> all_arithmetic();

/// Whether there may be such functions for W points. A compiler that fuses products with sums in run() would do so in
/// these functions, too, and the values of one point would differ from those of many.
#if defined(__FMA__)
template <class Real, int W>
inline constexpr bool may_have_arithmetic = false;
#else
template <class Real, int W>
inline constexpr bool may_have_arithmetic =
    (std::is_same_v<Real, double> || std::is_same_v<Real, float>) && (W == 8 || W == 32);
#endif

/// The widest one for W points, or null.
template <class Real, int W>
ArithmeticSteps<Real> widest_arithmetic() {
  static_assert(may_have_arithmetic<Real, W>);
  static Arithmetic const* const widest = all_arithmetic().empty() ? nullptr : all_arithmetic().front();
  if (!widest)
    return nullptr;
  if constexpr (std::is_same_v<Real, double>)
    return W == 8 ? widest->double_8 : widest->double_32;
  else
    return W == 8 ? widest->float_8 : widest->float_32;
}

} // namespace kubature::detail::expression

#pragma once

#include <kubature/detail/expression/instruction.hpp>

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

} // namespace kubature::detail::expression

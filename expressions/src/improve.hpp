#pragma once

#include <kubature/detail/expression/instruction.hpp>

#include <span>
#include <vector>

namespace kubature::detail::expression {

/// A program that computes the same value in fewer steps, bit for bit unless the compiler fuses products with sums:
/// what occurs several times is computed once and stored, and one step does the work of several
/// (KUBATURE_EXPRESSION_FORMS).
/// @param program the result of Tree::program()
/// @param first   the first variable to store values in; they occupy the variables from this number on
/// @param most    the largest number of values to store
std::vector<Instruction> improve(std::span<Instruction const> program, int first, int most = max_stored);

/// Whether a program stores values.
bool stores(std::span<Instruction const> program);

} // namespace kubature::detail::expression

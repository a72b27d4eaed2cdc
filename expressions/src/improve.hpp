#pragma once

#include <kubature/detail/expression/instruction.hpp>

#include <span>
#include <vector>

namespace kubature::detail::expression {

/// A program that takes fewer steps to the same value, bit for bit where the compiler fuses no products with sums: what
/// it computes several times is computed once and stored, and a step does what several did (KUBATURE_EXPRESSION_FORMS).
/// @param program as Tree::program() gives it
/// @param first   where values are stored: as the variables from this number on
/// @param most    how many are stored at most
std::vector<Instruction> improve(std::span<Instruction const> program, int first, int most = most_stored);

/// Whether a program stores values.
bool stores(std::span<Instruction const> program);

} // namespace kubature::detail::expression

#pragma once

#include "source.hpp"

#include <kubature/detail/expression/instruction.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace kubature::detail::expression {

/// A program that computes the same value in fewer steps, bit for bit unless the compiler fuses products with sums:
/// what occurs several times is computed once and stored, and one step does the work of several
/// (KUBATURE_EXPRESSION_FORMS).
/// @param program the result of Tree::program(). If it names values, places are used again once their values have had
///                their last use, so that any number of names may follow each other.
/// @param first   the first variable to store values in; they occupy the variables from this number on
/// @param most    the largest number of values to store
/// @returns nothing if names are used such that more values are needed at once than `most`, and computing some of them
///          repeatedly takes too long, or than fit on the stack
std::vector<Instruction> improve(std::span<Instruction const> program, int first, int most = max_stored);

/// As above, for a part of `source` at `offset`, which is reported if its result is nothing.
std::vector<Instruction> improve(Source const& source, std::size_t offset, std::span<Instruction const> program,
                                 int first);

/// Whether a program stores values.
bool stores(std::span<Instruction const> program);

} // namespace kubature::detail::expression

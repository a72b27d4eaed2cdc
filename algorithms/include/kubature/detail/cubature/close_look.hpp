#pragma once

#include <kubature/communicator.hpp>
#include <kubature/several_result.hpp>
#include <kubature/tolerance.hpp>

#include <cstdint>
#include <functional>
#include <optional>

namespace kubature::detail {

/// Finer grids in one and two variables, which find narrow peaks that a coarser one has missed, unless evaluations take
/// long (docs/design/cubature-errors.md, "A close look"). On a GPU the first one of an integrand takes as long as
/// loading its kernels, so that the first grid is always evaluated there.
struct CloseLook {
  int dimension;
  std::uint64_t points; ///< of the rule
  bool on_gpu;
  Communicator const& ranks;

  /// The grids follow one another, since their times predict that of the next. One with a different result is
  /// always followed by another.
  /// @param found the result of a coarser one
  /// @param left  evaluations left
  /// @param call  call(level, most) integrates from a first grid of that level by at most `most` evaluations
  /// @returns nothing if all agree with it within their errors; otherwise the last one, which counts as converged if it
  ///          agrees with the one before
  std::optional<SeveralResult>
  operator()(SeveralResult const& found, std::uint64_t left,
             std::function<SeveralResult(int level, std::uint64_t most)> const& call) const;

  /// Replaces a converged result that they contradict, and adds their evaluations.
  /// @param call call(level, rest) integrates within the rest of the limits
  void check(SeveralResult& result, Limits const& limits,
             std::function<SeveralResult(int level, Limits const& rest)> const& call) const;
};

} // namespace kubature::detail

#pragma once

#include <kubature/several_result.hpp>
#include <kubature/tolerance.hpp>

#include <string>
#include <vector>

/// \file
/// Predicts from a short call of a method how many evaluations it needs to meet a tolerance.

namespace kubature::detail {

/// The error divided by the allowed error, for the worst component; infinite if there is no estimate.
double worst_excess(std::vector<double> const& value, std::vector<double> const& error, Tolerance tolerance);

/// The smallest and the largest power p for which an error may be expected to fall like N^-p with the number N of
/// evaluations.
struct Powers {
  double least, most;
};

/// The progress of a method that refines one estimate: evaluations so far, and its error divided by the allowed error.
struct Advance {
  double evaluations, excess;
};

/// The evaluations after which the error of such a method is predicted to meet the tolerance, if it keeps falling with
/// the power of N observed from a quarter of the evaluations to all.
double needed(std::vector<Advance> const& so_far, Powers powers);

/// As above, for a result with its iterations. Small increases of the error are ignored. Where it has grown by more
/// than a factor of four, since cubature rejects its estimates or lattices start afresh, only the iterations from there
/// on count; until there are two, those before.
/// @param launches additional cost of each iteration, in evaluations
double needed(SeveralResult const& result, Tolerance tolerance, Powers powers, double launches = 0);

/// As above, for independent samples, whose error falls like 1/sqrt(N): counts only those in the estimate, because a
/// call that continues with the same map counts all of its own.
double needed_by_sampling(SeveralResult const& result, Tolerance tolerance);

/// As above, before any samples are drawn, for an integral of about this value and samples whose standard deviation is
/// `scatter` times that; infinite if the value carries no information.
double needed_by_sampling(std::vector<double> const& value, double scatter, Tolerance tolerance);

/// Whether a result is consistent with an integral of zero: all values are within two of their errors.
bool consistent_with_zero(SeveralResult const& result);

/// Whether a lattice result is negligible compared with another value, so that the lattices have missed what makes that
/// up: its error counts, which is at least the rounding error of the values they saw.
bool negligible(SeveralResult const& result, std::vector<double> const& beside);

/// Whether the result of a method that found less than another is too inaccurate: its error exceeds this fraction of
/// the value.
bool vague(SeveralResult const& less, SeveralResult const& more, double part);

/// Whether all values that a method has seen were zero.
bool saw_zeros_alone(SeveralResult const& result);

} // namespace kubature::detail

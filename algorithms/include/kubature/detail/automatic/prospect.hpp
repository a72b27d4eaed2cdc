#pragma once

#include <kubature/several_result.hpp>
#include <kubature/tolerance.hpp>

#include <string>
#include <vector>

/// \file
/// What a short call of a method tells about how many evaluations it would take to meet a tolerance.

namespace kubature::detail {

/// The error divided by the error that is allowed, of the worst component; infinite if there is no estimate.
double worst_excess(std::vector<double> const& value, std::vector<double> const& error, Tolerance tolerance);

/// The least and the greatest power with which an error may be expected to fall with the number N of evaluations: like
/// N^-power.
struct Powers {
  double least, most;
};

/// How far a method that refines one estimate has come: evaluations so far, and its error divided by the error that is
/// allowed.
struct Advance {
  double evaluations, excess;
};

/// The evaluations after which the error of such a method will meet the tolerance, if it goes on falling by the power
/// of N that it shows from a quarter of the evaluations to all of them.
double needed(std::vector<Advance> const& so_far, Powers powers);

/// As above, for a result with its iterations. Errors that grow a little do not count. Where they have grown by more
/// than four times, since cubature doubts its regions or lattices begin anew, the iterations from there on do; until
/// there are two of them, those before.
/// @param launches evaluations that each iteration costs besides its own
double needed(SeveralResult const& result, Tolerance tolerance, Powers powers, double launches = 0);

/// As above, for independent samples, whose error falls like 1/sqrt(N): only those that the estimate is made of,
/// because a call that goes on in the same map counts all of its own.
double needed_by_sampling(SeveralResult const& result, Tolerance tolerance);

/// As above, before any samples were drawn, for an integral of about this value and samples whose standard deviation is
/// `scatter` times that; infinite if the value tells nothing.
double needed_by_sampling(std::vector<double> const& value, double scatter, Tolerance tolerance);

/// Whether a result says no more than that the integral may be zero: all values are within two of their errors.
bool consistent_with_zero(SeveralResult const& result);

/// Whether a result of lattices is negligible beside the value of another one, so that they have seen nothing of what
/// makes that up: the error counts, which is at least that of rounding the values that they have seen.
bool negligible(SeveralResult const& result, std::vector<double> const& beside);

/// Whether a method that has found less than another one cannot tell much of what it has found: its error is more than
/// this part of the value.
bool vague(SeveralResult const& less, SeveralResult const& more, double part);

/// Whether all values that a method has seen were zero.
bool saw_zeros_alone(SeveralResult const& result);

} // namespace kubature::detail

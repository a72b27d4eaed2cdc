#pragma once

#include <vector>

namespace kubature::detail {

/// The shape k of a generalised Pareto distribution that the largest of some weights follow, by the estimator of Zhang
/// and Stephens ("A new and efficient estimation method for the generalized Pareto distribution", Technometrics 51
/// (2009) 316) with the weak prior of Vehtari, Simpson, Gelman, Yao and Gabry ("Pareto smoothed importance sampling",
/// JMLR 25 (2024) 72, appendix C). Of n weights the largest min(n / 5, 3 sqrt(n)) count. From 1/2 on there is no
/// variance, from 1 on no mean.
///
/// That estimator looks at excesses over a threshold, however small they are beside it: weights that are nearly equal
/// may have any shape, and do no harm. So the shape is at most Hill's, the mean of log(weight / threshold), which
/// agrees where weights are spread ("A simple general approach to inference about the tail of a distribution", Ann.
/// Statist. 3 (1975) 1163). It is at most Hill's of the largest 25, too, where a peak that fills
/// little of the box shows its bound. The least of three lies below the truth, by a sixth on average.
///
/// NaN where fewer than five are left that differ, or the threshold is zero; and where the shape is that of no
/// integral, but a few weights are nearly all: a narrow peak of which they say no more than that there is one.
/// @param weights |J f| of independent samples, in any order; those that are zero or not finite count as small ones
double tail_shape(std::vector<double> weights);

} // namespace kubature::detail

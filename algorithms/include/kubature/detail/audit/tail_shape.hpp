#pragma once

#include <vector>

namespace kubature::detail {

/// The shape k of a generalised Pareto distribution that the largest of some weights follow, by the estimator of Zhang
/// and Stephens ("A new and efficient estimation method for the generalized Pareto distribution", Technometrics 51
/// (2009) 316) with the weak prior of Vehtari, Simpson, Gelman, Yao and Gabry ("Pareto smoothed importance sampling",
/// JMLR 25 (2024) 72, appendix C). It uses the largest min(n / 5, 3 sqrt(n)) of n weights. The variance is infinite
/// from 1/2 on, the mean from 1 on.
///
/// That estimator uses excesses over a threshold, however small compared with it: nearly equal weights may have any
/// shape, without harm. So the shape is at most Hill's, the mean of log(weight / threshold), which agrees where weights
/// are spread ("A simple general approach to inference about the tail of a distribution", Ann. Statist. 3 (1975) 1163).
/// It is also at most Hill's of the largest 25, which show the bound of a peak that fills little of the box. The least
/// of the three underestimates the shape, by a sixth on average.
///
/// NaN where fewer than five distinct weights are left, or the threshold is zero; also where the shape is that of a
/// divergent integral, but a few weights make up nearly all: a narrow peak, of which they show only that it exists.
/// @param weights |J f| of independent samples, in any order; those that are zero or not finite count as small ones
double tail_shape(std::vector<double> weights);

} // namespace kubature::detail

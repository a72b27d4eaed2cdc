#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/probing/prober.hpp>
#include <kubature/detail/probing/sub_box.hpp>
#include <kubature/precision_choice.hpp>
#include <kubature/tolerance.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace kubature::detail {

/// A part of the domain with what was observed of the integrand at its points.
struct ProbedCell {
  SubBox box;
  Probed seen;
};

/// The beginnings and lengths of the sides; for infinite ones, those of the unit interval from which they are mapped.
template <int D>
std::vector<double> origins(Box<D> const& box) {
  std::vector<double> result;
  for (int i = 0; i < box.dimension(); ++i)
    result.push_back(std::isfinite(box[i].upper - box[i].lower) ? box[i].lower : 0);
  return result;
}
template <int D>
std::vector<double> lengths(Box<D> const& box) {
  std::vector<double> result;
  for (int i = 0; i < box.dimension(); ++i)
    result.push_back(std::isfinite(box[i].upper - box[i].lower) ? box[i].upper - box[i].lower : 1);
  return result;
}

/// Splits the unit cube, described by `whole`, into at most `most` cells: halves those with the largest scores
/// V^2 (variance + 1e-12) (|gradient| + 1) along their longest side in the domain, until variance and gradient are
/// small compared with those of the whole. All cells of a round, those with at least half of the largest score, are
/// probed in one launch.
/// @param sides lengths of the domain's sides, 1 for infinite ones
/// @param probe probes new cells
std::vector<ProbedCell> split(Probed const& whole, std::span<double const> sides, int most,
                              std::function<std::vector<Probed>(std::vector<SubBox> const&)> const& probe);

/// "[0, 0.5] x [0.25, 0.5]": a cell in the domain, whose sides begin at `origin`.
std::string describe(SubBox const& cell, std::span<double const> origin, std::span<double const> sides);

/// The rounding error allowed in the average of the integrand: `part` of the tolerance, or, without one, of the error
/// of `samples` points. For a relative tolerance the integral is assumed to be as large as the points prove: their mean
/// less its standard error.
double rounding_tolerance(std::span<ProbedCell const> cells, int dimension, double volume, Tolerance tolerance,
                          double part, double samples);

/// The variance of the mean of samples that deal() allocates to these cells at equal costs, relative to that of as many
/// samples in the whole.
double variance_left(std::span<ProbedCell const> cells, Probed const& whole, int dimension);

/// Allocates samples: 2 to each cell; of the rest a quarter evenly by volume, and the others by volume, spread and
/// cost, V sigma / sqrt(cost).
/// @param samples in all, at least 2 per cell; slightly fewer are allocated
/// @param costs of an evaluation, relative
std::vector<std::uint64_t> deal(std::span<ProbedCell const> cells, int dimension, std::span<double const> costs,
                                std::uint64_t samples);

} // namespace kubature::detail

#pragma once

#include <kubature/precision.hpp>

#include <array>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace kubature {

/// The format in which a part of an integrand (all of it, a term, or either in a region) is evaluated, and the reasons.
///
/// At N points of the part's region its values are computed in every format, from coordinates rounded to that format. A
/// format is suitable if bound = mean |f_p - f_64| + 3 s / sqrt(N) is within the tolerance, where s is the standard
/// deviation of |f_p - f_64|; if all values that are finite in fp64 are finite in it; and if the backend has it in
/// hardware. For fp16 all values have to be finite, since rounding moves the boundary of the region where they are not.
/// Averages of the observed rounding errors, with a margin for unobserved ones, replace the prediction P of the paper
/// on mixed precision, which is kept for comparison (docs/design/mixed-precision.md).
struct PrecisionChoice {
  std::string name;                 ///< the part's name
  Format format = Format::binary64; ///< the format that was chosen
  /// The fraction of the domain's volume for which the choice is made.
  double share = 1;
  std::uint64_t points = 0;                     ///< those with finite values in fp64
  std::uint64_t non_finite = 0;                 ///< the others
  double mean = 0;                              ///< the average of f at the points
  double variance = 0;                          ///< the variance of f
  double average = 0;                           ///< the average of |f|
  double gradient = 0;                          ///< the largest |f(x + h e_i) - f(x)| / h, h = 1e-6 of the side
  int operations = 0;                           ///< operations of the expression, if known
  std::array<double, format_count> predicted{}; ///< by format, fp16 first: predicted_error()
  std::array<double, format_count> observed{};  ///< the mean of |f_p - f_64|; infinite where it fails, NaN unseen
  std::array<double, format_count> bias{};      ///< the mean of f_p - f_64, likewise
  std::array<double, format_count> bound{};     ///< the bound as above, likewise
  /// Upper limit of the bound.
  double tolerance = 0;
};

/// The paper's prediction P of the error of an average in a format:
///   eps (m g sqrt(operations) + sigma),   m = max(average of |f|, sigma, 1e-10),   g = max(gradient, 1).
double predicted_error(Format format, PrecisionChoice const& seen);

/// The cheapest format whose predicted error is within the tolerance, fp64 if none is: the paper's choice, for
/// comparison.
Format predicted_format(PrecisionChoice const& seen, double tolerance);

/// A table of choices, one per line, below a line of headings.
std::ostream& operator<<(std::ostream& out, std::span<PrecisionChoice const> choices);

/// "fp32", or, if the parts differ, the number of parts in each format: "8 of 10 terms fp32, 2 fp64".
std::string summary(std::span<PrecisionChoice const> choices, std::string_view parts);

namespace detail {

/// The cost of an operation in each format, in any unit, and the lowest format that may be chosen.
struct FormatCosts {
  std::array<double, format_count> of{};
  Format lowest = Format::binary16;
};

/// Fills in the formats. Starting from fp64 everywhere, lowers part by part, those with the least rounding error per
/// saving first, as long as the bounds, weighted by the shares, sum to no more than the tolerance, and no single bound
/// exceeds it.
void choose_formats(std::vector<PrecisionChoice>& choices, double tolerance, FormatCosts costs);

/// Fills in the formats by the paper's rule: predicted_format() of each part by itself, where that format was looked
/// at.
void predict_formats(std::vector<PrecisionChoice>& choices, double tolerance, FormatCosts costs);

/// Returns regions, each of them `parts` consecutive choices, to fp64 if mixed formats save less than a twentieth of
/// the cost of an evaluation.
/// @param overhead of evaluating a part by itself rather than with the others, in operations in fp64
/// @param by_sums  whether only the parts of each format together are evaluated by themselves
/// @returns whether everything is in fp64 now but was not before
bool spare(std::vector<PrecisionChoice>& choices, std::size_t parts, FormatCosts costs, double overhead,
           bool by_sums = false);

} // namespace detail
} // namespace kubature

#pragma once

#include <kubature/precision.hpp>

#include <array>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace kubature {

/// In which format a part of an integrand (all of it, a term, or either in a region) is evaluated, and why.
///
/// At N points of the part's region its values are computed in every format, from coordinates rounded to that format.
/// A format serves where bound = mean |f_p - f_64| + 3 s / sqrt(N) is within the tolerance, with s the standard
/// deviation of |f_p - f_64|, where all values that are finite in fp64 are finite in it, and where the backend has it
/// in hardware; fp16 only where all values are finite, since rounding moves the border of where they are not.
/// Averages of rounding errors that were seen, with a margin for those that were not, take the place of the
/// prediction P of the paper on mixed precision, which is kept for comparison (docs/mixed-precision.md).
struct PrecisionChoice {
  std::string name;                 ///< the part's name
  Format format = Format::binary64; ///< the format that was chosen
  /// The part of the domain's volume that the choice is for.
  double share = 1;
  std::uint64_t points = 0;                     ///< that had finite values in fp64
  std::uint64_t non_finite = 0;                 ///< the others
  double mean = 0;                              ///< the average of f at the points
  double variance = 0;                          ///< the variance of f
  double average = 0;                           ///< the average of |f|
  double gradient = 0;                          ///< the largest |f(x + h e_i) - f(x)| / h, h = 1e-6 of the side
  int operations = 0;                           ///< operations of the expression, as far as they are known
  std::array<double, format_count> predicted{}; ///< by format, fp16 first: predicted_error()
  std::array<double, format_count> observed{};  ///< the mean of |f_p - f_64|; infinite where it fails, NaN unseen
  std::array<double, format_count> bias{};      ///< the mean of f_p - f_64, likewise
  std::array<double, format_count> bound{};     ///< the bound as above, likewise
  /// What the choice had to stay within.
  double tolerance = 0;
};

/// The paper's prediction P of the error of an average in a format:
///   eps (m g sqrt(operations) + sigma),   m = max(average of |f|, sigma, 1e-10),   g = max(gradient, 1).
double predicted_error(Format format, PrecisionChoice const& seen);

/// The cheapest format whose predicted error is within the tolerance, fp64 where none is: the paper's choice, for
/// comparison.
Format predicted_format(PrecisionChoice const& seen, double tolerance);

/// A table of choices, a line each, under a line of headings.
std::ostream& operator<<(std::ostream& out, std::span<PrecisionChoice const> choices);

/// "fp32", or what the parts are where they differ: "8 of 10 terms fp32, 2 fp64".
std::string summary(std::span<PrecisionChoice const> choices, std::string_view parts);

namespace detail {

/// What an operation costs by format, in any unit, and the lowest format that may be chosen.
struct FormatCosts {
  std::array<double, format_count> of{};
  Format lowest = Format::binary16;
};

/// Fills in the formats: fp64 lowered part by part, those first whose rounding costs least for what they save, as long
/// as the bounds, weighted by the shares, sum to no more than the tolerance, and each bound by itself is no more.
void choose_formats(std::vector<PrecisionChoice>& choices, double tolerance, FormatCosts costs);

/// Back to fp64 in each region, `parts` consecutive choices, where formats mixed save less than a twentieth of the cost
/// of an evaluation.
/// @param overhead of evaluating a part by itself rather than with the others, in operations in fp64
/// @returns whether that left all in fp64 where there was something else
bool spare(std::vector<PrecisionChoice>& choices, std::size_t parts, FormatCosts costs, double overhead);

} // namespace detail
} // namespace kubature

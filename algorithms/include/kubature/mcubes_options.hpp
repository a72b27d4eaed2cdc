#pragma once

#include <kubature/channel_use.hpp>
#include <kubature/covariance.hpp>
#include <kubature/driver.hpp>
#include <kubature/error.hpp>
#include <kubature/options.hpp>
#include <kubature/precision.hpp>
#include <kubature/result.hpp>

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace kubature {

/// m-Cubes: VEGAS importance sampling with equal samples in equal cubes (Sakiotis, Arumugam, Paterno, Ranjan,
/// Terzic and Zubair, "m-Cubes: an efficient and portable implementation of multi-dimensional integration", 2021).
/// The map is refined for some iterations and then frozen. Good for smooth or peaked integrands of 3 to 12 variables
/// whose peaks lie along the axes.
template <class P = Fp64>
struct MCubes {
  /// Samples per iteration, at least 2. Slightly fewer are used, as many as fill all cubes equally.
  std::uint64_t evaluations = 1'000'000;
  /// Maximum number of iterations.
  int iterations = 20;
  /// The number of these that refine the map; the others sample a frozen map, which is faster.
  int adapt = 15;
  /// Iterations at the start that train a fresh map and are excluded from the estimate. With a tolerance, in two
  /// variables and more, iterations count from the first that meets a quarter of it by itself.
  int skip = 5;
  /// Intervals of the map per axis. A budget of fewer than 16 samples per interval uses fewer intervals.
  int bins = 500;
  /// Damping of the refinement, 0 (none) to about 2.
  double alpha = 1.5;
  /// Whether the number of strata along each axis is proportional to the variation along it of the integral over all
  /// other axes, as measured before the first iteration that counts, instead of the same for all. Useful if few of many
  /// axes matter.
  bool restratify = false;
  /// One map for all axes, refined from the first: m-Cubes1D, for integrands that are symmetric in all variables.
  bool one_map = false;
  /// With several components: whether the errors of pairs are estimated together, as needed for their ratios and sums.
  Covariance covariance = Covariance::diagonal;
  /// With several components: what trains the map.
  Driver driver = Driver::balanced;
  std::uint64_t seed = 0;                  ///< of the random numbers
  P precision = {};                        ///< fp64, fp32, fp32_pure, fp16 or adaptive
  NonFinite non_finite = NonFinite::error; ///< what happens to values that are not finite
  Channels channels = Channels::automatic; ///< whether narrow peaks are searched for, and integrated one by one
  /// Points near peaks, [point][axis] in the coordinates of the box: the integral is computed by channels about the
  /// peaks near them.
  std::vector<double> known = {};
};

template <class P>
struct Described<MCubes<P>> {
  using M = MCubes<P>;
  static constexpr std::string_view type = "MCubes", name = "mcubes";
  static constexpr Abilities serves{
      .batches = true, .several = true, .many = true, .many_variables = true, .maps = true, .distributed = true};
  static constexpr double single_bias = detail::SingleBias::map;
  static constexpr std::tuple options{
      option("evaluations", &M::evaluations, "Samples per iteration",
             at_least<std::uint64_t>(2, "an error estimate needs at least 2")),
      option("iterations", &M::iterations, "Maximum number of iterations", at_least(1, "must be at least 1"), false),
      option("adapt", &M::adapt, "Iterations that refine the map, and the strata",
             at_least(0, "the number of iterations must not be negative")),
      option("skip", &M::skip, "Iterations at the start that stay out of the estimate",
             at_least(0, "the number of iterations must not be negative")),
      option("bins", &M::bins, "Intervals of the map per axis",
             Range<int>{1, 1 << 20, "must be between 1 and 1048576"}),
      option("alpha", &M::alpha, "Damping of the map's refinement",
             at_least(0.0, "the damping exponent must be finite and not negative")),
      option("restratify", &M::restratify,
             "Strata along each axis in proportion to how much the integral over the others varies along it"),
      option("one_map", &M::one_map, "One map for all axes"),
      option("covariance", &M::covariance, detail::covariance_summary),
      option("driver", &M::driver, detail::driver_summary, AnyValue{}, false),
      option("seed", &M::seed, "Seed of the random numbers"),
      option("non_finite", &M::non_finite, "Treatment of values that are not finite", AnyValue{}, false),
      option("channels", &M::channels, detail::channels_summary, AnyValue{}, false),
      option("known", &M::known, detail::known_summary, AnyValue{}, false)};
  static void check_combinations(M const& method, std::source_location where) {
    require(method.skip < method.iterations, "MCubes.skip", method.skip,
            "at least one of the " + std::to_string(method.iterations) + " iterations must be included", where);
  }
};

} // namespace kubature

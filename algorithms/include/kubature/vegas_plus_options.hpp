#pragma once

#include <kubature/channel_use.hpp>
#include <kubature/checkpoint.hpp>
#include <kubature/covariance.hpp>
#include <kubature/driver.hpp>
#include <kubature/error.hpp>
#include <kubature/options.hpp>
#include <kubature/precision.hpp>
#include <kubature/result.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <source_location>
#include <string_view>
#include <tuple>
#include <vector>

namespace kubature {

/// VEGAS+: VEGAS importance sampling with adaptive stratification, which places more samples in cubes where the
/// integrand varies more (Lepage, "Adaptive multidimensional integration: VEGAS enhanced", 2021; on GPUs Tolotti et
/// al., "cuVegas", 2024). The first choice among the Monte Carlo methods: its map adapts to peaks along the axes, and
/// its strata to others, such as ridges along a diagonal.
template <class P = Fp64>
struct VegasPlus {
  /// Samples per iteration, at least 2, taken in pairs; up to 4096 times as many if a tolerance needs them.
  std::uint64_t evaluations = 1'000'000;
  /// Maximum number of iterations; 0: 20, and with a tolerance as many as it needs, up to 200.
  int iterations = 0;
  /// The number of these that adapt map and strata; the others sample with both frozen, and are weighted by their
  /// samples alone.
  int adapt = std::numeric_limits<int>::max();
  /// Iterations at the start that train a fresh map and are excluded from the estimate. With a tolerance, in two
  /// variables and more, iterations count from the first that meets a quarter of it by itself.
  int skip = 5;
  /// Intervals of the map per axis, fewer if they would have less than 16 samples each; 0: 500, and from 1e5 samples on
  /// 1000.
  int bins = 0;
  /// Damping of the map's refinement, 0 (none) to about 2; own_choice: 0.75, and from 1e5 samples on 1.5 while a fresh
  /// map is trained, falling to 0.5 in later iterations.
  double alpha = own_choice;
  /// Damping of the strata: samples are allocated by sigma^beta, 0 (all cubes equally) to 1 (best if sigma were known).
  double beta = 0.75;
  /// The fraction of the samples that is allocated by sigma^beta, below 1; the others are spread evenly. own_choice:
  /// 0.75, and from 1e5 samples per iteration on 0 after five iterations if more cubes are likely to gain more.
  double redistribute = own_choice;
  /// Whether the number of strata along each axis is proportional to the variation along it of the integral over all
  /// other axes, as measured before the first iteration that counts, instead of the same for all. Useful if few of many
  /// axes matter. Empty: from 1e5 samples per iteration on, and in many variables, a trial after eight iterations
  /// decides.
  std::optional<bool> restratify = {};
  /// One map for all axes, refined from the first: for integrands that are symmetric in all variables.
  bool one_map = false;
  /// With several components: whether the errors of pairs are estimated together, as needed for their ratios and sums.
  Covariance covariance = Covariance::diagonal;
  /// With several components: what trains the map and the strata.
  Driver driver = Driver::balanced;
  std::uint64_t seed = 0;                  ///< of the random numbers
  P precision = {};                        ///< fp64, fp32, fp32_pure, fp16 or adaptive
  NonFinite non_finite = NonFinite::error; ///< what happens to values that are not finite
  Checkpoint checkpoint = {};              ///< where its state is kept, if anywhere
  Channels channels = Channels::automatic; ///< whether narrow peaks are searched for, and integrated one by one
  /// Points near peaks, [point][axis] in the coordinates of the box: the integral is computed by channels about the
  /// peaks near them.
  std::vector<double> known = {};
};

template <class P>
struct Described<VegasPlus<P>> {
  using M = VegasPlus<P>;
  static constexpr std::string_view type = "VegasPlus", name = "vegas+";
  static constexpr Abilities serves{
      .batches = true, .several = true, .many = true, .many_variables = true, .maps = true, .distributed = true};
  static constexpr double single_bias = detail::SingleBias::map;
  static constexpr std::tuple options{
      option("evaluations", &M::evaluations, "Samples per iteration, and more where a tolerance needs them",
             at_least<std::uint64_t>(2, "an error estimate needs at least 2")),
      option("iterations", &M::iterations, "Maximum number of iterations; 0: 20, and up to 200 for a tolerance",
             at_least(0, "the number of iterations must not be negative"), false),
      option("adapt", &M::adapt, "Iterations that refine the map, and the strata",
             at_least(0, "the number of iterations must not be negative")),
      option("skip", &M::skip, "Iterations at the start that stay out of the estimate",
             at_least(0, "the number of iterations must not be negative")),
      option("bins", &M::bins, "Intervals of the map per axis; 0: 500, and 1000 from 1e5 samples on",
             Range<int>{0, 1 << 20, "must be between 0 and 1048576"}),
      option("alpha", &M::alpha,
             "Damping of the map's refinement; automatic: 0.75, and from 1e5 samples on 1.5 at first, falling to 0.5",
             OrOwnChoice{at_least(0.0, "the damping exponent must be finite and not negative")}),
      option("beta", &M::beta, "Damping of the strata, 0 (samples are spread evenly) to 1",
             at_least(0.0, "the damping exponent must be finite and not negative")),
      option("redistribute", &M::redistribute,
             "Part of the samples that goes to the strata that vary most, 0 to below 1; automatic: 0.75, or 0 where "
             "more strata gain more",
             OrOwnChoice{{0, 0x1.fffffffffffffp-1, "must be at least 0 and below 1"}}),
      option(
          "restratify", &M::restratify,
          "Strata along each axis in proportion to how much the integral over the others varies along it; automatic: "
          "where a trial shows that it pays",
          AnyValue{}, false),
      option("one_map", &M::one_map, "One map for all axes"),
      option("covariance", &M::covariance, detail::covariance_summary),
      option("driver", &M::driver, detail::driver_summary, AnyValue{}, false),
      option("seed", &M::seed, "Seed of the random numbers"),
      option("non_finite", &M::non_finite, "Treatment of values that are not finite", AnyValue{}, false),
      option("checkpoint", &M::checkpoint, "Where the state is kept", AnyValue{}, false),
      option("channels", &M::channels, detail::channels_summary, AnyValue{}, false),
      option("known", &M::known, detail::known_summary, AnyValue{}, false)};
  static void check_combinations(M const& method, std::source_location where) {
    require(method.checkpoint.seconds >= 0, "VegasPlus.checkpoint.seconds", method.checkpoint.seconds,
            "a time must not be negative", where);
  }
};

} // namespace kubature

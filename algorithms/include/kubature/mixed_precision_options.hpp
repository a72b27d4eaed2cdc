#pragma once

#include <kubature/channel_use.hpp>
#include <kubature/covariance.hpp>
#include <kubature/driver.hpp>
#include <kubature/options.hpp>
#include <kubature/precision.hpp>
#include <kubature/precision_choice.hpp>
#include <kubature/result.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <source_location>
#include <string_view>
#include <tuple>
#include <vector>

namespace kubature {

/// The parts for which MixedPrecision chooses formats.
enum class Strategy {
  automatic, ///< regions where samples are many and regions lower the variance, otherwise terms
  term,      ///< each term of the integrand, in the whole domain
  region,    ///< the integrand, in each of many regions
  hybrid     ///< each term in each region
};

/// Monte Carlo whose integrand is evaluated in fp16, fp32 and fp64, each part of it in the cheapest format that the
/// tolerance allows, by term, by region, or both (Özgan, Kabasakal and Torun, "Adaptive Mixed-Precision Monte Carlo
/// Integration on GPUs"). Before sampling, the call compares the integrand's values in all formats at a few points (see
/// PrecisionChoice). Sums are in fp64. The strategies with regions stratify: they place more samples where the
/// integrand varies more.
///
/// Terms are those of an Expression or of sum_of(). The integrand has to be generic in Real: it is called with float
/// and double, and with half_t where the backend computes in it, unless `lowest` is fp32 or fp64. Several components,
/// and integrands made by batched(), are evaluated in fp64: they require `lowest` to be fp64, which is stratified Monte
/// Carlo.
template <class Lowest = Fp16>
struct MixedPrecision {
  /// Samples per iteration, at least 2.
  std::uint64_t evaluations = 1'000'000;
  /// Maximum number of iterations; each draws new points and counts equally.
  int iterations = 10;
  Strategy strategy = Strategy::automatic; ///< by term, by region, or both
  /// The fraction of the tolerance allowed for rounding; without a tolerance, of the expected error of all iterations.
  double rounding = 0.1;
  /// Maximum number of regions, 1 to 65536.
  int regions = 256;
  /// Points at which each part of the integrand is probed, at least 2.
  int points = 100;
  /// The cost of an operation in fp16, fp32 and fp64, in any unit; zeros: as measured for the backend.
  std::array<double, format_count> costs = {};
  /// Operations of a term, for the paper's prediction and the costs; 0: what an Expression counts, 20 otherwise.
  int operations = 0;
  /// With several components: whether the errors of pairs are estimated together, as needed for their ratios and sums.
  Covariance covariance = Covariance::diagonal;
  /// With several components: the one by whose variance regions are split and samples allocated.
  Driver driver = Driver::balanced;
  std::uint64_t seed = 0; ///< of the random numbers
  /// fp16, fp32 (which need not compile in half precision) or fp64 (which needs no other).
  Lowest lowest = {};
  NonFinite non_finite = NonFinite::error; ///< what happens to values that are not finite
  Channels channels = Channels::automatic; ///< search for narrow peaks; they are integrated one by one, by VEGAS+
  /// Points near peaks, [point][axis] in the coordinates of the box: the integral is computed by channels about the
  /// peaks near them.
  std::vector<double> known = {};
};

template <class Lowest>
struct Described<MixedPrecision<Lowest>> {
  using M = MixedPrecision<Lowest>;
  static constexpr std::string_view type = "MixedPrecision", name = "mixed";
  // Suites name a precision for all methods, but this one chooses its own.
  static constexpr Abilities serves{
      .batches = true, .several = true, .many = true, .distributed = true, .suites = false};
  static constexpr std::tuple options{
      option("evaluations", &M::evaluations, "Samples per iteration",
             at_least<std::uint64_t>(2, "an error estimate needs at least 2")),
      option("iterations", &M::iterations, "Maximum number of iterations", at_least(1, "must be at least 1"), false),
      option("strategy", &M::strategy,
             "What each precision is chosen for: a term, a region, a term in a region, or the faster of terms and "
             "regions"),
      option("rounding", &M::rounding, "Part of the tolerance that rounding may take",
             Range<double>{std::numeric_limits<double>::denorm_min(), 0x1.fffffffffffffp-1,
                           "must be above 0 and below 1"}),
      option("regions", &M::regions, "Maximum number of regions",
             Range<int>{1, 1 << 16, "must be between 1 and 65536"}),
      option("points", &M::points, "Points at which each part of the integrand is sampled to choose its precision",
             at_least(2, "a spread needs at least 2")),
      option("costs", &M::costs, "Costs of an operation in fp16, fp32 and fp64; zeros: the measured ones"),
      option("operations", &M::operations, "Operations per term; 0: those of the expression"),
      option("covariance", &M::covariance, detail::covariance_summary),
      option("driver", &M::driver, detail::driver_summary, AnyValue{}, false),
      option("seed", &M::seed, "Seed of the random numbers"),
      option("non_finite", &M::non_finite, "Treatment of values that are not finite", AnyValue{}, false),
      option("channels", &M::channels, detail::channels_summary, AnyValue{}, false),
      option("known", &M::known, detail::known_summary, AnyValue{}, false)};
  static void check_combinations(M const&, std::source_location) {}
};

} // namespace kubature

#pragma once

#include <kubature/channel_use.hpp>
#include <kubature/cubature_rule.hpp>
#include <kubature/options.hpp>
#include <kubature/precision.hpp>
#include <kubature/result.hpp>

#include <cstdint>
#include <source_location>
#include <string_view>
#include <tuple>
#include <vector>

namespace kubature {

/// Two-phase cubature (Arumugam, Godunov, Ranjan, Terzic and Zubair, "An efficient deterministic parallel algorithm for
/// adaptive multidimensional numerical integration on GPUs", ICPP 2013): the first phase bisects all regions whose
/// relative error is too large, until there are enough for the device; in the second, one team per region integrates it
/// as Cuhre would, without knowledge of the others. Kept for comparisons: Pagani needs fewer evaluations. Unlike the
/// published code this one only bisects, so that every region has a parent whose estimate checks its error: without
/// that, results were off by ten times their error.
template <class P = Fp64>
struct TwoPhase {
  Rule rule = Rule::automatic; ///< the cubature rule; by default it depends on the number of variables
  /// Number of regions at which the second phase begins.
  std::uint64_t regions = 1 << 15;
  /// Maximum number of parts into which the second phase divides a region.
  int parts = 2048;
  /// In one and two variables, whether converged results are compared with finer first grids; see Pagani::close_look.
  bool close_look = true;
  P precision = {};                        ///< fp64, fp32, fp32_pure, fp16 or adaptive
  NonFinite non_finite = NonFinite::error; ///< what happens to values that are not finite
  Channels channels = Channels::automatic; ///< whether narrow peaks are searched for, and integrated one by one
  /// Points near peaks, [point][axis] in the coordinates of the box: the integral is computed by channels about the
  /// peaks near them.
  std::vector<double> known = {};
};

template <class P>
struct Described<TwoPhase<P>> {
  using M = TwoPhase<P>;
  static constexpr std::string_view type = "TwoPhase", name = "two-phase";
  static constexpr Abilities serves{.suites = false}; // for comparison with PAGANI only
  static constexpr double single_bias = detail::SingleBias::cubature;
  static constexpr std::tuple options{
      option("rule", &M::rule, "Cubature rule, by its degree: 11 is for 3 variables, 13 for 2, gauss-kronrod for 1"),
      option("regions", &M::regions, "Number of regions at which the second phase begins",
             Range<std::uint64_t>{1, 1 << 30, "must be between 1 and 2^30"}),
      option("parts", &M::parts, "Maximum number of parts of a region in the second phase",
             Range<int>{2, 1 << 20, "must be between 2 and 2^20"}),
      option("close_look", &M::close_look,
             "Finer grids for what converges in one and two variables, so that narrow peaks are seen"),
      option("non_finite", &M::non_finite, "Treatment of values that are not finite", AnyValue{}, false),
      option("channels", &M::channels, detail::channels_summary, AnyValue{}, false),
      option("known", &M::known, detail::known_summary, AnyValue{}, false)};
  static void check_combinations(M const&, std::source_location) {}
};

} // namespace kubature

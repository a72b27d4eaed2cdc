#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace kubature {

/// A precision policy: the types in which points are drawn, the integrand is evaluated and sums are kept. Methods take
/// it as an option, `MCubes{.precision = kubature::fp32}`; kernels use no other real types.
template <class Sample, class Eval, class Accumulate>
struct Precision {
  using sample_type = Sample;         ///< the format in which coordinates are drawn
  using eval_type = Eval;             ///< the format in which the integrand is evaluated
  using accumulate_type = Accumulate; ///< the format in which sums are kept
};

/// Everything in double precision.
struct Fp64 : Precision<double, double, double> {};
/// Points and the integrand in single precision, sums in double precision.
struct Fp32 : Precision<float, float, double> {};
/// Everything in single precision, for studies of rounding errors in sums.
struct Fp32Pure : Precision<float, float, float> {};
/// The integrand in half precision, points in single and sums in double precision; for studies.
struct Fp16 : Precision<float, Kokkos::Experimental::half_t, double> {};

/// fp32 where it suffices for the tolerance, fp64 elsewhere: before it starts, the method compares the two at a few
/// points of the integrand (see precision_selection.hpp).
struct Adaptive {};

inline constexpr Fp64 fp64{};          ///< everything in double precision
inline constexpr Fp32 fp32{};          ///< points and integrand in single precision, sums in double
inline constexpr Fp32Pure fp32_pure{}; ///< everything in single precision
inline constexpr Fp16 fp16{};          ///< the integrand in half precision
inline constexpr Adaptive adaptive{};  ///< single precision where it suffices, otherwise double

/// The formats in which an integrand, or a part of it, can be evaluated: those of IEEE 754.
enum class Format : std::uint8_t { binary16, binary32, binary64 };
inline constexpr int format_count = 3; ///< the number of values of Format

/// "fp16", "fp32" or "fp64".
inline std::string_view to_string(Format format) {
  constexpr std::string_view names[format_count] = {"fp16", "fp32", "fp64"};
  return names[static_cast<int>(format)];
}

/// The name of a precision in results. If Kokkos has no half type, fp16 is computed in single precision, and the
/// name states this.
inline std::string precision_name(Fp64) { return "fp64"; }
/// See above.
inline std::string precision_name(Fp32) { return "fp32"; }
/// See above.
inline std::string precision_name(Fp32Pure) { return "fp32_pure"; }
/// See above.
inline std::string precision_name(Adaptive) { return "adaptive"; }
/// See above.
inline std::string precision_name(Fp16) {
  return std::is_same_v<Kokkos::Experimental::half_t, float> ? "fp16 (computed in fp32)" : "fp16";
}

} // namespace kubature

#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace kubature {

/// The thin precision policy: in which type points are drawn, the integrand is evaluated, and sums are kept.
/// Methods take it as an option, `MCubes{.precision = kubature::fp32}`; kernels take every real type from it.
template <class Sample, class Eval, class Accumulate>
struct Precision {
  using sample_type = Sample;         ///< the format that coordinates are drawn in
  using eval_type = Eval;             ///< the format that the integrand is evaluated in
  using accumulate_type = Accumulate; ///< the format that sums are kept in
};

/// Everything in double precision.
struct Fp64 : Precision<double, double, double> {};
/// Points and integrand in single precision, sums in double precision.
struct Fp32 : Precision<float, float, double> {};
/// Everything in single precision: for studies of what the sums lose.
struct Fp32Pure : Precision<float, float, float> {};
/// Integrand in half precision, points in single and sums in double precision: for studies.
struct Fp16 : Precision<float, Kokkos::Experimental::half_t, double> {};

/// fp32 where that serves the tolerance, fp64 elsewhere: the method compares both on a few points of each call's
/// integrand before it starts (see precision_selection.hpp).
struct Adaptive {};

inline constexpr Fp64 fp64{};          ///< everything in double precision
inline constexpr Fp32 fp32{};          ///< points and integrand in single precision, sums in double
inline constexpr Fp32Pure fp32_pure{}; ///< everything in single precision
inline constexpr Fp16 fp16{};          ///< the integrand in half precision
inline constexpr Adaptive adaptive{};  ///< single precision where it serves, else double

/// The formats in which an integrand, or a part of it, can be evaluated: those of IEEE 754.
enum class Format : std::uint8_t { binary16, binary32, binary64 };
inline constexpr int format_count = 3; ///< of Format

/// "fp16", "fp32" or "fp64".
inline std::string_view to_string(Format format) {
  constexpr std::string_view names[format_count] = {"fp16", "fp32", "fp64"};
  return names[static_cast<int>(format)];
}

/// The name that results carry. A build whose Kokkos has no half type computes fp16 in single precision, and
/// the name says so.
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

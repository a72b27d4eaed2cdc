#pragma once

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>

namespace kubature {

/// The thin precision policy: in which type points are drawn, the integrand is evaluated, and sums are kept.
/// Methods take it as an option, `MCubes{.precision = kubature::fp32}`; kernels take every real type from it.
template <class Sample, class Eval, class Accumulate>
struct Precision {
  using sample_type = Sample;
  using eval_type = Eval;
  using accumulate_type = Accumulate;
};

/// Everything in double precision.
struct Fp64 : Precision<double, double, double> {};
/// Points and integrand in single precision, sums in double precision.
struct Fp32 : Precision<float, float, double> {};
/// Everything in single precision: for studies of what the sums lose.
struct Fp32Pure : Precision<float, float, float> {};
/// Integrand in half precision, points in single and sums in double precision: for studies.
struct Fp16 : Precision<float, Kokkos::Experimental::half_t, double> {};

inline constexpr Fp64 fp64{};
inline constexpr Fp32 fp32{};
inline constexpr Fp32Pure fp32_pure{};
inline constexpr Fp16 fp16{};

/// The name that results carry. A build whose Kokkos has no half type computes fp16 in single precision, and
/// the name says so.
inline std::string precision_name(Fp64) { return "fp64"; }
inline std::string precision_name(Fp32) { return "fp32"; }
inline std::string precision_name(Fp32Pure) { return "fp32_pure"; }
inline std::string precision_name(Fp16) {
  return std::is_same_v<Kokkos::Experimental::half_t, float> ? "fp16 (computed in fp32)" : "fp16";
}

} // namespace kubature

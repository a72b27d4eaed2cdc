#include <kubature/detail/sampling/drawn_lanes.hpp>
#include <kubature/detail/vegas/device_map.hpp>

// Compiled without contraction (CMakeLists.txt): bits differ where a product and a sum are one operation.
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__CUDACC__) && !defined(__HIPCC__)

#include <limits>

#if defined(__x86_64__)
#define KUBATURE_X86_64
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace kubature::detail {
namespace {

/// Vectors of 16 bytes, available on every processor of these architectures (SSE2, NEON); the compiler chooses the
/// instructions.
namespace baseline {
struct V {
  using Integers [[gnu::vector_size(16)]] = std::uint64_t;
  using Numbers [[gnu::vector_size(16)]] = double;
  static constexpr int size = 2;

  static Integers load(std::uint64_t const* from) { return Integers{from[0], from[1]}; }
  static Integers all(std::uint64_t x) { return Integers{x, x}; }
  static Integers right(Integers x, int bits) { return x >> bits; }
  static Integers left(Integers x, int bits) { return x << bits; }
  static Integers upper(Integers x) { return x >> 32; }
  static Integers halves_of(Integers upper, Integers lower) { return (upper & ~lower_half) | (lower & lower_half); }
  static Integers product(Integers a, Integers b) {
#if defined(KUBATURE_X86_64)
    return reinterpret_cast<Integers>(_mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#elif defined(__aarch64__)
    return reinterpret_cast<Integers>(
        vmull_u32(vmovn_u64(reinterpret_cast<uint64x2_t>(a)), vmovn_u64(reinterpret_cast<uint64x2_t>(b))));
#else
    return (a & lower_half) * (b & lower_half);
#endif
  }
  static Integers sum(Integers a, Integers b) { return a + b; }
  static Integers either(Integers a, Integers b) { return a | b; }
  static Integers both(Integers a, Integers b) { return a & b; }
  static Integers exclusive(Integers a, Integers b, Integers c) { return a ^ b ^ c; }
  static constexpr int halves = 4;
  static std::uint32_t zero_halves(std::uint32_t const* x) {
    return std::uint32_t{x[0] == 0} | std::uint32_t{x[1] == 0} << 1 | std::uint32_t{x[2] == 0} << 2 |
           std::uint32_t{x[3] == 0} << 3;
  }
  static void store_halves(int* to, Integers x) {
    to[0] = static_cast<int>(x[0]);
    to[1] = static_cast<int>(x[1]);
  }
  static void load_pairs(double const* from, int const* k, Numbers& first, Numbers& second) {
    auto const even = load_numbers(from + k[0]), odd = load_numbers(from + k[1]);
    first = Numbers{even[0], odd[0]};
    second = Numbers{even[1], odd[1]};
  }
  static Numbers load_numbers(double const* from) { return Numbers{from[0], from[1]}; }
  static Numbers magnitude(Numbers x) { return as_numbers(as_integers(x) & all(~(std::uint64_t{1} << 63))); }
  static Numbers where_less(Numbers a, Numbers b, Numbers x) { return as_numbers(less(a, b) & as_integers(x)); }
  static std::uint32_t bits_less(Numbers a, Numbers b) {
    return std::uint32_t{a[0] < b[0]} | std::uint32_t{a[1] < b[1]} << 1;
  }
  static Integers mask(std::uint32_t bits) { return -(Integers{bits, bits >> 1} & 1); }
  static Numbers select(Integers mask, Numbers a, Numbers b) {
    return as_numbers((mask & as_integers(a)) | (~mask & as_integers(b)));
  }
  static Numbers smaller(Numbers a, Numbers b) { return select(less(a, b), a, b); }
  static Numbers larger(Numbers a, Numbers b) { return select(less(b, a), a, b); }
  /// Of numbers from 0 to 2^51.
  static Numbers whole(Numbers x) {
    auto const nearest = (x + 0x1p52) - 0x1p52;
    return nearest - as_numbers(less(x, nearest) & as_integers(all_numbers(1)));
  }
  static Integers as_integers(Numbers x) { return reinterpret_cast<Integers>(x); }
  static void store(std::uint64_t* to, Integers x) {
    to[0] = x[0];
    to[1] = x[1];
  }
  static Numbers all_numbers(double x) { return Numbers{x, x}; }
  static Numbers as_numbers(Integers x) { return reinterpret_cast<Numbers>(x); }
  static Numbers plus(Numbers a, Numbers b) { return a + b; }
  static Numbers minus(Numbers a, Numbers b) { return a - b; }
  static Numbers times(Numbers a, Numbers b) { return a * b; }
  static void store(double* to, Numbers x) {
    to[0] = x[0];
    to[1] = x[1];
  }

private:
  static constexpr std::uint64_t lower_half = 0xffffffff;
  static Integers less(Numbers a, Numbers b) { return reinterpret_cast<Integers>(a < b); }
};
#include "lanes_by_vectors.hpp"
} // namespace baseline

#if defined(KUBATURE_X86_64)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
/// Numbers a, a + 1, b and b + 1.
[[gnu::always_inline]] inline __m256d two_pairs(double const* from, int a, int b) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(from + a)), _mm_loadu_pd(from + b), 1);
}
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512vl"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl")
#endif
namespace avx512 {
struct V {
  using Integers = __m512i;
  using Numbers = __m512d;
  static constexpr int size = 8;

  static Integers load(std::uint64_t const* from) { return _mm512_loadu_si512(from); }
  static Integers all(std::uint64_t x) { return _mm512_set1_epi64(static_cast<long long>(x)); }
  static Integers right(Integers x, int bits) { return _mm512_srl_epi64(x, _mm_cvtsi32_si128(bits)); }
  static Integers left(Integers x, int bits) { return _mm512_sll_epi64(x, _mm_cvtsi32_si128(bits)); }
  /// The upper halves in the place of the lower ones, by a shuffle: shifts compete with products for execution ports.
  static Integers upper(Integers x) { return _mm512_shuffle_epi32(x, _MM_PERM_DDBB); }
  /// Upper halves of one and lower halves of the other.
  static Integers halves_of(Integers upper, Integers lower) { return _mm512_mask_mov_epi32(upper, 0x5555, lower); }
  static Integers product(Integers a, Integers b) { return _mm512_mul_epu32(a, b); }
  static Integers sum(Integers a, Integers b) { return _mm512_add_epi64(a, b); }
  static Integers either(Integers a, Integers b) { return _mm512_or_si512(a, b); }
  static Integers both(Integers a, Integers b) { return _mm512_and_si512(a, b); }
  static constexpr int halves = 16;
  static std::uint32_t zero_halves(std::uint32_t const* x) {
    return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(x), _mm512_setzero_si512());
  }
  static Integers exclusive(Integers a, Integers b, Integers c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
  static void store_halves(int* to, Integers x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi64_epi32(x));
  }
  /// Numbers k[w] and k[w] + 1: loads of pairs are faster than gathers, much faster on processors with mitigations
  /// against leaks from gathers (Downfall).
  static void load_pairs(double const* from, int const* k, Numbers& first, Numbers& second) {
    auto const even = four_pairs(from, k), odd = four_pairs(from, k + 1);
    first = _mm512_unpacklo_pd(even, odd);
    second = _mm512_unpackhi_pd(even, odd);
  }
  static Numbers load_numbers(double const* from) { return _mm512_loadu_pd(from); }
  static Numbers magnitude(Numbers x) { return _mm512_abs_pd(x); }
  /// x where a < b, and 0 elsewhere.
  static Numbers where_less(Numbers a, Numbers b, Numbers x) {
    return _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(a, b, _CMP_LT_OQ), x);
  }
  static std::uint32_t bits_less(Numbers a, Numbers b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
  /// By the lowest bits.
  static __mmask8 mask(std::uint32_t bits) { return static_cast<__mmask8>(bits); }
  static Numbers select(__mmask8 mask, Numbers a, Numbers b) { return _mm512_mask_blend_pd(mask, b, a); }
  static Numbers smaller(Numbers a, Numbers b) { return _mm512_min_pd(a, b); }
  static Numbers larger(Numbers a, Numbers b) { return _mm512_max_pd(a, b); }
  static Numbers whole(Numbers x) { return _mm512_roundscale_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
  static Integers as_integers(Numbers x) { return _mm512_castpd_si512(x); }
  static void store(std::uint64_t* to, Integers x) { _mm512_storeu_si512(to, x); }
  static Numbers all_numbers(double x) { return _mm512_set1_pd(x); }
  static Numbers as_numbers(Integers x) { return _mm512_castsi512_pd(x); }
  static Numbers plus(Numbers a, Numbers b) { return _mm512_add_pd(a, b); }
  static Numbers minus(Numbers a, Numbers b) { return _mm512_sub_pd(a, b); }
  static Numbers times(Numbers a, Numbers b) { return _mm512_mul_pd(a, b); }
  static void store(double* to, Numbers x) { _mm512_storeu_pd(to, x); }

private:
  /// At every second of eight places.
  static Numbers four_pairs(double const* from, int const* k) {
    return _mm512_insertf64x4(_mm512_castpd256_pd512(two_pairs(from, k[0], k[2])), two_pairs(from, k[4], k[6]), 1);
  }
};
#include "lanes_by_vectors.hpp"
} // namespace avx512
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
namespace avx2 {
struct V {
  using Integers = __m256i;
  using Numbers = __m256d;
  static constexpr int size = 4;

  static Integers load(std::uint64_t const* from) { return _mm256_loadu_si256(reinterpret_cast<__m256i const*>(from)); }
  static Integers all(std::uint64_t x) { return _mm256_set1_epi64x(static_cast<long long>(x)); }
  static Integers right(Integers x, int bits) { return _mm256_srl_epi64(x, _mm_cvtsi32_si128(bits)); }
  static Integers left(Integers x, int bits) { return _mm256_sll_epi64(x, _mm_cvtsi32_si128(bits)); }
  static Integers upper(Integers x) { return _mm256_shuffle_epi32(x, 0xF5); }
  static Integers halves_of(Integers upper, Integers lower) { return _mm256_blend_epi32(upper, lower, 0x55); }
  static Integers product(Integers a, Integers b) { return _mm256_mul_epu32(a, b); }
  static Integers sum(Integers a, Integers b) { return _mm256_add_epi64(a, b); }
  static Integers either(Integers a, Integers b) { return _mm256_or_si256(a, b); }
  static Integers both(Integers a, Integers b) { return _mm256_and_si256(a, b); }
  static constexpr int halves = 8;
  static std::uint32_t zero_halves(std::uint32_t const* x) {
    auto const from = _mm256_loadu_si256(reinterpret_cast<__m256i const*>(x));
    return static_cast<std::uint32_t>(
        _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(from, _mm256_setzero_si256()))));
  }
  static Integers exclusive(Integers a, Integers b, Integers c) { return _mm256_xor_si256(_mm256_xor_si256(a, b), c); }
  static void store_halves(int* to, Integers x) {
    auto const packed = _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(packed));
  }
  static void load_pairs(double const* from, int const* k, Numbers& first, Numbers& second) {
    auto const even = two_pairs(from, k[0], k[2]), odd = two_pairs(from, k[1], k[3]);
    first = _mm256_unpacklo_pd(even, odd);
    second = _mm256_unpackhi_pd(even, odd);
  }
  static Numbers load_numbers(double const* from) { return _mm256_loadu_pd(from); }
  static Numbers magnitude(Numbers x) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x); }
  static Numbers where_less(Numbers a, Numbers b, Numbers x) {
    return _mm256_and_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ), x);
  }
  static std::uint32_t bits_less(Numbers a, Numbers b) {
    return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ)));
  }
  static Numbers mask(std::uint32_t bits) {
    auto const each = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(all(bits), each), each));
  }
  static Numbers select(Numbers mask, Numbers a, Numbers b) { return _mm256_blendv_pd(b, a, mask); }
  static Numbers smaller(Numbers a, Numbers b) { return _mm256_min_pd(a, b); }
  static Numbers larger(Numbers a, Numbers b) { return _mm256_max_pd(a, b); }
  static Numbers whole(Numbers x) { return _mm256_round_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
  static Integers as_integers(Numbers x) { return _mm256_castpd_si256(x); }
  static void store(std::uint64_t* to, Integers x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), x); }
  static Numbers all_numbers(double x) { return _mm256_set1_pd(x); }
  static Numbers as_numbers(Integers x) { return _mm256_castsi256_pd(x); }
  static Numbers plus(Numbers a, Numbers b) { return _mm256_add_pd(a, b); }
  static Numbers minus(Numbers a, Numbers b) { return _mm256_sub_pd(a, b); }
  static Numbers times(Numbers a, Numbers b) { return _mm256_mul_pd(a, b); }
  static void store(double* to, Numbers x) { _mm256_storeu_pd(to, x); }
};
#include "lanes_by_vectors.hpp"
} // namespace avx2
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif

} // namespace

LaneFunctions const* lane_functions(Instructions instructions) {
#if defined(KUBATURE_X86_64)
  __builtin_cpu_init();
#endif
  switch (instructions) {
#if defined(KUBATURE_X86_64)
  case Instructions::avx512:
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") ? &avx512::functions : nullptr;
  case Instructions::avx2:
    return __builtin_cpu_supports("avx2") ? &avx2::functions : nullptr;
#endif
  case Instructions::baseline:
    return &baseline::functions;
  default:
    return nullptr;
  }
}

} // namespace kubature::detail

#else

kubature::detail::LaneFunctions const* kubature::detail::lane_functions(Instructions) { return nullptr; }

#endif

kubature::detail::LaneFunctions const* kubature::detail::lane_functions() {
  static auto const* const best = [] {
    for (auto const instructions : {Instructions::avx512, Instructions::avx2})
      if (auto const* const functions = lane_functions(instructions))
        return functions;
    return lane_functions(Instructions::baseline);
  }();
  return best;
}

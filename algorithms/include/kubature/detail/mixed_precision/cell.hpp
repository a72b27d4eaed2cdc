#pragma once

#include <kubature/detail/probing/sub_box.hpp>
#include <kubature/precision.hpp>

#include <Kokkos_Array.hpp>
#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace kubature::detail {

/// The formats of an integrand's terms, one bit per term: kernels branch on them, uniformly in all threads of a team.
/// Terms from the 64th on are always in fp64.
class TermFormats {
public:
  static constexpr int most = 64;

  /// Sets the format of term k < most; initially all are in fp64.
  void set(int k, Format format) {
    std::uint64_t const bit = std::uint64_t{1} << k;
    half_ = format == Format::binary16 ? half_ | bit : half_ & ~bit;
    single_ = format == Format::binary32 ? single_ | bit : single_ & ~bit;
  }
  KOKKOS_FUNCTION bool half(int k) const { return k < most && (half_ >> k & 1u); }
  KOKKOS_FUNCTION bool single(int k) const { return k < most && (single_ >> k & 1u); }
  Format of(int k) const { return half(k) ? Format::binary16 : single(k) ? Format::binary32 : Format::binary64; }
  /// Whether all `count` terms are in this format.
  bool all(Format format, int count) const {
    for (int k = 0; k < count; ++k)
      if (of(k) != format)
        return false;
    return true;
  }

private:
  std::uint64_t half_ = 0, single_ = 0;
};

/// The formats in which the integrand is evaluated in a launch: all of it in one, or each term in its own, where
/// possible by a program for the sum of all terms of a format. There is one kernel for each, so that none reserves
/// registers for the others.
enum class Mix { doubles, singles, terms, sums };
inline constexpr int mixes = 3; ///< of a call: either `terms` or `sums`

/// A part of the domain that is sampled separately, by its own teams.
struct Cell {
  SubBox box;
  /// Its part of the domain, and the term formats in it.
  double share = 1;
  TermFormats formats;
  /// By format, fp16 first: the number of the sum of its terms in that format, -1 if there are none (Mix::sums).
  Kokkos::Array<int, format_count> sums = {-1, -1, -1};
  /// The number of its first sample in the iteration, its number of samples, and the number of samples per segment.
  std::uint64_t first = 0, samples = 0, length = 0;
  /// Its teams among those of all cells.
  int first_team = 0, teams = 0;
};

} // namespace kubature::detail

#pragma once

#include <kubature/backend.hpp>
#include <kubature/detail/automatic/prospect.hpp>
#include <kubature/options.hpp>

#include <cstdint>

namespace kubature::detail {

/// By how many evaluations Auto goes. On a GPU short calls take as long as longer ones that fill it, as each launch has
/// its cost; those of lattices, which train and try maps first, take as long as many evaluations of the others.
template <class Space>
struct Pace {
  static constexpr bool on_gpu = on_device_of_its_own<Space>;
  /// Of the first round, and at least of a call of lattices and of VEGAS+.
  static constexpr double first = on_gpu ? 1 << 20 : 1 << 17, first_points = on_gpu ? 1 << 26 : 1 << 17,
                          first_samples = on_gpu ? 1 << 23 : 1 << 15;
  /// Of cubature's first call at most; of any at least; and of an iteration that a call of samples or lattices begins
  /// with, one part in so many of its evaluations.
  static constexpr std::uint64_t most_first = 1 << 22, least = 1 << 10, longest = 1 << 26, parts = 8,
                                 first_parts = on_gpu ? 64 : 8;
  /// Calls grow by this factor from round to round, as long as they take no more than 1 / rest of what VEGAS+ will
  /// take, an evaluation of which has the weight of two of cubature or lattices.
  static constexpr double growth = 4, rest = 4, weight = 2;
  /// The first call of VEGAS+ waits while it is expected to take more than so many of its calls, for values that
  /// scatter so far in its map and strata, in units of the integral.
  static constexpr double patience = 16, scatter = 0.1;
  /// Cubature may give way to samples once it has made this part of its first call, an iteration of which takes as long
  /// as so many evaluations besides its own; and where its first error is no more than so many times the value.
  static constexpr double glance = 1.0 / 16, launches = on_gpu ? 1 << 14 : 0, cancels = 10;
  /// The part of samples that VEGAS+ redistributes in its first call: on a GPU none, as in m-Cubes, since what shares
  /// them out takes as many launches as all else.
  static constexpr double redistribute = on_gpu ? 0 : own_choice;
  /// Before the first call of lattices VEGAS+ goes on where it is expected to take no more than so many samples, and
  /// cubature has a call of twice the next round's where it promises to take no more than so many times that.
  static constexpr double instead = on_gpu ? 1 << 26 : 0, hope = on_gpu ? 1024 : 0;
  /// Cubature and lattices that promise to take no more than so many of their turns go on at once, with so many times
  /// what they promise or the next round's call: they would begin anew in each round.
  static constexpr double leap = on_gpu ? 16 : growth, reserve = on_gpu ? 4 : 1;
  /// Results that took fewer evaluations are not asked for confirmation: by samples, and by lattices.
  static constexpr std::uint64_t worth_samples = 1 << 20, worth_points = on_gpu ? 1 << 25 : 1 << 20;
  /// Results that differ by so many of their errors contradict each other.
  static constexpr double far = 6;
  static constexpr Powers of_cubature{0.02, 6}, of_lattices{0.5, 1.5};
};

} // namespace kubature::detail

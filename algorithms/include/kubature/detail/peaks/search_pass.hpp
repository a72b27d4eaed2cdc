#pragma once

#include <kubature/philox.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

/// Uniform points of the unit cube, by their numbers, from which ascents may start.
struct Candidates {
  int dimension;
  Kokkos::Array<std::uint32_t, 2> key;
  std::uint32_t list; ///< of several with the same key

  KOKKOS_FUNCTION void draw(std::uint64_t k, double* to) const {
    for (int i = 0; i < dimension; i += 4) {
      auto const words = philox(
          {static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k >> 32), list, static_cast<std::uint32_t>(i)},
          key);
      for (int j = i; j < dimension && j < i + 4; ++j)
        to[j] = uniform<double>(words[j - i]);
    }
  }
};

/// What an integrand returns at a point.
struct ValuesOfSearch {
  int components; ///< 0: the logarithm of f

  KOKKOS_FUNCTION unsigned count() const { return components > 0 ? static_cast<unsigned>(components) : 1; }
  /// log |f| at point k, with the sum of the magnitudes of the components.
  template <class Numbers>
  KOKKOS_FUNCTION double height(Numbers const& values, std::uint64_t k) const {
    constexpr double infinite = Kokkos::Experimental::infinity_v<double>;
    if (components == 0)
      return values(k) < infinite ? values(k) : -infinite; // not for NaN
    double sum = 0;
    for (unsigned c = 0; c < count(); ++c)
      sum += Kokkos::abs(values(k * count() + c));
    return Kokkos::isfinite(sum) ? Kokkos::log(sum) : -infinite;
  }
};

/// A number from two random words whose mean is 0 and variance 1: the sum of four uniform ones, nearly normal.
KOKKOS_INLINE_FUNCTION double nearly_normal(std::uint32_t a, std::uint32_t b) {
  constexpr std::uint32_t half = 0xFFFF;
  constexpr double deviation = 65536 / Kokkos::numbers::sqrt3_v<double>; // of four numbers of 16 bits
  auto const sum = (a & half) + (a >> 16) + (b & half) + (b >> 16);
  return (static_cast<double>(sum) - 2 * half) / deviation;
}

/// What a search does at each of many points of the unit cube before the integrand is evaluated there and afterwards,
/// once or in several steps.
template <class Space>
struct SearchPass {
  using Numbers = Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged>;
  enum class Task {
    heights, ///< `height` is log |f| at the points
    excess,  ///< it is that at uniform points, less the logarithm of the largest Gaussian there, if there is one
    ascents  ///< the points are tried by chains, which keep the highest
  };

  /// Uniform points, and Gaussians as Modes::gaussians() has them.
  struct Uniform {
    Candidates points{};
    std::uint64_t first = 0;
    Numbers modes;
  };
  /// Chains of a (1+1) evolution strategy.
  struct Ascents {
    double first_step = 0, longer = 0, shorter = 0, longest = 0; ///< PeaksPolicy
    Kokkos::Array<std::uint32_t, 2> key{};
    Numbers best;         ///< [chain][axis]; a chain outside the cube tries this place
    Numbers size, inside; ///< [chain]; size is the standard deviation of a step
  };

  Task task;
  int dimension;
  ValuesOfSearch of;
  std::uint64_t steps;
  Numbers at, values, height; ///< [point][axis]; [point][component]; [point]
  Uniform uniform_points{};
  Ascents ascents{};

  std::uint64_t count() const { return height.size(); }

  KOKKOS_FUNCTION void before(std::uint64_t k) const {
    if (task == Task::excess)
      uniform_points.points.draw(uniform_points.first + k, at.data() + k * static_cast<unsigned>(dimension));
    if (task != Task::ascents)
      return;
    height(k) = -infinite;
    ascents.size(k) = ascents.first_step;
    ascents.inside(k) = 1;
  }

  KOKKOS_FUNCTION void after(std::uint64_t step, std::uint64_t k) const {
    double const found = of.height(values, k);
    if (task == Task::ascents) {
      accept(k, found);
      if (step + 1 < steps)
        propose(step, k);
    } else {
      height(k) = task == Task::excess && uniform_points.modes.size() > 0
                      ? found - explained(at.data() + k * static_cast<unsigned>(dimension))
                      : found;
    }
  }

private:
  static constexpr double infinite = Kokkos::Experimental::infinity_v<double>;

  KOKKOS_FUNCTION std::uint64_t index(std::uint64_t chain, int axis) const {
    return chain * static_cast<unsigned>(dimension) + static_cast<unsigned>(axis);
  }

  KOKKOS_FUNCTION double explained(double const* x) const {
    auto const& modes = uniform_points.modes;
    double largest = -infinite;
    for (double const *mode = modes.data(), *const end = mode + modes.size(); mode < end;) {
      double const top = *mode++, *const centre = mode, *precision = mode + dimension;
      double square = 0;
      for (int i = 0; i < dimension; ++i) {
        double row = 0;
        for (int j = 0; j <= i; ++j)
          row += *precision++ * (x[j] - centre[j]);
        square += row * (x[i] - centre[i]);
      }
      largest = Kokkos::max(largest, top - square / 2);
      mode = precision;
    }
    return largest;
  }

  KOKKOS_FUNCTION void accept(std::uint64_t chain, double found) const {
    auto const& [first, longer, shorter, longest, key, best, size, inside] = ascents;
    bool const lost = Kokkos::isinf(height(chain));
    bool const better = inside(chain) > 0 && found > height(chain);
    if (!lost)
      size(chain) = Kokkos::min(longest, size(chain) * (better ? longer : shorter));
    if (!better)
      return;
    height(chain) = found;
    for (int i = 0; i < dimension; ++i)
      best(index(chain, i)) = at(index(chain, i));
  }

  KOKKOS_FUNCTION void propose(std::uint64_t step, std::uint64_t chain) const {
    auto const& best = ascents.best;
    bool const anew = Kokkos::isinf(height(chain));
    bool within = true;
    for (int i = 0; i < dimension; i += 2) {
      auto const words = philox({static_cast<std::uint32_t>(chain), static_cast<std::uint32_t>(chain >> 32),
                                 static_cast<std::uint32_t>(step + 1), static_cast<std::uint32_t>(i)},
                                ascents.key);
      for (int k = 0; k < 2 && i + k < dimension; ++k) {
        double const t =
            anew ? uniform<double>(words[2 * k])
                 : best(index(chain, i + k)) + ascents.size(chain) * nearly_normal(words[2 * k], words[2 * k + 1]);
        at(index(chain, i + k)) = t;
        within = within && t > 0 && t < 1;
      }
    }
    ascents.inside(chain) = within ? 1 : 0;
    for (int i = 0; i < dimension && !within; ++i)
      at(index(chain, i)) = best(index(chain, i));
  }
};

/// A pass with the integrand in the same kernel.
/// @tparam Evaluation evaluates groups of `lanes` points: see EvaluatePoints
template <class Space, class Evaluation>
struct SearchKernel {
  SearchPass<Space> pass;
  Evaluation evaluation;

  KOKKOS_FUNCTION void operator()(std::uint64_t group) const {
    constexpr std::uint64_t lanes = Evaluation::lanes;
    std::uint64_t const first = group * lanes, end = Kokkos::min(first + lanes, pass.height.extent(0));
    for (std::uint64_t k = first; k < end; ++k)
      pass.before(k);
    for (std::uint64_t step = 0; step < pass.steps; ++step) {
      evaluation(typename Evaluation::Evaluate(), group);
      for (std::uint64_t k = first; k < end; ++k)
        pass.after(step, k);
    }
  }
};

} // namespace kubature::detail

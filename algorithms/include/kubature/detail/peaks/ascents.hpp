#pragma once

#include <kubature/batched.hpp>
#include <kubature/box.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/memory/batches.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/peaks/modes.hpp>
#include <kubature/detail/sampling/evaluate.hpp>
#include <kubature/integrand.hpp>
#include <kubature/philox.hpp>
#include <kubature/point.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubature::detail {

/// The sizes of steps, in units of the sides (PeaksPolicy).
struct StepSizes {
  double first, longer, shorter, longest;
};

/// Ascents of |f| in the unit cube: chains of a (1+1) evolution strategy, each
/// with a step size of its own that grows after a success and shrinks after a failure (Rechenberg's rule of success as
/// in Kern et al., "Learning probability distributions in continuous evolutionary algorithms", Natural Computing 3
/// (2004) 77, section 4). Where f is zero there is no slope: a chain then draws uniform points. Several components
/// count with the sum of their magnitudes.
template <class Space, class F, int D>
struct Ascend {
  using Numbers = Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged>;
  static constexpr int components = ValueTraits<IntegrandValue<F, double, D>>::components;
  /// Chains per work item, whose points an integrand may evaluate side by side.
  static constexpr int lanes = EvaluatesSideBySide<F, double, D, Tuning<Space>::batch> ? Tuning<Space>::batch : 1;

  F f;
  Transform<double, D> transform;
  int dimension;
  StepSizes sizes;
  Kokkos::Array<std::uint32_t, 2> key;
  std::uint64_t chains, begin, end; ///< steps begin to end
  Numbers at;                       ///< [axis][chain], in the unit cube
  Numbers height, size;             ///< [chain]: log |f|, and the standard deviation of a step
  StoredPoints<Space> points;
  BatchValues<Space> values;

  struct Climb {};   ///< all steps
  struct Propose {}; ///< the points of one step, for an integrand of batches
  struct Accept {};  ///< reads its values

  KOKKOS_FUNCTION int axes() const { return is_dynamic<D> ? dimension : D; }

  /// The point that a chain tries. @returns whether it is inside the cube; if not, it is moved to where the chain is
  KOKKOS_FUNCTION bool propose(std::uint64_t chain, std::uint64_t step, Point<double, D>& t) const {
    bool const anew = step == 0 || Kokkos::isinf(height(chain));
    t.set_size(dimension);
    bool inside = true;
    for (int i = 0; i < axes(); i += 2) {
      auto const words = philox({static_cast<std::uint32_t>(chain), static_cast<std::uint32_t>(chain >> 32),
                                 static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(i)},
                                key);
      // Two normal numbers of Box and Muller, or two uniform ones.
      double const radius = Kokkos::sqrt(-2 * Kokkos::log(uniform<double>(words[0])));
      double const angle = 2 * Kokkos::numbers::pi * uniform<double>(words[1]);
      for (int k = 0; k < 2 && i + k < axes(); ++k) {
        double const normal = radius * (k == 0 ? Kokkos::cos(angle) : Kokkos::sin(angle));
        t[i + k] = anew ? uniform<double>(words[2 + k]) : at(index(chain, i + k)) + size(chain) * normal;
        inside = inside && t[i + k] > 0 && t[i + k] < 1;
      }
    }
    for (int i = 0; i < axes() && !inside; ++i)
      t[i] = at(index(chain, i));
    return inside;
  }
  KOKKOS_FUNCTION std::uint64_t index(std::uint64_t chain, int axis) const {
    return static_cast<unsigned>(axis) * chains + chain;
  }
  KOKKOS_FUNCTION Point<double, D> place(Point<double, D> const& t) const {
    Point<double, D> x;
    x.set_size(dimension);
    for (int i = 0; i < axes(); ++i)
      x[i] = transform.place(i, t[i]);
    if (transform.infinite())
      transform.template map_infinite<double>(x);
    return x;
  }
  /// @param magnitude of f at the point
  KOKKOS_FUNCTION void accept(std::uint64_t chain, std::uint64_t step, Point<double, D> const& t, bool inside,
                              double magnitude) const {
    double const found = Kokkos::log(magnitude);
    bool const better = inside && Kokkos::isfinite(found) && (step == 0 || found > height(chain));
    if (step == 0) {
      height(chain) = better ? found : -Kokkos::Experimental::infinity_v<double>;
      size(chain) = sizes.first;
    } else if (better && Kokkos::isinf(height(chain))) {
      height(chain) = found;
    } else if (!Kokkos::isinf(height(chain))) {
      size(chain) = Kokkos::min(sizes.longest, size(chain) * (better ? sizes.longer : sizes.shorter));
      if (better)
        height(chain) = found;
    }
    for (int i = 0; i < axes() && (better || step == 0); ++i)
      at(index(chain, i)) = t[i];
  }
  template <class Value>
  KOKKOS_FUNCTION static double magnitude(Value const& value) {
    double sum = 0;
    for (int c = 0; c < components; ++c)
      sum += Kokkos::abs(static_cast<double>(ValueTraits<Value>::get(value, c)));
    return sum;
  }

  KOKKOS_FUNCTION void operator()(Climb, std::uint64_t group) const {
    std::uint64_t const first = group * lanes;
    for (std::uint64_t step = begin; step < end; ++step) {
      Point<double, D> t[lanes], x[lanes];
      bool inside[lanes];
      for (int w = 0; w < lanes; ++w) {
        auto const chain = Kokkos::min(first + static_cast<unsigned>(w), chains - 1);
        inside[w] = propose(chain, step, t[w]);
        x[w] = place(t[w]);
      }
      if constexpr (lanes > 1) {
        double value[lanes];
        f.batch(x, value);
        for (int w = 0; w < lanes && first + static_cast<unsigned>(w) < chains; ++w)
          accept(first + static_cast<unsigned>(w), step, t[w], inside[w], Kokkos::abs(value[w]));
      } else if constexpr (!is_in_memory<F>) {
        accept(first, step, t[0], inside[0], magnitude(f(x[0])));
      }
    }
  }
  KOKKOS_FUNCTION void operator()(Propose, std::uint64_t chain) const {
    Point<double, D> t;
    propose(chain, begin, t);
    auto const x = place(t);
    for (int i = 0; i < axes(); ++i)
      points(chain, i) = x[i];
  }
  KOKKOS_FUNCTION void operator()(Accept, std::uint64_t chain) const {
    Point<double, D> t;
    bool const inside = propose(chain, begin, t);
    accept(chain, begin, t, inside, magnitude(stored_value<components>(values, chain)));
  }
};

} // namespace kubature::detail

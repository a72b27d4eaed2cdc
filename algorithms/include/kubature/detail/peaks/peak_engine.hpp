#pragma once

#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/peaks/modes.hpp>
#include <kubature/philox.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

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

/// Evaluates log |f| and climbs, for PeakSearch.
class Climber {
public:
  virtual ~Climber() = default;

  /// log |f| at points of the unit cube, [point][axis]; -infinity where f is zero or not finite. Several components
  /// count with the sum of their magnitudes.
  virtual std::vector<double> heights(std::vector<double> const& points) = 0;
  /// log |f| at the first of uniform points, less the logarithm of the largest Gaussian there, if there is one.
  /// @param modes as Modes::gaussians() has them
  virtual std::vector<double> excess(Candidates const& points, std::uint64_t count,
                                     std::vector<double> const& modes) = 0;
  /// The last points of ascents.
  /// @param starts [chain][axis]
  virtual EndsOfAscents ascend(std::vector<double> const& starts, std::uint64_t steps, std::uint64_t seed) = 0;
};

/// Ascents of |f| in the unit cube: chains of a (1+1) evolution strategy, each with a step size of its own that grows
/// after a success and shrinks after a failure (Rechenberg's rule of success as in Kern et al., "Learning probability
/// distributions in continuous evolutionary algorithms", Natural Computing 3 (2004) 77, section 4). Where f is zero
/// there is no slope: a chain then draws uniform points. Compiled once for all integrands.
template <class Space>
class PeakEngine final : public Climber {
public:
  using Numbers = Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged>;
  /// f without the Jacobian of the box at points of the unit cube, [point][axis]; [point][component].
  using Evaluate = std::function<void(Numbers const& points, Numbers const& values)>;

  /// @param components number of values at a point; 0: one, the logarithm of f
  /// @param memory     of its chains, used by nobody else meanwhile
  PeakEngine(Space const& exec, Evaluate evaluate, int dimension, int components, Buffer<Space>& memory)
      : exec_(exec), evaluate_(std::move(evaluate)), dimension_(dimension), values_{components}, memory_(memory) {}

  std::vector<double> heights(std::vector<double> const& points) override;
  std::vector<double> excess(Candidates const& points, std::uint64_t count, std::vector<double> const& modes) override;
  EndsOfAscents ascend(std::vector<double> const& starts, std::uint64_t steps, std::uint64_t seed) override;

private:
  Numbers part(std::size_t count);

  Space exec_;
  Evaluate evaluate_;
  int dimension_;
  ValuesOfSearch values_;
  Buffer<Space>& memory_;
  double* next_ = nullptr; ///< of the memory
};

} // namespace kubature::detail

#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/transform.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace kubature::detail {

/// A mixture of densities within the unit cube: the uniform one, and one about each of several points (StudentMap).
struct Mixture {
  struct Component {
    double share;
    std::vector<double> numbers; ///< of its StudentMap
  };
  int dimension;
  double uniform; ///< the share of the uniform density; the sum of all shares is 1
  std::vector<Component> components;
};

/// Sums over the samples of a list, whose weights are divided by a common scale.
struct WeightedMoments {
  double weight = 0, square = 0; ///< of the weights and of their squares
  std::vector<double> first;     ///< of weighted distances from a centre, [axis]
  std::vector<double> second;    ///< of their products, the lower triangle by rows
};

/// Draws samples from mixtures, for EvidenceSampling.
class MixtureSampler {
public:
  virtual ~MixtureSampler() = default;

  /// Draws counts[k] samples from each density, the uniform one first. The counts are in proportion to the shares.
  /// @param list the number of this list of samples
  /// @returns log(w / V) with w = f / q, where q is the density of the mixture in the unit cube, and V the Jacobian of
  ///          the box: the integral is the mean of w
  virtual std::vector<double> sample(Mixture const& mixture, std::vector<std::uint64_t> const& counts,
                                     std::uint64_t seed, std::uint32_t list) = 0;
  /// Of the samples that were drawn last: for each component those of the weights times the probability that a sample
  /// is of this component, about its centre in the unit cube; then those of all_moments().
  virtual std::vector<WeightedMoments> moments(double log_scale) = 0;
  /// Of all of these samples, in the box, about all_about().
  virtual WeightedMoments all_moments(double log_scale) = 0;
  virtual std::vector<double> all_about() = 0; ///< in the box: the centre of the first component
  virtual std::vector<double> points() = 0;    ///< in the box, [sample][axis]
};

/// Compiled once for all integrands.
template <class Space>
class MixtureEngine final : public MixtureSampler {
public:
  using Numbers = Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged>;
  /// The logarithm of f times the Jacobian of the box at points of the unit cube, [point][axis].
  using Evaluate = std::function<void(Numbers const& points, Numbers const& values)>;

  MixtureEngine(Space const& exec, Evaluate evaluate, Box<dynamic> const& box)
      : exec_(exec), evaluate_(std::move(evaluate)), transform_(box, CoordinateFormat::of<double>()),
        dimension_(box.dimension()) {}

  std::vector<double> sample(Mixture const& mixture, std::vector<std::uint64_t> const& counts, std::uint64_t seed,
                             std::uint32_t list) override;
  std::vector<WeightedMoments> moments(double log_scale) override { return moments_from(0, log_scale); }
  WeightedMoments all_moments(double log_scale) override { return moments_from(components_, log_scale).front(); }
  std::vector<double> all_about() override;
  std::vector<double> points() override;

private:
  /// Those from this component on.
  std::vector<WeightedMoments> moments_from(std::size_t component, double log_scale);

  Space exec_;
  Evaluate evaluate_;
  Transform<double, dynamic> transform_;
  int dimension_;
  std::size_t components_ = 0; ///< without the uniform density
  std::vector<double> centre_; ///< of the first component
  Buffer<Space> memory_{"kubature::peaks::samples"}, sums_{"kubature::peaks::moments"};
  Numbers numbers_, at_, densities_, log_weights_;
};

} // namespace kubature::detail

#pragma once

#include <kubature/detail/peaks/mixture.hpp>
#include <kubature/detail/peaks/modes.hpp>
#include <kubature/evidence.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_Timer.hpp>

#include <cstdint>
#include <vector>

namespace kubature::detail {

/// Importance sampling of exp(L) from a mixture about the modes of L, which is adapted first and fixed then.
class EvidenceSampling {
public:
  EvidenceSampling(MixtureSampler& sampler, int dimension, EvidenceOptions const& options, Limits const& limits);

  /// @param spent evaluations so far
  void run(std::vector<Mode> const& modes, std::uint64_t spent, Evidence& result);

private:
  /// Of a list of samples.
  struct List {
    double log_mean;    ///< of the weights
    double variance;    ///< of that mean, relative to its square
    double log_largest; ///< of the weights
  };
  void first_mixture(std::vector<Mode> const& modes);
  List draw(std::uint64_t samples);
  void adapt(List const& list);
  void combine(std::vector<List> const& lists, Evidence& result) const;
  void finish(Evidence& result) const;
  void add_moments(List const& list);
  void keep(Evidence& result);

  MixtureSampler& sampler_;
  EvidenceOptions const& options_;
  Limits const& limits_;
  Mixture mixture_;
  std::uint32_t lists_ = 0;
  std::uint64_t evaluations_ = 0;
  std::vector<double> log_weights_; ///< of the last list
  Kokkos::Timer timer_;

  double log_scale_ = 0; ///< of what follows, over the lists of the fixed mixture
  WeightedMoments all_;
  std::vector<double> about_;
};

} // namespace kubature::detail

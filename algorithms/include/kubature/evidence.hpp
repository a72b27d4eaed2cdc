#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/audit/point_values.hpp>
#include <kubature/detail/call/solver.hpp>
#include <kubature/detail/peaks/mixture.hpp>
#include <kubature/detail/peaks/peak_engine.hpp>
#include <kubature/peaks.hpp>
#include <kubature/result.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <source_location>
#include <string>
#include <type_traits>
#include <vector>

namespace kubature {

/// How log_evidence() computes.
struct EvidenceOptions {
  double error = 0.01;              ///< the tolerance: one standard deviation of log Z
  std::uint64_t search = 1'200'000; ///< evaluations of the search for peaks, at least 1000
  std::uint64_t samples = 100'000;  ///< of an iteration, at least 1000
  std::uint64_t iterations = 100;   ///< their maximum number, without those that adapt the mixture
  std::uint64_t seed = 0;           ///< of the random numbers
  bool keep = false;                ///< whether Evidence has the samples
};

/// An integral Z of exp(L), the density exp(L) / Z, and samples from it.
struct Evidence {
  /// The value of numbers that there are none of.
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  double log_evidence = -std::numeric_limits<double>::infinity(); ///< log Z
  double error = unknown;                                         ///< one standard deviation of log Z
  Status status = Status::no_variance;                            ///< why the call ended
  std::vector<double> mean;                                       ///< of the d coordinates
  std::vector<double> covariance;                                 ///< of them, d x d, by rows
  std::vector<Peak> peaks;                                        ///< of exp(L) that were found, the highest first
  double chi2 = unknown;                                          ///< of the iterations
  int dof = 0;                                                    ///< the number of iterations less one
  double q_value = unknown;         ///< the probability that chi2 is exceeded if the errors are right
  double k_hat = unknown;           ///< the shape of the tail of the weights: see CallRecord::k_hat
  double effective = 0;             ///< the effective number of samples, (sum of w)^2 / sum of w^2
  std::uint64_t evaluations = 0;    ///< of L, the search's included
  double seconds = 0;               ///< the duration of the call
  std::vector<std::string> remarks; ///< sentences for people

  // Samples of the iterations that count, if EvidenceOptions.keep.
  std::vector<double> points;      ///< [sample][axis], in the box
  std::vector<double> log_weights; ///< [sample], of weights whose sum is 1
};

/// Indices of samples with equal weights, in the order of the samples: each is accepted with a probability in
/// proportion to its weight (von Neumann's rejection). Their share in all samples is the efficiency, the mean of the
/// weights divided by the largest.
std::vector<std::size_t> equally_weighted(Evidence const& evidence, std::uint64_t seed = 0);

namespace detail {

/// Throws InvalidArgument.
void check(EvidenceOptions const& options, Limits const& limits, std::source_location where);

Evidence log_evidence(Climber& climber, MixtureSampler& sampler, Box<dynamic_many> const& box,
                      EvidenceOptions const& options, Limits const& limits);

} // namespace detail

/// The logarithm of the integral Z of exp(L) over a box, for an integrand that returns L, from -infinity up and of any
/// magnitude: the evidence of a model, where L is the logarithm of likelihood times prior. Finds the peaks of L by
/// find_peaks(), and samples from a mixture of Student's t densities about them and a uniform one, whose places, shapes
/// and shares it adapts (Cappe et al., "Adaptive importance sampling in general mixture classes", Stat. Comput. 18
/// (2008) 447; shares by second moments as in Kleiss and Pittau, Comput. Phys. Commun. 83 (1994) 141). The same on any
/// number of threads.
///
/// @param log_f as for integrate(), with one component; NaN and infinity count as -infinity
/// @param box   of 1 to 20 sides
/// Throws InvalidArgument for options that allow no work.
template <class Space, class F, int D>
  requires Kokkos::is_execution_space_v<Space>
Evidence log_evidence(Space const& exec, F const& log_f, Box<D> const& box, EvidenceOptions options = {},
                      Limits limits = {}, std::source_location where = std::source_location::current()) {
  detail::check(options, limits, where);
  auto const f = detail::on_device<Fp64, D, true>(exec, log_f, box, where);
  using InKernels = detail::InKernels<std::remove_const_t<decltype(f)>, Space>;
  static_assert(detail::ValueTraits<detail::IntegrandValue<InKernels, double, D>>::components == 1,
                "a logarithm has one component");
  detail::SearchMemory<Space> memory(exec);
  auto climber = detail::peak_engine(f, box, 0, memory);
  detail::MixtureEngine<Space> sampler(
      exec,
      [&, group = detail::TimedWork()](auto const& points, auto const& to) mutable {
        memory.values.template evaluate<Fp64>(memory.threads, group, f, box, points, to,
                                              detail::Weight::logarithm_of_jacobian);
      },
      Box<dynamic>(Box<dynamic_many>(box)));
  return detail::log_evidence(climber, sampler, Box<dynamic_many>(box), options, limits);
}

/// As above, on the default execution space.
template <class F, int D>
Evidence log_evidence(F const& log_f, Box<D> const& box, EvidenceOptions options = {}, Limits limits = {},
                      std::source_location where = std::source_location::current()) {
  detail::check_kokkos(where);
  return log_evidence(Kokkos::DefaultExecutionSpace(), log_f, box, options, limits, where);
}

} // namespace kubature

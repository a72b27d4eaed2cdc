#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/vegas/strata.hpp>
#include <kubature/detail/vegas/trained_map.hpp>
#include <kubature/detail/vegas_plus/redistribution.hpp>
#include <kubature/detail/vegas_plus/restratification.hpp>
#include <kubature/detail/vegas_plus/stratification.hpp>
#include <kubature/vegas_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace kubature::detail {

/// What the calls of an integrator of VEGAS+ train: the map, and the strata with what has been learnt about them.
template <class Space>
class AdaptiveStrata : public TrainedMap<Space> {
public:
  /// See TrainedMap. What was known of the strata is forgotten.
  void use(VegasMap const& map) {
    Base::use(map);
    forget_strata();
  }

protected:
  using Base = TrainedMap<Space>;
  using Base::ranks_;

  template <class Method>
  AdaptiveStrata(Space const& exec, Communicator const& ranks, Method const& options)
      : Base(exec, ranks), redistribution_(options.redistribute, options.evaluations),
        restratification_(options.restratify, options.evaluations), strata_(ranks), beta_(options.beta) {}

  /// Whether cubes have weights.
  bool weighted() const { return beta_ > 0 && redistribution_.part() > 0; }

  void forget_strata() {
    strata_.reset();
    redistribution_.restart();
    restratification_.restart();
  }

  /// The cubes for an iteration: as many as the evaluations ask for, or fewer if memory is short.
  template <int D, class Run>
  Strata<D> stratify(Run& run, int d, std::uint64_t evaluations, std::size_t bytes, bool adapting) {
    auto const evenly = spread_evenly(redistribution_.part(), evaluations);
    Strata<D> strata(d, evenly, Base::shape_);
    auto const needed = [&] { return weighted() ? Stratification<Space>::bytes(strata.cubes) : 0; };
    if (!adapting && strata_.sum() == 0)
      return strata;
    if (needed() > Base::small && needed() > granted_)
      bytes = std::min(bytes, ranks_.least(Base::free_share() / 10 * 9 + strata_.size()));
    if (needed() > bytes && strata.cubes > 1) {
      strata = strata_within<Space, D>(d, evenly, bytes, Base::shape_);
      run.remark("memory was short: fewer strata than the evaluations ask for");
    }
    granted_ = std::max(granted_, needed());
    return strata;
  }

  /// Whether samples continue to be redistributed after an iteration of this many evaluations.
  /// @param factor by which squares of deviations of cubes are multiplied to add up to the gain
  template <int D>
  void learn(Strata<D> const& strata, int d, std::uint64_t evaluations, double factor) {
    auto const cubes = static_cast<double>(strata.cubes);
    double gain = 0, finer = 0;
    if (redistribution_.asks(cubes, d)) {
      gain = strata_.sum_of_powers(Base::exec_, 2 / beta_, factor);
      finer = static_cast<double>(Strata<D>(d, evaluations, Base::shape_).cubes);
    }
    if (redistribution_.learn(evaluations, cubes, finer, d, gain))
      strata_.reset();
  }

  Redistribution redistribution_;
  Restratification restratification_;
  Stratification<Space> strata_;

private:
  double beta_;
  std::size_t granted_ = 0; ///< of strata, for which memory has been found to suffice
};

} // namespace kubature::detail

#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/call/solver.hpp>
#include <kubature/detail/quasi_monte_carlo/qmc_strategy.hpp>
#include <kubature/detail/quasi_monte_carlo/sampler.hpp>
#include <kubature/several_result.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cstdint>
#include <source_location>
#include <utility>

namespace kubature::detail {

/// One call: its engine, its estimates and its strategy. It may pause and then continue as if it had not, while other
/// methods are called; its memory is used by no other call meanwhile.
/// @tparam Memory   a QmcMemory
/// @tparam F        the integrand in its form on the device
/// @tparam Sequence Lattice or Sobol
template <class Memory, class F, int D, class Sequence>
class QmcCourse {
  using P = typename Memory::Precision;
  using Engine = QmcSampler<Memory, F, D, Sequence>;

public:
  /// The callback must stay valid.
  QmcCourse(Memory& memory, F const& f, Box<D> const& box, Request const& request)
      : memory_(memory), run_(fixed(memory, f, box, request), request, memory.ranks),
        engine_(memory, f, box, run_, request),
        strategy_(for_strategy(memory, box, request.limits), engine_, run_, memory.ranks) {
    check_transform(memory.options.transform, box.dimension(), request.where);
    check_map(memory.options.trained_map, box.dimension(), request.where);
    run_.locate_by([this](std::uint64_t count) { return engine_.not_finite(count); });
    run_.audit_by([this](std::uint64_t most) { return engine_.audit(most); });
  }
  QmcCourse(QmcCourse const&) = delete; // the audit refers to it

  /// See QmcStrategy.
  template <class Pause>
  bool go_on(Pause const& pause) {
    Kokkos::Profiling::ScopedRegion region("kubature::qmc");
    return strategy_.go_on(pause);
  }

  /// Limits the call to this many evaluations, including those made so far.
  void limit(std::uint64_t evaluations) { run_.limit(evaluations); }

  /// The result of a call that has paused.
  SeveralResult so_far() {
    run_.audit();
    return sign(run_.so_far());
  }
  /// The result of a call that has ended.
  SeveralResult finish() {
    ++memory_.call;
    return sign(run_.finish());
  }

private:
  static ShiftEstimates::Fixed fixed(Memory const& memory, F const& f, Box<D> const& box, Request const& request) {
    auto const& options = memory.options;
    constexpr int components = Engine::kernel_components;
    Transform<typename P::sample_type, D> const transform(box, CoordinateFormat::of<typename P::sample_type>());
    return {epsilon<P>,        1 - transform.inner(),
            options.shifts,    std::min(options.evaluations, request.limits.evaluations),
            Sequence::longest, with_products<components>(options, request.where, [](bool full) { return full; }),
            components,        used_components<components>(f)};
  }
  static QmcRequest for_strategy(Memory const& memory, Box<D> const& box, Limits const& limits) {
    auto const& options = memory.options;
    return {box.dimension(),   std::min(options.evaluations, limits.evaluations / 2),
            options.transform, options.trained_map,
            Engine::lattice,   Sequence::longest,
            options.seed,      memory.call,
            options.non_finite};
  }

  SeveralResult sign(SeveralResult result) const {
    return signed_by<typename Memory::ExecutionSpace>(std::move(result), memory_.options.precision,
                                                      memory_.options.seed, memory_.ranks);
  }

  Memory& memory_;
  ShiftEstimates run_;
  Engine engine_;
  QmcStrategy strategy_;
};

} // namespace kubature::detail

#pragma once

#include <kubature/box.hpp>
#include <kubature/communicator.hpp>
#include <kubature/cubature_rule.hpp>
#include <kubature/detail/audit/audit_points.hpp>
#include <kubature/detail/cubature/behind_points.hpp>
#include <kubature/detail/cubature/cubature.hpp>
#include <kubature/detail/cubature/second_opinion.hpp>
#include <kubature/detail/pagani/pagani_engine.hpp>
#include <kubature/result.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace kubature::detail {

/// PAGANI's memory, kept from call to call.
template <class Space>
struct PaganiMemory {
  Space exec;
  Communicator ranks;
  Cubature<Space> cubature;
  PointValues<Space> values = {};
};

/// The engine of one call.
/// @tparam F the integrand in its form on the device
template <class P, class Space, class F, int D>
class RegionsOfCall final : public PaganiEngine {
  static constexpr int components = ValueTraits<ResultValue<F, typename P::eval_type, D>>::components;

public:
  /// @param level of the first grid, see Cubature::start()
  RegionsOfCall(PaganiMemory<Space>& memory, CubatureRule const& rule, F const& f, Box<D> const& box, NonFinite policy,
                Request const& request, int level, RegionEstimates& estimates)
      : memory_(memory), rule_(rule), f_(f), box_(box), policy_(policy), request_(request), level_(level),
        run_(estimates), opinions_(memory.exec, rule.points(), &memory.cubature.batches()) {}

  std::uint64_t total() const override { return list().total(); }
  std::uint64_t size() const override { return list().size(); }
  std::uint64_t capacity() const override { return list().capacity(); }
  bool met(Tolerance tolerance) const override { return list().met(tolerance); }
  void reserve(std::uint64_t size, std::size_t bytes) override { list().reserve(exec(), size, bytes); }
  bool rebalance(std::size_t bytes) override { return list().rebalance(exec(), bytes); }
  Taken take(std::uint64_t count, int last_bin, std::uint64_t room) const override {
    return list().take(count, last_bin, room);
  }

  bool start(std::size_t bytes) override {
    auto limits = request_.limits;
    limits.bytes = bytes;
    integral_.reset(); // not assigned to: closures that capture cannot be
    if (auto begun = memory_.cubature.template start<P>(
            run_, rule_, f_, box_, policy_, request_.within(limits),
            {.level = level_, .published = policy<CubaturePolicy>().published_errors}))
      integral_.emplace(*std::move(begun));
    return integral_.has_value();
  }
  bool refine(RegionChoice const& choice, RegionStatistics const& statistics, double relative) override {
    NewRegions const new_regions{choice.mine, size(), 2 * choice.mine};
    integral_->driver = statistics.driver;
    auto const selection = list().select(statistics, choice.threshold.last_bin, relative);
    list().bisect(exec(), selection, choice.above, choice.mine);
    return memory_.cubature.evaluate(run_, *integral_, new_regions, rule_.points());
  }
  RegionStatistics summarise(double relative) override {
    return list().summarise(exec(), request_.tolerance, relative);
  }
  RegionStatistics improve_and_summarise(double relative, HalfErrors halves) override {
    return list().improve_and_summarise(exec(), request_.tolerance, relative, halves);
  }
  double value(int component) const override {
    auto all = list().listed(component);
    all.join(list().committed(component));
    return all.value.value();
  }
  bool second_opinions(bool first, std::function<RegionStatistics const&()> const& summarise) override {
    // On a first grid they need few evaluations, and later about as many as the rule.
    auto const few = static_cast<double>(evaluations_behind_points(box_.dimension()));
    double const part = first ? few / static_cast<double>(rule_.points()) : 1;
    opinions_.use(memory_.cubature.template exec_to_evaluate<F>(size(), part));
    return opinions_.ask(run_, *integral_, list(), summarise);
  }
  void report(std::uint64_t regions, NonFiniteCount non_finite, bool confirmed) override {
    run_.add(list(), regions, non_finite, policy_, confirmed);
  }
  void commit(RegionStatistics const& statistics, double relative, std::uint64_t mine, int last_bin) override {
    list().bring_forward(exec(), list().select(statistics, last_bin, relative), mine);
    list().commit_behind(exec(), mine, last_bin);
  }
  void wait() override { memory_.exec.fence("kubature::pagani::give_up"); }

  std::vector<double> magnitudes(std::vector<double> const& points, int component) override {
    auto const of = memory_.values.template operator()<P>(memory_.cubature.threads(), points_, f_, box_, points);
    std::vector<double> result(of.size() / components);
    for (std::size_t k = 0; k < result.size(); ++k)
      result[k] = std::abs(of[k * components + static_cast<unsigned>(component)]);
    return result;
  }
  Densest densest(int component, std::vector<Pole> const& known) override {
    return densest_of_all(memory_.ranks, box_.dimension(),
                          densest_region(exec(), list().regions(), size(), component, known));
  }
  void raise_errors_about(Pole const& pole) override {
    detail::raise_errors_about(exec(), list().regions(), size(), pole);
  }

  /// Points at which the integrand is not finite, out of this many.
  std::vector<double> not_finite(std::uint64_t count) {
    return where_not_finite<P>(memory_.cubature.threads(), memory_.values, f_, box_, count);
  }

private:
  RegionList<Space>& list() { return memory_.cubature.regions(); }
  RegionList<Space> const& list() const { return memory_.cubature.regions(); }
  /// The instance for kernels over the list.
  Space const& exec() const { return memory_.cubature.exec(list().size()); }

  PaganiMemory<Space>& memory_;
  CubatureRule const& rule_;
  F f_;
  Box<D> const& box_;
  NonFinite policy_;
  Request request_;
  int level_;
  RegionEstimates& run_;
  SecondOpinions<Space> opinions_;
  std::optional<RegionIntegral<P, F, D>> integral_;
  TimedWork points_; ///< evaluated by magnitudes()
};

} // namespace kubature::detail

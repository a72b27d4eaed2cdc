#pragma once

#include <kubature/cubature_rule.hpp>
#include <kubature/detail/call/request.hpp>
#include <kubature/detail/cubature/close_look.hpp>
#include <kubature/detail/cubature/cubature.hpp>
#include <kubature/detail/cubature/refine_alone.hpp>
#include <kubature/detail/cubature/second_opinion.hpp>
#include <kubature/detail/launch/slices.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/policies/cubature_policy.hpp>
#include <kubature/detail/two_phase/two_phase_strategy.hpp>
#include <kubature/integrator.hpp>
#include <kubature/two_phase_options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace kubature::detail {

template <class P, class Space>
class Solver<TwoPhase<P>, Space> {
public:
  Solver(Space const& exec, Communicator const&, TwoPhase<P> const& options) : exec_(exec), options_(options) {}

  /// A tolerance or a limit on evaluations, iterations or seconds is required. Iterations are those of the first phase;
  /// the second phase is the last one.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Request const& request) {
    require_few_variables<D>();
    static_assert(!is_batched<F>, "TwoPhase does not support batched(): in its second phase a team refines a "
                                  "region by itself within one kernel, which cannot ask the host for values");
    Kokkos::Profiling::ScopedRegion region("kubature::two_phase");
    auto const f = on_device<P, D, Described<TwoPhase<P>>::serves.batches>(exec_, integrand, box, request.where);
    using G = std::remove_const_t<decltype(f)>;
    using Value = ResultValue<G, typename P::eval_type, D>;
    CubatureRule const rule(options_.rule, box.dimension(), request.where);
    auto const from = [&](int level, Request const& part) {
      RegionEstimates run("two-phase", ValueTraits<Value>::components, part);
      Engine<G, D> engine(*this, rule, f, box, run, part, level);
      TwoPhaseStrategy({options_.regions, options_.parts, rule.points(), evaluations_behind_points(box.dimension()),
                        Cubature<Space>::least_relative(rule, RegionIntegral<P, G, D>::epsilon)},
                       engine, run, part)
          .run();
      return run.finish();
    };
    auto result = from(0, request);
    Callback const none;
    if (options_.close_look && !policy<CubaturePolicy>().published_two_phase)
      CloseLook{box.dimension(), rule.points(), on_device_of_its_own<Space>, {}}.check(
          result, request.limits,
          [&](int level, Limits const& rest) { return from(level, request.within(rest).reporting_to(none)); });
    return signed_by<Space>(to_result<Value>(std::move(result)), options_.precision);
  }

private:
  template <class F, int D>
  class Engine final : public TwoPhaseEngine {
  public:
    /// @param level of the first grid, see Cubature::start()
    Engine(Solver& solver, CubatureRule const& rule, F const& f, Box<D> const& box, RegionEstimates& run,
           Request const& request, int level)
        : solver_(solver), exec_(solver.exec_), list_(solver.cubature_.regions()), rule_(rule), f_(f), box_(box),
          run_(run), request_(request), level_(level), opinions_(solver.exec_, rule.points()),
          published_(policy<CubaturePolicy>().published_two_phase) {}

    std::uint64_t size() const override { return list_.size(); }
    std::uint64_t capacity() const override { return list_.capacity(); }
    bool met(Tolerance tolerance) const override { return list_.met(tolerance); }
    void reserve(std::uint64_t size) override { list_.reserve(exec_, size, request_.limits.bytes); }

    bool start() override {
      integral_.reset(); // not assigned to: closures that capture cannot be
      auto const& options = solver_.options_;
      if (auto begun = solver_.cubature_.template start<P>(
              run_, rule_, f_, box_, options.non_finite, request_,
              {.level = level_, .published = published_, .partition = published_ ? options.regions : 0}))
        integral_.emplace(*std::move(begun));
      if (published_)
        list_.settle_below(request_.tolerance.absolute);
      return integral_.has_value();
    }
    RegionStatistics summarise(double relative) override {
      return list_.summarise(exec_, request_.tolerance, relative);
    }
    RegionStatistics improve_and_summarise(double relative) override {
      return list_.improve_and_summarise(exec_, request_.tolerance, relative,
                                         published_ ? HalfErrors::kept : HalfErrors::raised);
    }
    bool ask(std::function<RegionStatistics const&()> const& summarise) override {
      return published_ || opinions_.ask(run_, *integral_, list_, summarise);
    }
    bool look(std::function<RegionStatistics const&()> const& summarise) override {
      return opinions_.look(run_, *integral_, list_, false, summarise);
    }
    bool affords_look() const override { return !published_ && opinions_.affordable(run_, list_); }
    void report(std::uint64_t regions, NonFiniteCount non_finite, bool confirmed) override {
      run_.add(list_, regions, non_finite, solver_.options_.non_finite, confirmed);
    }

    void select(RegionStatistics const& statistics, double relative) override {
      selection_ = list_.select(statistics, ErrorBins::count - 1, relative);
    }
    void bring_forward(std::uint64_t selected) override { list_.bring_forward(exec_, selection_, selected); }
    bool bisect(std::uint64_t selected, int driver) override {
      NewRegions const fresh{selected, list_.size(), 2 * selected};
      list_.bisect(exec_, selection_, selected, selected);
      integral_->driver = driver;
      return solver_.cubature_.evaluate(run_, *integral_, fresh, rule_.points());
    }

    std::uint64_t allocate_lists(std::uint64_t open, std::uint64_t parts) override {
      int const d = list_.regions().dimension, components = list_.regions().components;
      auto& memory = solver_.part_lists_;
      auto const room = std::min(request_.limits.bytes - std::min(request_.limits.bytes, list_.bytes()),
                                 free_memory(exec_) / 16 * 15 + memory.size());
      lists_ = std::min<std::uint64_t>(
          {room / (bytes_of_regions(d, components, parts) + 64), open, Tuning<Space>::part_lists});
      parts_each_ = static_cast<int>(parts);
      if (lists_ == 0)
        return 0;
      parts_ = regions_at(memory.template as<std::byte>(exec_, bytes_of_regions(d, components, parts * lists_)).data(),
                          d, components, parts * lists_);
      sizes_ = solver_.sizes_.template as<int>(exec_, lists_).data();
      return lists_;
    }
    void refine_alone(std::uint64_t open, Tolerance tolerance) override {
      auto slice = static_cast<std::uint64_t>(exec_.concurrency());
      in_slices(
          exec_, {}, run_, 0, open, filling_chunks(exec_), slice,
          [&](std::uint64_t begin, std::uint64_t count, Deadline const& deadline) {
            Kokkos::parallel_for("kubature::two_phase::empty_part_lists", Policy(exec_, 0, count),
                                 EmptyPartLists{sizes_});
            launch(RefineAlone<Space, P, F, D>{*integral_, list_.regions(), parts_, begin, count, sizes_, parts_each_,
                                               parts_each_, tolerance, list_.counters(), deadline, nullptr,
                                               published_});
          },
          lists_);
    }

  private:
    using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::uint64_t>>;

    /// Makes one launch if the call is not watched, and launches of about 50 ms if it has a time limit or a callback.
    void launch(RefineAlone<Space, P, F, D> kernel) {
      if (!run_.watched())
        return kernel.launch(exec_);
      std::uint64_t bisections = 8;
      for (std::uint64_t unfinished = 1; unfinished > 0 && run_.look(false);) {
        Kokkos::Timer timer;
        kernel.most = static_cast<int>(std::min<std::uint64_t>(bisections, kernel.most_parts));
        kernel.launch(exec_);
        Kokkos::parallel_reduce("kubature::two_phase::count_unfinished", Policy(exec_, 0, kernel.count),
                                CountUnfinished{kernel.sizes}, unfinished);
        bisections = next_slice(kernel.most, timer.seconds());
      }
    }

    Solver& solver_;
    Space const& exec_;
    RegionList<Space>& list_;
    CubatureRule const& rule_;
    F const& f_;
    Box<D> const& box_;
    RegionEstimates& run_;
    Request const& request_;
    int level_;
    SecondOpinions<Space> opinions_;
    bool published_;
    std::optional<RegionIntegral<P, F, D>> integral_;
    Selection selection_;
    Regions parts_;        ///< of all lists
    int* sizes_ = nullptr; ///< [list]: number of parts
    std::uint64_t lists_ = 0;
    int parts_each_ = 0;
  };

  Space exec_;
  TwoPhase<P> options_;
  Cubature<Space> cubature_{exec_};
  Buffer<Space> part_lists_{"kubature::two_phase::part_lists"}, sizes_{"kubature::two_phase::sizes"};
};

} // namespace kubature::detail

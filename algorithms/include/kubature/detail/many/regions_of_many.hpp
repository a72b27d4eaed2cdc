#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/cubature_rule.hpp>
#include <kubature/detail/cubature/cubature.hpp>
#include <kubature/detail/many/pagani_many.hpp>
#include <kubature/detail/many/refine_many.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/upload.hpp>
#include <kubature/detail/memory/workspace.hpp>
#include <kubature/detail/policies/cubature_policy.hpp>
#include <kubature/pagani.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubature::detail {

/// The engine of one call of integrate_many() by PAGANI.
template <class Space, class P, class F, class Parameters, int D>
class RegionsOfMany final : public ManyRegionsEngine {
  using Kernel = RefineMany<Space, P, F, Parameters, D>;
  template <class T>
  using List = Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged>;

public:
  using Value = ResultValue<typename Kernel::G, typename P::eval_type, D>;
  static constexpr int components = Kernel::components;

  RegionsOfMany(Space const& exec, Pagani<P> const& method, F const& f, std::vector<Box<D>> const& boxes,
                std::vector<Parameters> const& parameters, std::size_t count, Request const& request)
      : exec_(exec), method_(method), f_(f), tolerance_(request.tolerance), dimension_(boxes[0].dimension()),
        count_(count), rule_(method.rule, dimension_, request.where),
        grid_(start_grid(dimension_, most_regions_at_first)), workspace_(exec) {
    std::vector<typename Kernel::BoxOnDevice> transforms;
    for (auto const& box : boxes)
      transforms.emplace_back(box, CoordinateFormat::of_arguments<P>());
    boxes_ = transforms_.template as<typename Kernel::BoxOnDevice>(exec, transforms.size());
    upload(exec, boxes_, transforms);
    list_ = parameters_.template as<Parameters>(exec, parameters.size());
    upload(exec, list_, parameters);
    exec.fence("kubature::many::upload");
  }

  /// The data that the strategy needs.
  ManyPagani::Call call(std::size_t total) const {
    return {components, count_, total, rule_.points(), grid_.size, grid_.halves(dimension_), method_.non_finite};
  }

  bool begin(std::size_t most) override {
    std::size_t const bytes = bytes_of_regions(dimension_, components, count_),
                      others = count_ * sizeof(std::uint64_t) + sizeof(Counters);
    if (bytes + others > std::min(most, free_memory(exec_)))
      return false;
    regions_ = regions_at(kept_.template as<std::byte>(exec_, bytes).data(), dimension_, components, count_);
    auto* const numbers = others_.template as<std::byte>(exec_, others).data();
    Kokkos::deep_copy(exec_, List<std::byte>(numbers, others), std::byte{0});
    non_finite_ = reinterpret_cast<std::uint64_t*>(numbers);
    counters_ = reinterpret_cast<Counters*>(non_finite_ + count_);
    return true;
  }

  std::uint64_t room(std::uint64_t parts, std::size_t bytes) const override {
    std::size_t const held = kept_.size() + others_.size() + transforms_.size() + parameters_.size();
    return std::min(bytes - std::min(bytes, held), free_memory(exec_) / 2 + part_lists_.size()) /
           (bytes_of_regions(dimension_, components, parts) + 64);
  }
  std::uint64_t concurrency() const override { return static_cast<std::uint64_t>(exec_.concurrency()); }

  RefinedMany refine(std::vector<std::uint32_t> const& which, int parts, double seconds) override {
    std::size_t const n = which.size(), capacity = n * static_cast<std::size_t>(parts);
    auto const part_lists =
        regions_at(part_lists_.template as<std::byte>(exec_, bytes_of_regions(dimension_, components, capacity)).data(),
                   dimension_, components, capacity);
    auto const numbers = numbers_.template as<std::uint32_t>(exec_, n);
    auto const sizes = sizes_.template as<int>(exec_, 2 * n); // parts, and whether the tolerance is met
    upload(exec_, numbers, which);
    std::size_t used = 0;
    auto const table =
        rules_.template view<typename P::sample_type, typename P::accumulate_type>(exec_, rule_, workspace_, used);
    Kernel{f_,
           list_.data(),
           boxes_.data(),
           list_.size() > 1 ? 1u : 0u,
           boxes_.size() > 1 ? 1u : 0u,
           table,
           dimension_,
           method_.non_finite,
           non_finite_,
           policy<CubaturePolicy>().start_caution * rule_.norm(),
           grid_,
           grid_.halves(dimension_),
           regions_,
           part_lists,
           numbers.data(),
           sizes.data(),
           parts,
           tolerance_,
           counters_,
           Deadline(seconds),
           sizes.data() + n}
        .launch(exec_, n);
    auto const all = static_cast<std::size_t>(components) * count_;
    RefinedMany found{copy<int>(sizes.data(), n), copy<int>(sizes.data() + n, n), copy<double>(regions_.values, all),
                      copy<double>(regions_.errors, all), copy<std::uint64_t>(non_finite_, count_)};
    auto const counters = copy<Counters>(counters_, 1);
    exec_.fence("kubature::many::read");
    found.second_evaluations = counters[0].second_evaluations;
    return found;
  }

private:
  template <class T>
  std::vector<T> copy(T const* from, std::size_t size) const {
    std::vector<T> to(size);
    Kokkos::deep_copy(exec_, Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(to.data(), size),
                      Kokkos::View<T const*, Space, Kokkos::MemoryUnmanaged>(from, size));
    return to;
  }

  Space exec_;
  Pagani<P> method_;
  F f_;
  Tolerance tolerance_;
  int dimension_;
  std::size_t count_;
  CubatureRule rule_;
  Grid grid_;
  Workspace<Space> workspace_;
  RuleTable<Space> rules_;
  Buffer<Space> transforms_{"kubature::many::boxes"}, parameters_{"kubature::many::parameters"},
      kept_{"kubature::many::integrals"}, others_{"kubature::many::counts"}, part_lists_{"kubature::many::part_lists"},
      numbers_{"kubature::many::numbers"}, sizes_{"kubature::many::sizes"};
  List<typename Kernel::BoxOnDevice> boxes_;
  List<Parameters> list_;
  Regions regions_;
  std::uint64_t* non_finite_ = nullptr;
  Counters* counters_ = nullptr;
};

} // namespace kubature::detail

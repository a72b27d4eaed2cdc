#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/call/solver.hpp>
#include <kubature/detail/components/component_sums.hpp>
#include <kubature/detail/sampling/products.hpp>
#include <kubature/integrand.hpp>
#include <kubature/options.hpp>

#include <source_location>
#include <type_traits>

namespace kubature::detail {

/// Calls work(f, products) with the integrand in the form that kernels call, and with whether its kernels sum products
/// of components. Components known at run time have sums of their own.
template <class P, int D, class Space, class Method, class F, class Work>
auto with_components(Space const& exec, Communicator const& ranks, Method const& method, F const& integrand,
                     Box<D> const& box, ComponentSums<Space>& sums, std::source_location where, Work const& work) {
  static_assert(Described<Method>::serves.many, "Described<Method>::serves denies what its Solver does");
  if constexpr (has_run_time_components<F>) {
    static_assert(std::is_same_v<P, Fp64>, "an integrand made by batched() is integrated in fp64");
    return work(sums.of(exec, integrand, method, ranks, where), std::false_type{});
  } else {
    auto const f = on_device<P, D, Described<Method>::serves.batches>(exec, integrand, box, where);
    using G = std::remove_const_t<decltype(f)>;
    constexpr int components = ValueTraits<ResultValue<G, typename P::eval_type, D>>::components;
    return with_products<components>(method, where, [&](auto products) { return work(f, products); });
  }
}

} // namespace kubature::detail

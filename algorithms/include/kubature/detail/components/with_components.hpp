#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/components/component_sums.hpp>
#include <kubature/detail/sampling/products.hpp>
#include <kubature/detail/solver.hpp>
#include <kubature/integrand.hpp>

#include <source_location>
#include <type_traits>

namespace kubature::detail {

/// Calls work(f, products) with the integrand in the form that kernels call, and with whether its kernels sum products
/// of components. Components known at run time have sums of their own.
template <class P, int D, class Space, class Method, class F, class Work>
auto with_components(Space const& exec, Communicator const& ranks, Method const& method, F const& integrand,
                     Box<D> const& box, ComponentSums<Space>& sums, std::source_location where, Work const& work) {
  if constexpr (has_run_time_components<F>) {
    static_assert(std::is_same_v<P, Fp64>, "what batched() makes is integrated in fp64");
    return work(sums.of(exec, integrand, method, ranks, where), std::false_type{});
  } else {
    auto const f = on_device<P, D, true>(exec, integrand, box.dimension(), where);
    using G = std::remove_const_t<decltype(f)>;
    constexpr int components = ValueTraits<ResultValue<G, typename P::eval_type, D>>::components;
    return with_products<components>(method, where, [&](auto products) { return work(f, products); });
  }
}

} // namespace kubature::detail

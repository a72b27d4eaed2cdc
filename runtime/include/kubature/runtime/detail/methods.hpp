#pragma once

#include <kubature/integrate.hpp>
#include <kubature/runtime/settings.hpp>

#include <Kokkos_Core.hpp>

#include <source_location>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <variant>

/// \file
/// The C++ types behind the names, for code that compiles its own integrands for all methods.

namespace kubature::runtime::detail {

/// The values of Settings in C++. Methods are in fp64; in_precision() converts them to other precisions.
template <class M>
struct Values {
  Tolerance tolerance;
  Limits limits;
  M method;
};

using AnyValues =
    std::variant<Values<VegasPlus<>>, Values<MCubes<>>, Values<PlainMonteCarlo<>>, Values<QuasiMonteCarlo<>>,
                 Values<Pagani<>>, Values<TwoPhase<>>, Values<Auto<>>, Values<MixedPrecision<>>>;

/// A method and its name.
struct Entry {
  MethodInfo info;
  AnyValues (*defaults)();
  /// The option that distinguishes it from the C++ method with several names; empty if there is none.
  std::string_view fixed;
};

std::span<Entry const> entries();
Entry const& entry(MethodInfo const& method);

AnyValues values_of(Settings const& settings);

template <class M>
inline constexpr bool is_mixed = std::is_same_v<M, MixedPrecision<>> || std::is_same_v<M, MixedPrecision<Fp64>>;

/// MixedPrecision, which chooses its own precisions, serves `adaptive`, and `fp64` for batches and several components;
/// a library built for fp64 alone lacks it.
template <class P, class M>
#ifdef KUBATURE_FP64_ONLY
inline constexpr bool serves = !is_mixed<M>;
#else
inline constexpr bool serves = !is_mixed<M> || std::is_same_v<P, Adaptive> || std::is_same_v<P, Fp64>;
#endif

/// Which methods integrate functions that evaluate batches.
template <class P, class M>
inline constexpr bool serves_batches = std::is_same_v<P, Fp64> && Described<M>::serves.batches;

/// Which methods integrate several expressions at once.
template <class P, class M>
inline constexpr bool serves_several = std::is_same_v<P, Fp64> && Described<M>::serves.several;

/// Which methods integrate over more than 20 variables: on hosts.
template <class P, class M>
inline constexpr bool serves_many_variables = std::is_same_v<P, Fp64> && Described<M>::serves.many_variables &&
                                              !kubature::detail::on_device_of_its_own<Kokkos::DefaultExecutionSpace>;

template <class P, template <class> class Method>
auto in_precision(Method<Fp64> const& method) {
  return with_precision<P>(method);
}
template <class P>
auto in_precision(MixedPrecision<> const& method) {
  if constexpr (std::is_same_v<P, Fp64>)
    return with_precision<Fp64>(method);
  else
    return method;
}

/// Calls visit(method), where method is the aggregate of options in precision P.
template <class P, class Visitor>
void visit_method(Settings const& settings, Visitor const& visit) {
  std::visit(
      [&]<class M>(Values<M> const& values) {
        if constexpr (serves<P, M>)
          visit(in_precision<P>(values.method));
        else
          throw std::logic_error("Settings accepted a precision that the method does not have");
      },
      values_of(settings));
}

/// Makes the template's integrator, for one process or several.
template <class M>
kubature::Integrator<M> integrator(Kokkos::DefaultExecutionSpace const& exec, Communicator const& ranks,
                                   M const& method, std::source_location where = std::source_location::current()) {
  if constexpr (Described<M>::serves.distributed) {
    return kubature::Integrator<M>(exec, ranks, method, where);
  } else {
    require(ranks.size() == 1, "method", Described<M>::name, "it works in one process, not several", where);
    return kubature::Integrator<M>(exec, method, where);
  }
}

} // namespace kubature::runtime::detail

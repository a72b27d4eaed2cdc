#pragma once

#include <kubature/backend.hpp>
#include <kubature/batched.hpp>
#include <kubature/covariance.hpp>
#include <kubature/detail/evaluation.hpp>
#include <kubature/error.hpp>
#include <kubature/several_result.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <source_location>
#include <string>

namespace kubature::detail {

/// A function of batches, padded with zero components, which methods ignore. The function must stay valid.
template <class F>
struct Padded {
  F const* f;
  int used; ///< components that the function computes

  int components() const { return used; }
  bool thread_safe() const
    requires AnswersForThreads<F>
  {
    return f->thread_safe();
  }

  bool weighted() const
    requires MayWantWeights<F>
  {
    return f->weighted();
  }

  template <class Space, class Points, class Values>
  void operator()(Space const& exec, Points const& points, Values const& values) const {
    if (auto const zeros = others(values); zeros.extent(1) > 0)
      Kokkos::deep_copy(exec, zeros, 0.0);
    (*f)(exec, points, mine(values));
  }

  template <class Points, class Values>
  void in_thread(Points const& points, Values const& values) const
    requires EvaluatesInThreads<F, Points, Values>
  {
    auto const zeros = others(values);
    for (std::size_t c = 0; c < zeros.extent(1); ++c)
      for (std::size_t k = 0; k < zeros.extent(0); ++k)
        zeros(k, c) = 0;
    f->in_thread(points, mine(values));
  }

private:
  // Points may be a part of those that there is room for: a component is then longer than its values.
  template <class Values>
  Values mine(Values const& values) const {
    return Values(Kokkos::subview(values, Kokkos::ALL, Kokkos::pair<std::size_t, std::size_t>(0, used)));
  }
  template <class Values>
  Values others(Values const& values) const {
    return Values(Kokkos::subview(values, Kokkos::ALL, Kokkos::pair<std::size_t, std::size_t>(used, values.extent(1))));
  }
};

/// Calls use(f) with components known at run time, at most 32, in a form whose kernels are compiled for 4 or for 32.
template <class F, class Use>
auto with_padding(BatchedComponents<F> const& integrand, Use const& use) {
  Padded<F> const f{&integrand.f, integrand.count};
  return integrand.count <= 4 ? use(batched<4>(f)) : use(batched<most_correlated>(f));
}

/// Calls solve(f) with components known at run time in that form.
/// Throws InvalidArgument if there are more.
/// @param method its name, for that message
template <class F, class Solve>
SeveralResult padded(BatchedComponents<F> const& integrand, std::string const& method, std::source_location where,
                     Solve const& solve) {
  int const count = integrand.count;
  require(count <= most_correlated, "components", count,
          method + " integrates at most " + std::to_string(most_correlated) +
              " whose number is known at run time; vegas+, mcubes and mc take more",
          where);
  return with_padding(integrand, [&](auto const& f) { return to_several(solve(f), count); });
}

} // namespace kubature::detail

#pragma once

#include <kubature/detail/evaluation.hpp>
#include <kubature/detail/policies/precision_policy.hpp>
#include <kubature/integrand.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace kubature::detail {

/// The parts of an integrand that a choice of precision distinguishes. Each has count() parts, and value(k, x) is part
/// k at x in the precision of x.

/// Its terms: see term_count().
template <class F>
struct TermsOfIntegrand {
  F f;

  KOKKOS_FUNCTION int count() const { return term_count(f); }
  template <class Real, int D>
  KOKKOS_FUNCTION Real value(int k, Point<Real, D> const& x) const {
    return static_cast<Real>(term_value(f, k, x));
  }
};

/// Its components, or `number` of them; with one component, the whole integrand.
template <class F, int C>
struct ComponentsOfIntegrand {
  using Whole = F;
  static constexpr int components = C;
  F f;
  int first = 0, number = C;

  KOKKOS_FUNCTION int count() const { return number; }
  template <class Real, int D>
  KOKKOS_FUNCTION Real value(int k, Point<Real, D> const& x) const {
    auto const values = f(x);
    return static_cast<Real>(ValueTraits<std::remove_const_t<decltype(values)>>::get(values, first + k));
  }
};

template <class>
inline constexpr bool is_sum = false;
template <class... Terms>
inline constexpr bool is_sum<SumOf<Terms...>> = true;

/// One term of an integrand whose terms are known at run time.
template <class F>
struct Term {
  F const& f;
  int k;

  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return term_value(f, k, x);
  }
  template <class Real, int D, int W>
    requires requires(F const& g, Point<Real, D> const (&x)[W], Real (&value)[W]) { g.batch(0, x, value); }
  KOKKOS_FUNCTION void batch(Point<Real, D> const (&x)[W], Real (&value)[W]) const {
    f.batch(k, x, value);
  }
};

/// Calls visit(k, term) for each term of f from number k on, in order. The terms of a compiled sum keep their types, so
/// the calls are unrolled.
/// @returns the number after the last one
template <class F, class Visit>
KOKKOS_FUNCTION int for_each_term(F const& f, Visit const& visit, int k = 0) {
  if constexpr (is_sum<F>) {
    k = for_each_term(f.first, visit, k);
    if constexpr (requires { f.rest; })
      k = for_each_term(f.rest, visit, k);
    return k;
  } else if constexpr (HasTermsAtRunTime<F>) {
    for (int i = 0; i < f.terms(); ++i)
      visit(k++, Term<F>{f, i});
    return k;
  } else {
    visit(k, f);
    return k + 1;
  }
}

/// Operations per evaluation of the integrand: `given` unless that is 0.
template <class F>
int operations_of(F const& integrand, int given) {
  if (given > 0)
    return given;
  if constexpr (requires { integrand.operation_count(); })
    return integrand.operation_count();
  else
    return policy<PrecisionPolicy>().usual_operations;
}

/// Operations and names of the terms; of the integrand if there is only one.
template <class F>
std::vector<int> operations_of_parts(F const& integrand, int parts, int given) {
  if constexpr (requires { integrand.terms().at(0).operation_count(); })
    if (parts > 1) {
      std::vector<int> operations;
      for (auto const& term : integrand.terms())
        operations.push_back(term.operation_count());
      return operations;
    }
  return std::vector<int>(static_cast<std::size_t>(parts), operations_of(integrand, given));
}
template <class F>
std::vector<std::string> names_of_parts(F const& integrand, int parts) {
  if (parts == 1)
    return {"integrand"};
  std::vector<std::string> names;
  if constexpr (requires { integrand.terms().at(0).text(); }) {
    for (auto const& term : integrand.terms())
      names.push_back(term.text());
  } else {
    for (int k = 0; k < parts; ++k)
      names.push_back(term_name(integrand, k));
  }
  return names;
}

} // namespace kubature::detail

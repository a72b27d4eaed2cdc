#pragma once

#include <kubature/covariance.hpp>
#include <kubature/error.hpp>
#include <kubature/options.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cmath>
#include <source_location>
#include <string>
#include <type_traits>
#include <vector>

namespace kubature::detail {

/// Sums of products of deviations of all pairs of C components; empty if they are not wanted.
template <class Acc, int C, bool wanted>
struct ProductSums {};

template <class Acc, int C>
struct ProductSums<Acc, C, true> {
  Acc products[pairs(C)] = {};

  KOKKOS_FUNCTION void add(ProductSums const& other) {
    for (int p = 0; p < pairs(C); ++p)
      products[p] += other.products[p];
  }
  /// Adds factor times the products of these differences.
  KOKKOS_FUNCTION void add(Acc const (&differences)[C], Acc factor) {
    for (int j = 1; j < C; ++j)
      for (int i = 0; i < j; ++i)
        products[pair_place(i, j)] += differences[i] * differences[j] * factor;
  }

  /// The correlations, given the sums of squares.
  std::vector<double> correlations(Acc const (&squares)[C]) const {
    std::vector<double> result(pairs(C));
    for (int j = 1; j < C; ++j)
      for (int i = 0; i < j; ++i) {
        double const a = std::sqrt(static_cast<double>(squares[i])), b = std::sqrt(static_cast<double>(squares[j]));
        double const product = static_cast<double>(products[pair_place(i, j)]);
        result[pair_place(i, j)] = a == 0 || b == 0 ? 0 : std::clamp(product / a / b, -1.0, 1.0);
      }
    return result;
  }
};

/// Calls work(products), where the type of `products` determines whether a method sums products of components.
template <int C, class Method, class Work>
auto with_products(Method const& method, std::source_location where, Work const& work) {
  if constexpr (C > 1) {
    bool const full = method.covariance == Covariance::full;
    require(!full || C <= most_correlated, std::string(Described<Method>::type) + ".covariance", "full",
            "the integrand has " + std::to_string(C) + " components; a full covariance is possible for at most " +
                std::to_string(most_correlated),
            where);
    if constexpr (C <= most_correlated)
      if (full)
        return work(std::true_type{});
  }
  return work(std::false_type{});
}

} // namespace kubature::detail

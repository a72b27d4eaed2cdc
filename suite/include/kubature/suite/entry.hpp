#pragma once

#include <kubature/box.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace kubature::suite {

/// What is known of a reference integral.
struct Entry {
  /// Unique: the name in the source, followed by the dimension if the source has several, such as "f1-5d".
  std::string_view name;
  /// The integrand as text; i runs from 1 to dim.
  std::string_view formula;
  /// The true value, from analysis or quadrature to 25 digits.
  double value;
  std::string_view source;
  /// The suites that it belongs to, besides `all`.
  std::vector<std::string_view> suites;
  /// The domain's side, the same along every axis.
  Side side = {0, 1};
  /// Whether every permutation of the variables gives the same value.
  bool symmetric = false;
  /// Whether positive and negative parts cancel, so that the integral is small compared to them.
  bool cancels = false;
  /// The factor by which to sample less than usual if an evaluation takes very long.
  int cost = 1;
  /// The variables, in axis order, of a formula that Expression::parse accepts; empty if it does not.
  std::vector<std::string> variables = {};
  int dimension = 0;

  /// Whether a name given by a user denotes this integral: its own, with or without the dimension, or that of a suite.
  bool answers_to(std::string_view given) const {
    return given == "all" || given == name || std::string(given) + '-' + std::to_string(dimension) + 'd' == name ||
           std::find(suites.begin(), suites.end(), given) != suites.end();
  }
};

/// A reference integral: what is known of it, and its integrand.
template <int D, class F>
struct Integral {
  Entry entry;
  F integrand;

  Box<D> box() const { return {entry.side.lower, entry.side.upper}; }
};

/// Calls visit(Entry const&, integrand, Box<D>) for each integral of Genz, CuVegas, TwoPhase, Mixed or All (suite.hpp).
template <class Family, class Visitor>
void for_each(Visitor&& visit) {
  std::apply([&](auto const&... all) { (visit(all.entry, all.integrand, all.box()), ...); }, Family::integrals());
}

namespace detail {

template <int D, class F>
Integral<D, F> integral(Entry entry, F const& integrand) {
  entry.dimension = D;
  return {entry, integrand};
}

} // namespace detail
} // namespace kubature::suite

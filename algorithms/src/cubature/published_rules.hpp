#pragma once

#include <kubature/cubature_rule.hpp>

#include <array>
#include <vector>

/// The rules as they were published.
namespace kubature::published {

/// The nonzero coordinates of a point, as offsets from the centre in units of the side, 0 to 1/2; for the corners, one
/// of their coordinates.
using Generator = std::vector<double>;

/// A weight as a polynomial in the number of variables.
struct Polynomial {
  double coefficient[4]; ///< from the constant term up
  double operator()(int d) const {
    return coefficient[0] + d * (coefficient[1] + d * (coefficient[2] + d * coefficient[3]));
  }
};

/// An orbit of a rule for any number of variables: the weights of one point in the rule and in its null rules. The last
/// orbit is that of the corners, with the weights of all of them together.
struct Orbit {
  Generator generator;
  std::array<Polynomial, CubatureRule::rules> weight;
};

/// An orbit of a rule for one number of variables.
struct FixedOrbit {
  Generator generator;
  std::array<double, CubatureRule::rules> weight;
};

/// DCUHRE's rules: of degree 7 and 9 for any number of variables, 11 for three, 13 for two.
std::vector<Orbit> degree_7();
std::vector<Orbit> degree_9();
std::vector<FixedOrbit> degree_11();
std::vector<FixedOrbit> degree_13();

/// The Kronrod rule of 15 points (nodes and weights: Piessens et al., QUADPACK, 1983) with null rules. The weights of
/// null rule r are the values of q_{8-r}, where q_k are the even polynomials of degree 2k that are orthonormal over the
/// nodes: the rule vanishes for all polynomials of lower degree, and all have the same norm (Berntsen and Espelid,
/// "Error estimation in automatic quadrature routines", ACM TOMS 17 (1991) 233).
std::vector<FixedOrbit> gauss_kronrod();

} // namespace kubature::published

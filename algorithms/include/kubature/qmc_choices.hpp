#pragma once

#include <kubature/error.hpp>
#include <kubature/point.hpp>

#include <source_location>
#include <string>

/// \file
/// The values that the options of QuasiMonteCarlo may have.

namespace kubature {

/// The source of the points of quasi-Monte Carlo.
enum class QmcRule {
  lattice, ///< a rank-1 lattice with random shifts: for integrands that are smooth, or are made so by a map
  sobol    ///< Sobol's sequence, scrambled at random: for rough ones
};

/// The change of variable along every axis that makes an integrand periodic, as lattices require. The higher its order,
/// the faster the error falls with the number of points, and the faster the variance grows with the number of
/// variables.
enum class QmcTransform {
  automatic, ///< tent or one of korobov1 to korobov3, for lattices in up to 8 variables: whichever scatters least in a
             ///< trial with 1/32 of the evaluations, if these are many
  none,      ///< for integrands that are periodic in all variables
  tent,      ///< 1 - |2 u - 1|, with weight 1 (Hickernell, "Obtaining O(N^(-2+eps)) convergence for lattice quadrature
             ///< rules", 2002)
  korobov1,  ///< 3 u^2 - 2 u^3; Korobov's polynomials, whose derivatives are the weights. Up to 8 variables
  korobov2,  ///< 10 u^3 - 15 u^4 + 6 u^5
  korobov3   ///< 35 u^4 - 84 u^5 + 70 u^6 - 20 u^7
};

namespace detail {

/// Throws InvalidArgument if a transform does not support this many variables.
inline void check_transform(QmcTransform transform, int dimension, std::source_location where) {
  constexpr int most = 8;
  int const order = static_cast<int>(transform) - static_cast<int>(QmcTransform::tent);
  require(dimension <= most || order <= 0, "QuasiMonteCarlo.transform", "korobov" + std::to_string(order),
          "Korobov's polynomials support up to 8 variables, since the variance grows with each; for " +
              std::to_string(dimension) + ", use tent",
          where);
}

} // namespace detail

/// The map applied to the points of quasi-Monte Carlo, trained beforehand and then frozen.
enum class QmcMap {
  automatic, ///< whichever of those below scatters least in a trial
  none,      ///< no map, and no training
  linear,    ///< importance sampling along each axis: the map that VEGAS+ trains, linear in each of its intervals
  smooth,    ///< a monotone cubic spline through some of the trained edges: no kinks that would reduce the order
  rotated    ///< a rotation in normal coordinates, after which integrands that vary along a few directions across the
             ///< axes vary along the first axes; or, for peaks across the axes, importance sampling along theirs. Up to
             ///< 20 variables
};

namespace detail {

/// Throws InvalidArgument if a map does not support this many variables.
inline void check_map(QmcMap map, int dimension, std::source_location where) {
  require(map != QmcMap::rotated || dimension <= max_dimension, "QuasiMonteCarlo.trained_map", "rotated",
          "rotations, whose time grows with the square of the number of variables, support up to 20; for " +
              std::to_string(dimension) + ", use automatic",
          where);
}

} // namespace detail

} // namespace kubature

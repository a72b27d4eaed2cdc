#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/determinant.hpp>
#include <kubature/detail/domain_parts.hpp>
#include <kubature/domain.hpp>
#include <kubature/error.hpp>
#include <kubature/side.hpp>

#include <Kokkos_Array.hpp>
#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalConstants.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include <cmath>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

/// \file
/// Domains that are no boxes; see Domain. They compute in float or double.

namespace kubature {

/// Limits of one variable that depend on those before it: lower(x) and upper(x) are called with the coordinates so far,
/// and may be infinite. Where upper < lower the integral counts with a minus sign.
template <class Lower, class Upper>
struct Between {
  Lower lower; ///< lower(x), x an array of which the earlier coordinates are set
  Upper upper; ///< likewise
};
/// Deduces from two function objects.
template <class Lower, class Upper>
Between(Lower, Upper) -> Between<Lower, Upper>;

/// A domain by its sides, one after the other: each is a Side, a Between or a distribution of one variable
/// (kubature/measures.hpp). See sides().
template <class... S>
struct Sides {
  static constexpr int variables = static_cast<int>(sizeof...(S)); ///< dimension of the unit cube
  static constexpr int coordinates = variables;                    ///< of a point
  detail::SideList<S...> list;                                     ///< of all sides

  /// The place of u, and the Jacobian.
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* u, Real* x) const {
    return detail::place_sides(list, u, x, 0);
  }
};

/// The domain with these sides, the first variable outermost: sides(Side{0, 1}, Between{zero, f}) is 0 < x < 1,
/// 0 < y < f(x), where f(x) receives an array whose first element is x.
template <class... S>
Sides<S...> sides(S const&... side) {
  return {detail::SideList<S...>(side...)};
}

/// A simplex in D dimensions, by Duffy's map: x_i > 0 with a sum below 1, or any other by its D + 1 vertices.
template <int D>
struct Simplex {
  static constexpr int variables = D;   ///< dimension of the unit cube
  static constexpr int coordinates = D; ///< of a point

  /// The unit simplex.
  Simplex() {
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j)
        edge_[i][j] = i == j ? 1 : 0;
  }
  /// Throws InvalidArgument unless the vertices span a volume.
  explicit Simplex(Kokkos::Array<Kokkos::Array<double, D>, D + 1> const& vertices,
                   std::source_location where = std::source_location::current()) {
    std::vector<std::vector<double>> edges(D, std::vector<double>(D));
    for (int i = 0; i < D; ++i) {
      origin_[i] = vertices[0][i];
      for (int j = 0; j < D; ++j)
        edges[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] = edge_[j][i] =
            vertices[j + 1][i] - vertices[0][i];
    }
    volume_ = std::abs(detail::determinant(std::move(edges)));
    require(std::isfinite(volume_) && volume_ > 0, "Simplex.vertices", volume_,
            "the vertices span no volume, or are not finite", where);
  }

  /// The place of u, and the Jacobian.
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* u, Real* x) const {
    Real part[D], left = 1, jacobian = static_cast<Real>(volume_);
    for (int i = 0; i < D; ++i) {
      part[i] = left * u[i];
      jacobian *= detail::power(1 - u[i], D - 1 - i);
      left *= 1 - u[i];
    }
    for (int j = 0; j < D; ++j) {
      x[j] = static_cast<Real>(origin_[j]);
      for (int i = 0; i < D; ++i)
        x[j] += part[i] * static_cast<Real>(edge_[i][j]);
    }
    return jacobian;
  }

private:
  double origin_[D] = {}, edge_[D][D] = {}, volume_ = 1; ///< of the parallelepiped
};

/// lower < x_1 < x_2 < ... < x_D < upper.
template <int D>
struct Ordered {
  static constexpr int variables = D;   ///< dimension of the unit cube
  static constexpr int coordinates = D; ///< of a point
  double lower = 0;                     ///< bound of all coordinates
  double upper = 1;                     ///< likewise

  /// The place of u, and the Jacobian.
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* u, Real* x) const {
    Real const length = static_cast<Real>(upper) - static_cast<Real>(lower);
    Real part = 1, jacobian = 1; // of the interval that is below the coordinate after
    for (int i = D - 1; i >= 0; --i) {
      jacobian *= length * part;
      part *= u[i];
      x[i] = static_cast<Real>(lower) + length * part;
    }
    return jacobian;
  }
};

/// What lies between two concentric spheres in D >= 2 dimensions, in polar coordinates: r, D - 2 angles from 0 to pi,
/// and one from 0 to 2 pi. Ball, Sphere and Ellipsoid are made of it.
template <int D>
struct Shell {
  static_assert(D >= 2, "a ball in one dimension is a Side");
  static constexpr int variables = D;   ///< dimension of the unit cube
  static constexpr int coordinates = D; ///< of a point

  /// Throws InvalidArgument unless 0 <= inner < outer, all finite.
  Shell(Kokkos::Array<double, D> const& centre, double inner, double outer,
        std::source_location where = std::source_location::current())
      : centre_(centre), inner_(inner), length_(outer - inner) {
    require(inner >= 0 && std::isfinite(inner), "Shell.inner", inner, "a radius must not be negative", where);
    require(outer > inner && std::isfinite(outer), "Shell.outer", outer,
            "must be finite, and above the inner radius " + std::to_string(inner), where);
    detail::check_finite("Shell.centre", centre, where);
  }

  /// The place of u, and the Jacobian.
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* u, Real* x) const {
    Real const inner = static_cast<Real>(inner_), length = static_cast<Real>(length_);
    Real const r = inner + length * Kokkos::fmin(u[0], 1 - 8 * Kokkos::Experimental::epsilon_v<Real>);
    Real const jacobian = length * detail::power(r, D - 1) * detail::direction<D>(u + 1, x);
    for (int i = 0; i < D; ++i)
      x[i] = static_cast<Real>(centre_[i]) + r * x[i];
    return jacobian;
  }

private:
  Kokkos::Array<double, D> centre_;
  double inner_, length_;
};

/// A ball in D >= 2 dimensions; by default the unit ball.
template <int D>
struct Ball : Shell<D> {
  /// Throws InvalidArgument unless the radius is positive and finite.
  explicit Ball(Kokkos::Array<double, D> const& centre = {}, double radius = 1,
                std::source_location where = std::source_location::current())
      : Shell<D>(centre, 0, radius, where) {}
};

/// The surface of a ball in D >= 2 dimensions, with its own measure: D - 1 variables.
template <int D>
struct Sphere {
  static_assert(D >= 2, "a sphere needs two dimensions");
  static constexpr int variables = D - 1; ///< dimension of the unit cube
  static constexpr int coordinates = D;   ///< of a point

  /// Throws InvalidArgument unless the radius is positive and finite.
  explicit Sphere(Kokkos::Array<double, D> const& centre = {}, double radius = 1,
                  std::source_location where = std::source_location::current())
      : centre_(centre), radius_(radius) {
    require(radius > 0 && std::isfinite(radius), "Sphere.radius", radius, "must be positive and finite", where);
    detail::check_finite("Sphere.centre", centre, where);
  }

  /// The place of u, and the Jacobian.
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* u, Real* x) const {
    Real const r = static_cast<Real>(radius_), jacobian = detail::power(r, D - 1) * detail::direction<D>(u, x);
    for (int i = 0; i < D; ++i)
      x[i] = static_cast<Real>(centre_[i]) + r * x[i];
    return jacobian;
  }

private:
  Kokkos::Array<double, D> centre_;
  double radius_;
};

/// An ellipsoid whose axes lie along the coordinates.
template <int D>
struct Ellipsoid {
  static constexpr int variables = D;   ///< dimension of the unit cube
  static constexpr int coordinates = D; ///< of a point

  /// Throws InvalidArgument unless all semi-axes are positive and finite.
  Ellipsoid(Kokkos::Array<double, D> const& centre, Kokkos::Array<double, D> const& semi_axes,
            std::source_location where = std::source_location::current())
      : centre_(centre), axes_(semi_axes) {
    detail::check_finite("Ellipsoid.centre", centre, where);
    detail::check_finite("Ellipsoid.semi_axes", semi_axes, where);
    for (int i = 0; i < D; ++i) {
      require(axes_[i] > 0, "Ellipsoid.semi_axes", axes_[i], "must be positive", where);
      volume_ *= axes_[i];
    }
  }

  /// The place of u, and the Jacobian.
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* u, Real* x) const {
    Real const jacobian = unit_(u, x);
    for (int i = 0; i < D; ++i)
      x[i] = static_cast<Real>(centre_[i]) + static_cast<Real>(axes_[i]) * x[i];
    return static_cast<Real>(volume_) * jacobian;
  }

private:
  Ball<D> unit_;
  Kokkos::Array<double, D> centre_, axes_;
  double volume_ = 1;
};

/// A box as a domain, for products.
template <int D>
struct BoxDomain {
  static constexpr int variables = D;   ///< dimension of the unit cube
  static constexpr int coordinates = D; ///< of a point

  /// A box of the same type.
  BoxDomain(Box<D> const& box) { // NOLINT(google-explicit-constructor): Product takes a Box
    for (int i = 0; i < D; ++i) {
      lower_[i] = box[i].lower;
      upper_[i] = box[i].upper;
    }
  }

  /// The place of u, and the Jacobian.
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* u, Real* x) const {
    Real jacobian = 1;
    for (int i = 0; i < D; ++i)
      jacobian *= detail::place_between(u[i], static_cast<Real>(lower_[i]), static_cast<Real>(upper_[i]), x[i]);
    return jacobian;
  }

private:
  double lower_[D], upper_[D];
};

/// All pairs of points of two domains: Product{Ball<2>(), Box<1>(0, 3)} is a cylinder.
template <Domain A, Domain B>
struct Product {
  static constexpr int variables = A::variables + B::variables;       ///< dimension of the unit cube
  static constexpr int coordinates = A::coordinates + B::coordinates; ///< of a point
  A first;                                                            ///< whose coordinates come first
  B second;                                                           ///< whose coordinates follow

  /// Of two domains; a Box serves, too.
  Product(A const& a, B const& b) : first(a), second(b) {}

  /// The place of u, and the Jacobian.
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* u, Real* x) const {
    Real const jacobian = first(u, x);
    return jacobian * second(u + A::variables, x + A::coordinates);
  }
};
/// Deduces from two domains, of which one may be a Box.
template <Domain A, Domain B>
Product(A, B) -> Product<A, B>;
/// As above.
template <Domain A, int D>
Product(A, Box<D>) -> Product<A, BoxDomain<D>>;
/// As above.
template <int D, Domain B>
Product(Box<D>, B) -> Product<BoxDomain<D>, B>;

/// Several boxes, up to N, whose integrals are added: sub-boxes that are known to matter, or a box cut at break points.
template <int D, int N = 16>
struct Boxes {
  static constexpr int variables = D;   ///< dimension of the unit cube
  static constexpr int coordinates = D; ///< of a point

  /// Throws InvalidArgument if there is none or too many.
  explicit Boxes(std::vector<Box<D>> const& boxes, std::source_location where = std::source_location::current())
      : count_(static_cast<int>(boxes.size())) {
    require(!boxes.empty() && boxes.size() <= std::size_t{N}, "number of boxes", boxes.size(),
            "must be between 1 and " + std::to_string(N), where);
    for (int k = 0; k < count_; ++k)
      for (int i = 0; i < D; ++i) {
        lower_[k][i] = boxes[static_cast<std::size_t>(k)][i].lower;
        upper_[k][i] = boxes[static_cast<std::size_t>(k)][i].upper;
      }
  }

  KOKKOS_FUNCTION int pieces() const { return count_; } ///< the number of boxes

  /// The place of u in box k, and the Jacobian.
  template <class Real>
  KOKKOS_FUNCTION Real operator()(int k, Real const* u, Real* x) const {
    Real jacobian = 1;
    for (int i = 0; i < D; ++i)
      jacobian *= detail::place_between(u[i], static_cast<Real>(lower_[k][i]), static_cast<Real>(upper_[k][i]), x[i]);
    return jacobian;
  }

private:
  int count_;
  double lower_[N][D], upper_[N][D];
};

/// The boxes into which break points cut a box: breaks[i] are those of axis i, in any order; those outside are ignored.
template <int N = 16, int D>
Boxes<D, N> cut_at(Box<D> const& box, std::vector<std::vector<double>> const& breaks,
                   std::source_location where = std::source_location::current()) {
  return Boxes<D, N>(detail::cut_boxes(box, breaks, where), where);
}

} // namespace kubature

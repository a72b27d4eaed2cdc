#pragma once

#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/upload.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kubature::detail {

/// Maps of several axes from the unit interval to itself, x(y), cubic polynomials in each of their pieces. The pieces
/// are the same for all axes: equal ones, or those of GeometricKnots.
struct PiecewiseCubic {
  /// Two of the coefficients of x in a piece, as a polynomial in y less the beginning of the piece. They are aligned,
  /// so that a GPU reads them at once.
  struct alignas(2 * sizeof(double)) Terms {
    double first, second;
  };
  /// For each axis the first two terms of all pieces, and then the others: GPUs read two lists of short rows with fewer
  /// bank conflicts than one. Geometric pieces are those up to 1/2, followed by those above, as seen from the upper
  /// end.
  std::vector<Terms> terms;
  /// The beginnings of the pieces, on every axis.
  std::vector<double> begins;
  bool geometric = false;

  int count(int axes) const { return static_cast<int>(terms.size()) / (2 * axes); }
};

/// Knots that are dense towards both ends of the unit interval: 0, then eight in each octave from 2^-44 to 1/2, and
/// their mirror images. They resolve x(y) in the tails of a peak as well as in its middle.
struct GeometricKnots {
  static constexpr int most_octaves = 44, binary = 3, per_octave = 1 << binary;
  static constexpr int half = 1 + (most_octaves - 1) * per_octave; ///< pieces up to 1/2
  static constexpr int pieces = 2 * half;

  /// The number of pieces with fewer octaves, from 2^-octaves to 1/2.
  KOKKOS_FUNCTION static constexpr int count(int octaves) { return 2 * (1 + (octaves - 1) * per_octave); }
  /// All knots, from 0 to 1.
  static std::vector<double> all(int octaves = most_octaves);

  /// The piece in which y <= 1/2 lies, from its exponent and the upper bits of its fraction.
  KOKKOS_FUNCTION static int piece(double y) {
    constexpr int first = (1023 - most_octaves) * per_octave - 1;
    auto const at = static_cast<int>(Kokkos::bit_cast<std::uint64_t>(y) >> (52 - binary)) - first;
    return at < 0 ? 0 : at < half ? at : half - 1;
  }
  /// The beginning of a piece and the binary logarithm of its width, in fractions of 2^63 of the unit interval.
  KOKKOS_FUNCTION static std::uint64_t begin(int piece, int& width, int octaves = most_octaves) {
    int const last = count(octaves) - 1;
    bool const upper = 2 * piece > last;
    int const at = upper ? last - piece : piece, octave = at > 0 ? (at - 1) / per_octave : 0;
    width = 63 - octaves - binary + octave + (at > 0 ? 0 : binary);
    std::uint64_t const begin =
        at > 0 ? static_cast<std::uint64_t>(per_octave + (at - 1) % per_octave) << width : std::uint64_t{0};
    return upper ? (std::uint64_t{1} << 63) - begin - (std::uint64_t{1} << width) : begin;
  }
};

/// A trained map, linear between the edges of its bins.
/// @param edges of all axes, bins + 1 numbers from 0 to 1 for each
PiecewiseCubic linear_map(std::vector<double> const& edges, int axes);

/// The values of a trained map at GeometricKnots, for all axes, by a spline through 33 of its points, those at y = (1 -
/// cos(pi k / 32)) / 2: more would follow the noise of training.
std::vector<double> at_knots(std::vector<double> const& edges, int axes);

/// A monotone cubic spline through such points. Its first derivative is continuous: at the inner knots it is that of
/// the polynomial through five of them or, where the spline would not be monotone with it, a harmonic mean of the
/// adjacent slopes (Fritsch and Butland, "A method for constructing local monotone piecewise cubic interpolants", SIAM
/// J. Sci. Stat. Comput. 5 (1984) 300).
/// @param x of GeometricKnots of all axes
PiecewiseCubic smooth_map(std::vector<double> const& x, int axes);

/// Moves such points towards those at which all pieces have integrals in proportion to their widths.
/// @param x      of GeometricKnots of all axes
/// @param masses the integrals of |f dx/dy| over the pieces, or substitutes for them, of all axes; for fewer octaves
///               those of the outer pieces are one
/// @param least  what adjacent pieces with next to nothing keep of the unit interval
void equalize(std::vector<double>& x, std::vector<double> const& masses, int axes, double least = 0);

/// The deviation of such masses from proportionality to the widths of their pieces: half the sum of the differences of
/// their parts, for the axis where it is largest, from 0 to 1.
double mismatch(std::vector<double> const& masses, int axes);

/// Such a map on the device. Without pieces it is the identity map.
template <class Space>
struct CoordinateMap {
  Kokkos::View<PiecewiseCubic::Terms const*, Space, Kokkos::MemoryUnmanaged> terms;
  Kokkos::View<double const*, Space, Kokkos::MemoryUnmanaged> begins;
  int count = 0; ///< pieces per axis
  bool geometric = false;

  KOKKOS_FUNCTION bool any() const { return count > 0; }

  /// x(y) along an axis; multiplies the jacobian by dx/dy.
  template <class Real, class Acc>
  KOKKOS_FUNCTION Real operator()(int axis, Real y, Acc& jacobian) const {
    auto at = static_cast<double>(y);
    bool const mirrored = geometric && at > 0.5;
    int which;
    if (geometric) {
      at = mirrored ? 1 - at : at;
      which = GeometricKnots::piece(at) + (mirrored ? GeometricKnots::half : 0);
    } else {
      which = static_cast<int>(at * count);
      which = which < count ? which : count - 1;
    }
    auto const low = terms(2 * axis * count + which), high = terms((2 * axis + 1) * count + which);
    double const s = at - begins(which);
    jacobian *= static_cast<Acc>(low.second + s * (2 * high.first + s * (3 * high.second)));
    double const x = low.first + s * (low.second + s * (high.first + s * high.second));
    return static_cast<Real>(mirrored ? 1 - x : x);
  }
};

/// The memory of a map on the device.
template <class Space>
class CoordinateMapMemory {
public:
  CoordinateMap<Space> hold(Space const& exec, PiecewiseCubic map, int axes) {
    exec.fence("kubature::qmc::map"); // an earlier call may still read it
    map_ = std::move(map);
    auto const terms = terms_.template as<PiecewiseCubic::Terms>(exec, map_.terms.size());
    auto const begins = begins_.template as<double>(exec, map_.begins.size());
    upload(exec, terms, map_.terms);
    upload(exec, begins, map_.begins);
    return {terms, begins, map_.count(axes), map_.geometric};
  }
  /// The same map, for the host.
  CoordinateMap<Kokkos::DefaultHostExecutionSpace> on_host(int axes) const {
    using Map = CoordinateMap<Kokkos::DefaultHostExecutionSpace>;
    return {decltype(Map::terms)(map_.terms.data(), map_.terms.size()),
            decltype(Map::begins)(map_.begins.data(), map_.begins.size()), map_.count(axes), map_.geometric};
  }

private:
  PiecewiseCubic map_;
  Buffer<Space> terms_{"kubature::qmc::map_terms"}, begins_{"kubature::qmc::map_begins"};
};

} // namespace kubature::detail

#pragma once

#include <kubature/detail/buffer.hpp>
#include <kubature/detail/upload.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kubature::detail {

/// Maps of some axes from the unit interval to itself, x(y), each a cubic polynomial in every one of its pieces, which
/// are the same for all axes.
struct PiecewiseCubic {
  /// Of an axis, one after the other: where it begins, and the coefficients of x there, by powers of y less the begin.
  static constexpr int numbers = 5;
  std::vector<double> pieces;
  /// The piece in which each of some equal cells of the unit interval begins; no cell reaches further than into the
  /// next one.
  std::vector<std::uint16_t> first;

  int count(int axes) const { return static_cast<int>(pieces.size()) / (numbers * axes); }
};

/// A trained map, linear between the edges of its bins.
/// @param edges of all axes, bins + 1 numbers from 0 to 1 each
PiecewiseCubic linear_map(std::vector<double> const& edges, int axes);

/// A monotone cubic spline through so many + 1 points of a trained map, those at y = (1 - cos(pi k / pieces)) / 2. Its
/// first derivative is continuous: at the inner points a harmonic mean of the slopes beside them (Fritsch and Butland,
/// "A method for constructing local monotone piecewise cubic interpolants", SIAM J. Sci. Stat. Comput. 5 (1984) 300).
PiecewiseCubic smooth_map(std::vector<double> const& edges, int axes, int pieces);

/// Such a map on the device. Without pieces it is no map at all.
template <class Space>
struct CoordinateMap {
  Kokkos::View<double const*, Space, Kokkos::MemoryUnmanaged> pieces;
  Kokkos::View<std::uint16_t const*, Space, Kokkos::MemoryUnmanaged> first;
  int count = 0; ///< of an axis
  int cells = 0;

  KOKKOS_FUNCTION bool any() const { return count > 0; }

  /// x(y) along an axis; the jacobian is multiplied with dx/dy.
  template <class Real, class Acc>
  KOKKOS_FUNCTION Real operator()(int axis, Real y, Acc& jacobian) const {
    int const cell = static_cast<int>(y * static_cast<Real>(cells));
    int const guess = first.data()[cell < cells ? cell : cells - 1];
    constexpr int n = PiecewiseCubic::numbers;
    double const* piece = pieces.data() + n * (axis * count + guess);
    auto const at = static_cast<double>(y);
    if (guess + 1 < count && at >= piece[n])
      piece += n;
    double const s = at - piece[0];
    jacobian *= static_cast<Acc>(piece[2] + s * (2 * piece[3] + s * (3 * piece[4])));
    return static_cast<Real>(piece[1] + s * (piece[2] + s * (piece[3] + s * piece[4])));
  }
};

/// The memory of a map on the device.
template <class Space>
class CoordinateMapMemory {
public:
  CoordinateMap<Space> hold(Space const& exec, PiecewiseCubic map, int axes) {
    exec.fence("kubature::qmc::map"); // what an earlier call read
    map_ = std::move(map);
    auto const pieces = pieces_.template as<double>(exec, map_.pieces.size());
    auto const first = first_.template as<std::uint16_t>(exec, map_.first.size());
    upload(exec, pieces, map_.pieces);
    upload(exec, first, map_.first);
    return {pieces, first, map_.count(axes), static_cast<int>(map_.first.size())};
  }

private:
  PiecewiseCubic map_;
  Buffer<Space> pieces_{"kubature::qmc::map_pieces"}, first_{"kubature::qmc::map_cells"};
};

} // namespace kubature::detail

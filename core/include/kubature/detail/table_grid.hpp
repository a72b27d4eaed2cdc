#pragma once

#include <Kokkos_Macros.hpp>

#include <cstddef>

namespace kubature::detail {

/// The largest number of axes of a table.
inline constexpr int max_table_axes = 3;

/// A table of values on a rectilinear grid, as it is read in the memory that holds its numbers.
struct TableGrid {
  double const* nodes = nullptr;  ///< those along the first axis, followed by those along the next
  double const* values = nullptr; ///< one per node of the grid; the last axis runs fastest
  int axes = 0;                   ///< how many there are
  int size[max_table_axes] = {};  ///< the number of nodes along each axis

  /// The number of nodes along all axes.
  std::size_t node_count() const {
    std::size_t count = 0;
    for (int axis = 0; axis < axes; ++axis)
      count += static_cast<std::size_t>(size[axis]);
    return count;
  }
  /// The number of values.
  std::size_t value_count() const {
    std::size_t count = 1;
    for (int axis = 0; axis < axes; ++axis)
      count *= static_cast<std::size_t>(size[axis]);
    return count;
  }

  /// The value at x, interpolated linearly along each of D axes.
  template <int D, class Real>
  KOKKOS_FUNCTION Real linear(Real const (&x)[D]) const {
    int cell[D], stride[D];
    Real fraction[D];
    int const base = locate(x, cell, stride, fraction);
    Real sum = 0;
    for (int corner = 0; corner < (1 << D); ++corner) {
      Real weight = 1;
      int index = base;
      for (int axis = 0; axis < D; ++axis) {
        bool const upper = (corner >> axis) & 1;
        weight *= upper ? fraction[axis] : Real(1) - fraction[axis];
        index += upper ? stride[axis] : 0;
      }
      sum += weight * static_cast<Real>(values[index]);
    }
    return sum;
  }

  /// The value at x, interpolated along each of D axes by a piecewise cubic polynomial. Its slope at a node is that of
  /// the parabola through the node and its two neighbours, at an end that through the first or last three nodes (cubic
  /// Bessel interpolation, C. de Boor, "A Practical Guide to Splines", Springer 1978, chapter IV; on equal steps
  /// Catmull-Rom). Along an axis the polynomial is continuous with its first derivative, exact for parabolas, and
  /// depends on four values only: no system of equations couples all values, as it does for splines with two
  /// continuous derivatives, so that a step or a peak in the data does not make it oscillate elsewhere.
  template <int D, class Real>
  KOKKOS_FUNCTION Real cubic(Real const (&x)[D]) const {
    int cell[D], stride[D];
    Real fraction[D], weights[D][4];
    int const base = locate(x, cell, stride, fraction);
    double const* along = nodes;
    for (int axis = 0; axis < D; ++axis) {
      cubic_weights(along, size[axis], cell[axis], fraction[axis], weights[axis]);
      along += size[axis];
    }
    Real sum = 0;
    for (int around = 0; around < (1 << 2 * D); ++around) {
      Real weight = 1;
      int index = base;
      bool inside = true;
      for (int axis = 0; axis < D; ++axis) {
        int const k = ((around >> 2 * axis) & 3) - 1, node = cell[axis] + k;
        inside = inside && node >= 0 && node < size[axis];
        weight *= weights[axis][k + 1];
        index += k * stride[axis];
      }
      if (inside)
        sum += weight * static_cast<Real>(values[index]);
    }
    return sum;
  }

private:
  /// The cell that contains x, its position within it, the distances of neighbouring values along each axis, and the
  /// index of the cell's first value.
  template <int D, class Real>
  KOKKOS_FUNCTION int locate(Real const (&x)[D], int (&cell)[D], int (&stride)[D], Real (&fraction)[D]) const {
    double const* along = nodes;
    for (int axis = 0; axis < D; ++axis) {
      cell[axis] = locate(along, size[axis], x[axis], fraction[axis]);
      along += size[axis];
    }
    int base = 0;
    for (int axis = D - 1, step = 1; axis >= 0; --axis) {
      stride[axis] = step;
      base += cell[axis] * step;
      step *= size[axis];
    }
    return base;
  }

  /// The cell that contains x along an axis, and the position of x within it, in [0, 1].
  template <class Real>
  KOKKOS_FUNCTION static int locate(double const* along, int count, Real x, Real& fraction) {
    int low = 0, high = count - 1;
    if (!(x > static_cast<Real>(along[low]))) {
      fraction = x == x ? Real(0) : x; // a NaN remains a NaN
      return 0;
    }
    if (!(x < static_cast<Real>(along[high]))) {
      fraction = 1;
      return count - 2;
    }
    while (high - low > 1) {
      int const middle = (low + high) / 2;
      if (x < static_cast<Real>(along[middle]))
        high = middle;
      else
        low = middle;
    }
    Real const left = static_cast<Real>(along[low]);
    fraction = (x - left) / (static_cast<Real>(along[high]) - left);
    return low;
  }

  /// The weights of the values at the nodes cell - 1, ..., cell + 2. They are made of those of the three differences
  /// between these values; the weights of nodes that do not exist are zero, and those of the others add up to one.
  template <class Real>
  KOKKOS_FUNCTION static void cubic_weights(double const* along, int count, int cell, Real t, Real (&weights)[4]) {
    bool const first = cell == 0, last = cell + 2 == count;
    double const width = along[cell + 1] - along[cell];
    // The width of the cell, in units of those before and after it.
    Real const a = first ? Real(0) : static_cast<Real>(width / (along[cell] - along[cell - 1]));
    Real const b = last ? Real(0) : static_cast<Real>(width / (along[cell + 2] - along[cell + 1]));
    Real const part_a = a / (1 + a), part_b = b / (1 + b);
    Real const slope = t * (1 - t) * (1 - t), next_slope = -t * t * (1 - t); // the weights of the slopes at the nodes
    Real before = 0, here = t * t * (3 - 2 * t), after = 0;
    if (first) {
      here += slope * (1 + part_b);
      after -= slope * b * part_b;
    } else {
      before += slope * a * part_a;
      here += slope * (1 - part_a);
    }
    if (last) {
      before -= next_slope * a * part_a;
      here += next_slope * (1 + part_a);
    } else {
      here += next_slope * (1 - part_b);
      after += next_slope * b * part_b;
    }
    weights[0] = -before;
    weights[1] = 1 + before - here;
    weights[2] = here - after;
    weights[3] = after;
  }
};

} // namespace kubature::detail

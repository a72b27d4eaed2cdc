#pragma once

#include <kubature/detail/table_grid.hpp>
#include <kubature/error.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace kubature {

/// How the values between the nodes of a table follow from those at the nodes.
enum class Interpolation {
  linear, ///< along each axis: continuous, with an error of the order of the square of the steps
  cubic,  ///< along each axis by a cubic polynomial per cell: the first derivative is continuous, too, parabolas are
         ///< exact, and the error is of the order of the cube of the steps. Its slope at a node is that of the parabola
         ///< through the node and its neighbours (C. de Boor, "A Practical Guide to Splines", Springer 1978, chapter
         ///< IV; on equal steps Catmull-Rom). It is chosen over splines with two continuous derivatives because it
         ///< is local: a value depends on the four nearest nodes of each axis, and on no other
};

/// A table of values on a rectilinear grid with D = 1, 2 or 3 axes, interpolated along each axis, for integrands that
/// need tabulated data. It is made on the host and read in Space; copies share the data.
///
///   Table2D<> growth({z_nodes, k_nodes}, values);   // values in row-major order: the last axis runs fastest
///   ... growth(z, k) ...                            // in the integrand, in float or double
///
/// Nodes must be strictly ascending, at least two per axis. Outside the grid the table keeps the value at the edge.
template <int D, class Space = Kokkos::DefaultExecutionSpace, Interpolation interpolation = Interpolation::linear>
class Table {
public:
  static_assert(D >= 1 && D <= detail::max_table_axes, "tables have one, two or three axes");
  using memory_space = typename Space::memory_space;       ///< where the values lie
  using execution_space = typename Space::execution_space; ///< where the table is read

  /// @param exec   the instance on which the upload runs; it is complete on return
  /// @param nodes  the grid along each axis
  /// @param values one per node of the grid
  /// Throws InvalidArgument if nodes do not ascend or are not finite, or if the number of values is wrong.
  Table(execution_space const& exec, std::array<std::vector<double>, D> const& nodes, std::span<double const> values,
        std::source_location where = std::source_location::current())
      : nodes_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "kubature::table::nodes"), total(nodes)),
        values_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "kubature::table::values"), values.size()) {
    check(nodes, values.size(), where);
    std::vector<double> packed;
    for (int axis = 0; axis < D; ++axis) {
      auto const& axis_nodes = nodes[static_cast<std::size_t>(axis)];
      size_[axis] = static_cast<int>(axis_nodes.size());
      packed.insert(packed.end(), axis_nodes.begin(), axis_nodes.end());
    }
    upload(exec, nodes_, packed.data());
    upload(exec, values_, values.data());
    exec.fence("kubature::table::upload");
  }

  /// As above, on the default instance.
  explicit Table(std::array<std::vector<double>, D> const& nodes, std::span<double const> values,
                 std::source_location where = std::source_location::current())
      : Table(execution_space{}, nodes, values, where) {}

  /// The interpolated value at (x), (x, y) or (x, y, z).
  template <class Real, class... Reals>
    requires(1 + sizeof...(Reals) == D)
  KOKKOS_FUNCTION Real operator()(Real x, Reals... rest) const {
    Real const point[D] = {x, static_cast<Real>(rest)...};
    detail::TableGrid grid{nodes_.data(), values_.data(), D};
    for (int axis = 0; axis < D; ++axis)
      grid.size[axis] = size_[axis];
    if constexpr (interpolation == Interpolation::linear)
      return grid.linear(point);
    else
      return grid.cubic(point);
  }

private:
  using Data = Kokkos::View<double*, memory_space>;

  static std::size_t total(std::array<std::vector<double>, D> const& nodes) {
    std::size_t sum = 0;
    for (auto const& axis : nodes)
      sum += axis.size();
    return sum;
  }

  static void check(std::array<std::vector<double>, D> const& nodes, std::size_t values, std::source_location where) {
    std::size_t product = 1;
    for (std::size_t axis = 0; axis < D; ++axis) {
      auto const name = "Table nodes of axis " + std::to_string(axis + 1);
      require(nodes[axis].size() >= 2, name, nodes[axis].size(), "at least two are needed", where);
      for (std::size_t k = 0; k < nodes[axis].size(); ++k) {
        require(std::isfinite(nodes[axis][k]), name, nodes[axis][k], "a node must be finite", where);
        require(k == 0 || nodes[axis][k - 1] < nodes[axis][k], name, nodes[axis][k], "nodes must ascend", where);
      }
      product *= nodes[axis].size();
    }
    require(values == product, "number of table values", values, "the grid has " + std::to_string(product) + " nodes",
            where);
  }

  static void upload(execution_space const& exec, Data const& to, double const* from) {
    Kokkos::View<double const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(from, to.size());
    Kokkos::deep_copy(exec, to, host);
  }

  Data nodes_, values_;
  Kokkos::Array<int, D> size_{};
};

/// A table with one axis.
template <class Space = Kokkos::DefaultExecutionSpace, Interpolation interpolation = Interpolation::linear>
using Table1D = Table<1, Space, interpolation>;
/// A table with two axes.
template <class Space = Kokkos::DefaultExecutionSpace, Interpolation interpolation = Interpolation::linear>
using Table2D = Table<2, Space, interpolation>;
/// A table with three axes.
template <class Space = Kokkos::DefaultExecutionSpace, Interpolation interpolation = Interpolation::linear>
using Table3D = Table<3, Space, interpolation>;

} // namespace kubature

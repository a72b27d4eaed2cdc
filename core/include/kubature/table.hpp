#pragma once

#include <kubature/error.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <span>
#include <string>
#include <vector>

namespace kubature {

/// A table of values on a rectilinear grid with D = 1, 2 or 3 axes, interpolated linearly along each axis, for
/// integrands that need tabulated data. It is made on the host and read in Space; copies share the data.
///
///   Table2D<> growth({z_nodes, k_nodes}, values);   // values in row-major order: the last axis runs fastest
///   ... growth(z, k) ...                            // in the integrand, in float or double
///
/// Nodes must be strictly ascending, at least two per axis. Outside the grid the table keeps the value at the edge.
template <int D, class Space = Kokkos::DefaultExecutionSpace>
class Table {
public:
  static_assert(D >= 1 && D <= 3, "tables have one, two or three axes");
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
      begin_[axis] = static_cast<int>(packed.size());
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
    Kokkos::Array<Real, D> const point{x, static_cast<Real>(rest)...};
    int base = 0;
    Kokkos::Array<int, D> stride{};
    Kokkos::Array<Real, D> fraction{};
    for (int axis = D - 1, step = 1; axis >= 0; --axis) {
      int const cell = locate(axis, point[axis], fraction[axis]);
      stride[axis] = step;
      base += cell * step;
      step *= size_[axis];
    }
    Real sum = 0;
    for (int corner = 0; corner < (1 << D); ++corner) {
      Real weight = 1;
      int index = base;
      for (int axis = 0; axis < D; ++axis) {
        bool const upper = (corner >> axis) & 1;
        weight *= upper ? fraction[axis] : Real(1) - fraction[axis];
        index += upper ? stride[axis] : 0;
      }
      sum += weight * static_cast<Real>(values_(index));
    }
    return sum;
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

  /// The cell that contains x along an axis, and the position of x within it, in [0, 1].
  template <class Real>
  KOKKOS_FUNCTION int locate(int axis, Real x, Real& fraction) const {
    int low = begin_[axis], high = low + size_[axis] - 1;
    if (!(x > static_cast<Real>(nodes_(low)))) {
      fraction = x == x ? Real(0) : x; // a NaN remains a NaN
      return 0;
    }
    if (!(x < static_cast<Real>(nodes_(high)))) {
      fraction = 1;
      return size_[axis] - 2;
    }
    while (high - low > 1) {
      int const middle = (low + high) / 2;
      if (x < static_cast<Real>(nodes_(middle)))
        high = middle;
      else
        low = middle;
    }
    Real const left = static_cast<Real>(nodes_(low));
    fraction = (x - left) / (static_cast<Real>(nodes_(high)) - left);
    return low - begin_[axis];
  }

  Data nodes_, values_;
  Kokkos::Array<int, D> begin_{}, size_{};
};

/// A table with one axis.
template <class Space = Kokkos::DefaultExecutionSpace>
using Table1D = Table<1, Space>;
/// A table with two axes.
template <class Space = Kokkos::DefaultExecutionSpace>
using Table2D = Table<2, Space>;
/// A table with three axes.
template <class Space = Kokkos::DefaultExecutionSpace>
using Table3D = Table<3, Space>;

} // namespace kubature

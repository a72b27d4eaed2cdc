#pragma once

#include "device_array.hpp"

#include <kubature.h>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>

namespace kubature::python {

namespace nb = nanobind;

using namespace nb::literals;

/// The Python objects that an integration calls, and the exception that they raised.
struct Call {
  nb::object f, callback;
  std::int64_t block = 0;   ///< number of points that f gets at once; 0: all
  nb::object numpy, points; ///< the array that f gets, reused unless f keeps it
  std::int64_t size = 0;    ///< the number of points in that array
  std::exception_ptr raised;

  /// Does the work while holding the interpreter's lock; returns 1 if it raises an exception, which is kept.
  template <class Work>
  int with_python(Work const& work) noexcept {
    nb::gil_scoped_acquire const lock;
    try {
      return work();
    } catch (...) {
      raised = std::current_exception();
      return 1;
    }
  }

  /// The array of n points for f, to be filled.
  double* array(std::int64_t n, int d) {
    if (size != n || Py_REFCNT(points.ptr()) > 1) {
      points = numpy.attr("empty")(nb::make_tuple(n, d), "order"_a = "F");
      size = n;
    }
    return nb::cast<nb::ndarray<double, nb::ndim<2>, nb::f_contig, nb::device::cpu>>(points).data();
  }

  /// Calls f, whose values are n x components; component c at point k goes to values[k * point + c * component].
  void evaluate(std::int64_t n, int components, double* values, std::int64_t point, std::int64_t component) {
    auto const got = nb::cast<nb::ndarray<double const, nb::ndim<2>, nb::device::cpu>>(f(points));
    if (got.shape(0) != static_cast<std::size_t>(n) || got.shape(1) != static_cast<std::size_t>(components))
      throw std::logic_error("values were not checked");
    for (int c = 0; c < components; ++c)
      for (std::int64_t k = 0; k < n; ++k)
        values[k * point + c * component] = got.data()[k * got.stride(0) + c * got.stride(1)];
  }
};

/// Points and values on the host, in the layout of kubature.h.
inline int evaluate_rows(std::int64_t n, int d, double const* x, int components, double* values, void* user) {
  auto& call = *static_cast<Call*>(user);
  return call.with_python([&] {
    auto const to = call.array(n, d);
    for (int i = 0; i < d; ++i)
      for (std::int64_t k = 0; k < n; ++k)
        to[i * n + k] = x[k * d + i];
    call.evaluate(n, components, values, components, 1);
    return 0;
  });
}

/// As above, if the library computes on the host: block by block, in its memory, so that arrays stay in the cache.
inline int evaluate_columns(std::int64_t n, int d, double const* x, int components, double* values, void*, void* user) {
  auto& call = *static_cast<Call*>(user);
  for (std::int64_t first = 0; first < n; first += call.block) {
    auto const now = std::min(call.block, n - first);
    int const returned = call.with_python([&] {
      auto const to = call.array(now, d);
      for (int i = 0; i < d; ++i)
        std::copy_n(x + i * n + first, now, to + i * now);
      call.evaluate(now, components, values + first, 1, n);
      return 0;
    });
    if (returned != 0)
      return returned;
  }
  return 0;
}

/// Points and values in the library's layout and memory: f(points, values) fills the values.
inline int evaluate_there(std::int64_t n, int d, double const* x, int components, double* values, void* stream,
                          void* user) {
  auto& call = *static_cast<Call*>(user);
  return call.with_python([&] {
    call.f(DeviceArray(x, n, d, stream), DeviceArray(values, n, components, stream));
    return 0;
  });
}

inline int report_progress(kubature_progress const* progress, void* user) {
  auto& call = *static_cast<Call*>(user);
  return call.with_python([&] {
    if (PyErr_CheckSignals() != 0)
      throw nb::python_error();
    return nb::cast<bool>(call.callback(progress->iteration, progress->evaluations, progress->value, progress->error,
                                        progress->seconds))
               ? 0
               : 1;
  });
}

} // namespace kubature::python

#pragma once

#include <kubature.h>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>

namespace kubature::python {

namespace nb = nanobind;

/// Memory of the library where it computes, valid during one call of f: an array with one column per variable or
/// component, as DLPack and other protocols present it.
class DeviceArray {
public:
  DeviceArray(void const* data, std::int64_t n, int columns, void* stream)
      : data_(data), n_(static_cast<std::size_t>(n)), columns_(static_cast<std::size_t>(columns)), stream_(stream) {}

  std::size_t rows() const { return n_; }
  std::size_t columns() const { return columns_; }
  std::uintptr_t stream() const { return reinterpret_cast<std::uintptr_t>(stream_); }

  /// An array of nanobind, which supports DLPack.
  nb::object exchanged() const {
    int id = 0;
    int const kind = kubature_device(&id);
    std::size_t const shape[] = {n_, columns_};
    std::int64_t const strides[] = {1, static_cast<std::int64_t>(n_)};
    return nb::cast(nb::ndarray<nb::array_api>(const_cast<void*>(data_), 2, shape, nb::handle(), strides,
                                               nb::dtype<double>(), kind, id),
                    nb::rv_policy::reference);
  }

  /// __array_interface__ or, on a CUDA device, __cuda_array_interface__ in version 3: work on a stream other than
  /// `stream` must wait for that one.
  nb::dict interface() const {
    constexpr std::size_t size = sizeof(double);
    nb::dict all;
    all["shape"] = nb::make_tuple(n_, columns_);
    all["strides"] = nb::make_tuple(size, n_ * size);
    all["typestr"] = "<f8";
    all["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(data_), false);
    all["version"] = 3;
    if (stream_)
      all["stream"] = stream();
    return all;
  }

private:
  void const* data_;
  std::size_t n_, columns_;
  void* stream_;
};

inline void define_device_array(nb::module_& m) {
  auto array =
      nb::class_<DeviceArray>(m, "DeviceArray")
          .def_prop_ro("shape", [](DeviceArray const& a) { return nb::make_tuple(a.rows(), a.columns()); })
          .def_prop_ro("stream", &DeviceArray::stream)
          .def("__dlpack_device__", [](DeviceArray const& a) { return a.exchanged().attr("__dlpack_device__")(); })
          .def("__dlpack__",
               [](DeviceArray const& a, nb::kwargs const& how) { return a.exchanged().attr("__dlpack__")(**how); });
  if (int const kind = kubature_device(nullptr); kind == KUBATURE_HOST)
    array.def_prop_ro("__array_interface__", &DeviceArray::interface);
  else if (kind == KUBATURE_CUDA)
    array.def_prop_ro("__cuda_array_interface__", &DeviceArray::interface);
}

} // namespace kubature::python

/// \file The extension module kubature._kubature: kubature.h for the Python files beside it, which check arguments.

#include <kubature.h>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// kubature.InvalidArgument.
class InvalidArgument : public std::invalid_argument {
public:
  using std::invalid_argument::invalid_argument;
};

void check(int returned) {
  switch (returned) {
  case KUBATURE_SUCCESS:
    return;
  case KUBATURE_INVALID_ARGUMENT:
    throw InvalidArgument(kubature_last_error());
  case KUBATURE_OUT_OF_MEMORY:
    throw std::bad_alloc();
  default:
    throw std::runtime_error(kubature_last_error());
  }
}

struct End {
  void operator()(kubature_box* box) const { kubature_box_destroy(box); }
  void operator()(kubature_integrand* integrand) const { kubature_integrand_destroy(integrand); }
  void operator()(kubature_integrator* integrator) const { kubature_integrator_destroy(integrator); }
  void operator()(kubature_map* map) const { kubature_map_destroy(map); }
  void operator()(kubature_result* result) const { kubature_result_destroy(result); }
};
template <class T>
using Owned = std::unique_ptr<T, End>;

/// What make(&pointer) makes.
template <class T, class Make>
Owned<T> made(Make const& make) {
  T* pointer = nullptr;
  int const returned = make(&pointer);
  Owned<T> owned(pointer);
  check(returned);
  return owned;
}

/// What an integration calls, and what was raised there.
struct Call {
  nb::object f, callback;
  nb::object numpy, points; ///< the array that f gets, again and again unless f keeps it
  std::int64_t size = 0;    ///< points in that
  std::exception_ptr raised;

  /// Does the work with the interpreter's lock; 1 where it raises an exception, which is kept.
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
};

int evaluate(std::int64_t n, int d, double const* x, int, double* values, void* user) {
  auto& call = *static_cast<Call*>(user);
  return call.with_python([&] {
    if (call.size != n || Py_REFCNT(call.points.ptr()) > 1) {
      call.points = call.numpy.attr("empty")(nb::make_tuple(n, d), "order"_a = "F");
      call.size = n;
    }
    auto const to = nb::cast<nb::ndarray<double, nb::ndim<2>, nb::f_contig, nb::device::cpu>>(call.points).data();
    for (int i = 0; i < d; ++i)
      for (std::int64_t k = 0; k < n; ++k)
        to[i * n + k] = x[k * d + i];
    auto const got =
        nb::cast<nb::ndarray<double const, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(call.f(call.points));
    std::copy_n(got.data(), std::min(static_cast<std::size_t>(n), got.shape(0)), values);
    return 0;
  });
}

int tell(kubature_progress const* progress, void* user) {
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

nb::dict to_dict(kubature_result const* r) {
  nb::dict all;
  all["value"] = kubature_result_value(r, 0);
  all["error"] = kubature_result_error(r, 0);
  all["status"] = kubature_status_name(kubature_result_status(r));
  all["chi2_per_dof"] = kubature_result_chi2_per_dof(r, 0);
  all["q_value"] = kubature_result_q_value(r, 0);
  all["evaluations"] = kubature_result_evaluations(r);
  nb::list iterations;
  for (int i = 0; i < kubature_result_iterations(r); ++i) {
    double value = 0, error = 0;
    std::int64_t evaluations = 0;
    int included = 0;
    check(kubature_result_iteration(r, i, 0, &value, &error, &evaluations, &included));
    iterations.append(nb::make_tuple(value, error, evaluations, included != 0));
  }
  all["iterations"] = nb::tuple(iterations);
  all["regions"] = kubature_result_regions(r);
  all["non_finite"] = kubature_result_non_finite(r);
  all["seconds"] = kubature_result_seconds(r);
  all["method"] = kubature_result_method(r);
  all["precision"] = kubature_result_precision(r);
  all["backend"] = kubature_result_backend(r);
  nb::list remarks;
  for (int i = 0; i < kubature_result_remarks(r); ++i)
    remarks.append(kubature_result_remark(r, i));
  all["remarks"] = nb::tuple(remarks);
  all["text"] = kubature_result_text(r);
  return all;
}

class Integrator {
public:
  Integrator(std::string const& method, std::optional<std::string> const& precision, std::optional<int> communicator)
      : integrator_(made<kubature_integrator>([&](kubature_integrator** to) {
          char const* const named = precision ? precision->c_str() : nullptr;
          return communicator ? kubature_integrator_create_mpi(method.c_str(), named, *communicator, to)
                              : kubature_integrator_create(method.c_str(), named, to);
        })) {}

  void set(std::string const& option, std::string const& value) {
    Busy const busy(*this);
    check(kubature_set_text(integrator_.get(), option.c_str(), value.c_str()));
  }
  std::string get(std::string const& option) {
    Busy const busy(*this);
    char const* value = nullptr;
    check(kubature_get_text(integrator_.get(), option.c_str(), &value));
    return value;
  }

  /// @param f        a formula, a function that returns an array of n numbers for one of n points, or the address of a
  ///                 kubature_function
  /// @param callback returns whether to go on
  nb::dict integrate(nb::object const& f, std::optional<std::string> const& variables, std::vector<double> const& lower,
                     std::vector<double> const& upper, nb::object const& callback) {
    Busy const busy(*this);
    Call call;
    call.f = f;
    call.callback = callback;
    auto const box = made<kubature_box>([&](kubature_box** to) {
      return kubature_box_create(static_cast<int>(lower.size()), lower.data(), upper.data(), to);
    });
    auto const integrand = made<kubature_integrand>([&](kubature_integrand** to) {
      if (nb::isinstance<nb::str>(f))
        return kubature_integrand_expression(nb::cast<std::string>(f).c_str(), variables ? variables->c_str() : nullptr,
                                             to);
      if (nb::isinstance<nb::int_>(f))
        return kubature_integrand_function(reinterpret_cast<kubature_function>(nb::cast<std::uintptr_t>(f)), 1, nullptr,
                                           to);
      call.numpy = nb::module_::import_("numpy");
      return kubature_integrand_function(evaluate, 1, &call, to);
    });
    check(kubature_set_callback(integrator_.get(), tell, &call));
    kubature_result* pointer = nullptr;
    int returned = 0;
    {
      nb::gil_scoped_release const released;
      returned = kubature_integrate(integrator_.get(), integrand.get(), box.get(), &pointer);
    }
    Owned<kubature_result> const result(pointer);
    kubature_set_callback(integrator_.get(), nullptr, nullptr);
    if (call.raised)
      std::rethrow_exception(call.raised);
    check(returned);
    return to_dict(result.get());
  }

  /// The edges of each axis.
  std::vector<std::vector<double>> map() {
    Busy const busy(*this);
    auto const map = made<kubature_map>([&](kubature_map** to) { return kubature_map_of(integrator_.get(), to); });
    std::vector<std::vector<double>> all;
    for (int i = 0; i < kubature_map_axes(map.get()); ++i) {
      auto const* const edges = kubature_map_edges(map.get(), i);
      all.emplace_back(edges, edges + kubature_map_bins(map.get()) + 1);
    }
    return all;
  }
  /// @param edges as many for each axis
  void use(std::vector<std::vector<double>> const& edges) {
    Busy const busy(*this);
    std::vector<double> all;
    for (auto const& axis : edges)
      all.insert(all.end(), axis.begin(), axis.end());
    auto const map = made<kubature_map>([&](kubature_map** to) {
      return kubature_map_create(static_cast<int>(edges.size()),
                                 edges.empty() ? 0 : static_cast<int>(edges[0].size()) - 1, all.data(), to);
    });
    check(kubature_use_map(integrator_.get(), map.get()));
  }

private:
  /// A call lets other threads, and its own function, run Python, which must not come back here.
  class Busy {
  public:
    explicit Busy(Integrator& of) : of_(of) {
      if (of.busy_)
        throw std::runtime_error(
            "this integrator is integrating: other threads, and integrands, need one of their own");
      of.busy_ = true;
    }
    ~Busy() { of_.busy_ = false; }
    Busy(Busy const&) = delete;

  private:
    Integrator& of_;
  };

  Owned<kubature_integrator> integrator_;
  bool busy_ = false;
};

} // namespace

NB_MODULE(_kubature, m) {
  nb::set_leak_warnings(false);
  nb::exception<InvalidArgument>(m, "InvalidArgument", PyExc_ValueError).attr("__doc__") =
      "Bad input: a ValueError that names the argument and its value.";
  m.def("version", &kubature_version);
  nb::class_<Integrator>(m, "Integrator")
      .def(nb::init<std::string const&, std::optional<std::string> const&, std::optional<int>>(), "method"_a,
           "precision"_a.none(), "communicator"_a.none())
      .def("set", &Integrator::set, "option"_a, "value"_a)
      .def("get", &Integrator::get, "option"_a)
      .def("integrate", &Integrator::integrate, "f"_a, "variables"_a.none(), "lower"_a, "upper"_a, "callback"_a)
      .def("map", &Integrator::map)
      .def("use", &Integrator::use, "edges"_a);
}

/// \file The extension module kubature._kubature: kubature.h for the Python files beside it, which check the arguments.

#include "call.hpp"
#include "device_array.hpp"
#include "error.hpp"
#include "result.hpp"

#include <kubature.h>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace kubature::python;
using namespace nb::literals;

namespace {

struct End {
  void operator()(kubature_box* box) const { kubature_box_destroy(box); }
  void operator()(kubature_integrand* integrand) const { kubature_integrand_destroy(integrand); }
  void operator()(kubature_integrator* integrator) const { kubature_integrator_destroy(integrator); }
  void operator()(kubature_map* map) const { kubature_map_destroy(map); }
  void operator()(kubature_result* result) const { kubature_result_destroy(result); }
  void operator()(kubature_evidence* evidence) const { kubature_evidence_destroy(evidence); }
};
template <class T>
using Owned = std::unique_ptr<T, End>;

/// The object that make(&pointer) creates.
template <class T, class Make>
Owned<T> made(Make const& make) {
  T* pointer = nullptr;
  int const returned = make(&pointer);
  Owned<T> owned(pointer);
  check(returned);
  return owned;
}

Owned<kubature_box> make_box(std::vector<double> const& lower, std::vector<double> const& upper) {
  return made<kubature_box>([&](kubature_box** to) {
    return kubature_box_create(static_cast<int>(lower.size()), lower.data(), upper.data(), to);
  });
}

/// What a text describes: named sides or a shape.
struct Domain {
  Domain(std::string const& text, std::string const& breaks)
      : box(made<kubature_box>(
            [&](kubature_box** to) { return kubature_box_create_text(text.c_str(), breaks.c_str(), to); })) {}

  int dimension() const { return kubature_box_dimension(box.get()); }
  std::vector<double> inside(double part) const {
    std::vector<double> x(static_cast<std::size_t>(dimension()));
    check(kubature_box_inside(box.get(), part, x.data()));
    return x;
  }

  Owned<kubature_box> box;
};

using Numbers = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

/// Replaces uniform numbers by normal ones.
void normal_quantiles(Numbers const& numbers) {
  nb::gil_scoped_release const released;
  check(kubature_normal_quantiles(static_cast<std::int64_t>(numbers.size()), numbers.data(), numbers.data()));
}

/// Replaces the covariance of a path by its matrix.
void path_matrix(Numbers const& covariance, std::string const& by) {
  std::vector<double> const given(covariance.data(), covariance.data() + covariance.size());
  int const returned =
      kubature_path_matrix(static_cast<int>(covariance.shape(0)), given.data(), by.c_str(), covariance.data());
  check(returned);
}

/// A formula, the names of its parameters, their values, and what is integrated of it.
using Formula = std::tuple<std::string, std::string, std::vector<double>, int>;

int make_formula(Formula const& formula, std::optional<std::string> const& variables, kubature_integrand** to) {
  auto const& [text, names, values, what] = formula;
  return kubature_integrand_formula(text.c_str(), variables ? variables->c_str() : nullptr,
                                    names.empty() ? nullptr : names.c_str(), values.data(), what, to);
}

/// Fills `values` with those of a formula at points, n x d.
void evaluate(Formula const& formula, std::optional<std::string> const& variables, Numbers const& points,
              Numbers const& values) {
  auto const f =
      made<kubature_integrand>([&](kubature_integrand** to) { return make_formula(formula, variables, to); });
  check(kubature_integrand_evaluate(f.get(), static_cast<std::int64_t>(points.shape(0)),
                                    static_cast<int>(points.shape(1)), points.data(), values.data()));
}

/// @param call       whose f is a formula; a tuple of a formula, names of parameters, their values and an enum
///                   kubature_formula; a function that returns an array of n x components numbers for an array of n
///                   points; the address of a kubature_function; with `there`, a function of two DeviceArrays
/// @param components number of values at a point, if f is not a formula
/// @param concurrent whether threads may call a kubature_function at the same time
Owned<kubature_integrand> make_integrand(Call& call, int components, bool there, bool concurrent,
                                         std::optional<std::string> const& variables) {
  auto const& f = call.f;
  auto integrand = made<kubature_integrand>([&](kubature_integrand** to) {
    if (nb::isinstance<nb::str>(f))
      return make_formula({nb::cast<std::string>(f), {}, {}, KUBATURE_VALUE}, variables, to);
    if (nb::isinstance<nb::tuple>(f))
      return make_formula(nb::cast<Formula>(f), variables, to);
    if (nb::isinstance<nb::int_>(f))
      return kubature_integrand_function(reinterpret_cast<kubature_function>(nb::cast<std::uintptr_t>(f)), components,
                                         nullptr, to);
    if (there)
      return kubature_integrand_device_function(evaluate_there, components, &call, to);
    call.numpy = nb::module_::import_("numpy");
    return kubature_device(nullptr) == KUBATURE_HOST
               ? kubature_integrand_device_function(evaluate_columns, components, &call, to)
               : kubature_integrand_function(evaluate_rows, components, &call, to);
  });
  if (concurrent)
    check(kubature_integrand_set_concurrent(integrand.get(), 1));
  return integrand;
}

/// The peaks that get(capacity, at, log_height, covariance, log_integral, &count) fills in.
/// @returns for each peak where it is, its log height, its covariance by rows, and Laplace's estimate
template <class Get>
nb::list list_of_peaks(std::size_t d, Get const& get) {
  std::size_t const most = d <= 20 ? KUBATURE_MOST_PEAKS : 0; // more variables are refused
  std::vector<double> at(most * d), log_height(most), covariance(most * d * d), log_integral(most);
  std::int64_t count = 0;
  get(static_cast<std::int64_t>(most), at.data(), log_height.data(), covariance.data(), log_integral.data(), &count);
  auto const part = [](std::vector<double> const& all, std::size_t k, std::size_t size) {
    auto const first = all.begin() + static_cast<std::ptrdiff_t>(k * size);
    return std::vector<double>(first, first + static_cast<std::ptrdiff_t>(size));
  };
  nb::list peaks;
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
    peaks.append(nb::make_tuple(part(at, k, d), log_height[k], part(covariance, k, d * d), log_integral[k]));
  return peaks;
}

/// An integrand and what it is integrated over.
class Problem {
public:
  /// See make_integrand().
  /// @param block  number of points that f gets at once
  /// @param domain null: the box with these bounds; must outlive this
  Problem(nb::object const& f, int components, std::int64_t block, bool there, bool concurrent,
          std::optional<std::string> const& variables, std::vector<double> const& lower,
          std::vector<double> const& upper, Domain const* domain)
      : plain_(domain ? Owned<kubature_box>() : make_box(lower, upper)),
        box_(domain ? domain->box.get() : plain_.get()) {
    call_.f = f;
    call_.block = block;
    integrand_ = make_integrand(call_, components, there, concurrent, variables);
  }

  Call& call() { return call_; }
  std::size_t dimension() const { return static_cast<std::size_t>(kubature_box_dimension(box_)); }
  /// compute(integrand, box), without the interpreter's lock.
  template <class Compute>
  int released(Compute const& compute) {
    nb::gil_scoped_release const released;
    return compute(integrand_.get(), box_);
  }
  /// Throws what Python raised, or else the error of a call.
  void check(int returned) {
    if (call_.raised)
      std::rethrow_exception(std::exchange(call_.raised, nullptr));
    kubature::python::check(returned);
  }

private:
  Call call_;
  Owned<kubature_box> plain_;
  kubature_box const* box_;
  Owned<kubature_integrand> integrand_;
};

/// See list_of_peaks().
nb::list find_peaks(Problem& problem, std::int64_t evaluations, std::uint64_t seed) {
  return list_of_peaks(problem.dimension(), [&](auto... to) {
    problem.check(problem.released([&](auto const* integrand, auto const* box) {
      return kubature_find_peaks(integrand, box, evaluations, seed, to...);
    }));
  });
}

/// A kubature_evidence.
class Evidence {
public:
  /// See kubature_log_evidence().
  Evidence(Problem& problem, double error, std::int64_t search, std::int64_t samples, std::int64_t most, double seconds,
           std::uint64_t seed, bool keep)
      : dimension_(problem.dimension()) {
    kubature_evidence* pointer = nullptr;
    int const returned = problem.released([&](auto const* integrand, auto const* box) {
      return kubature_log_evidence(integrand, box, error, search, samples, most, seconds, seed, keep, &pointer);
    });
    evidence_.reset(pointer);
    problem.check(returned);
  }

  double get(int number) const {
    return kubature_evidence_get(evidence_.get(), static_cast<kubature_evidence_number>(number));
  }
  std::string status() const { return kubature_status_name(kubature_evidence_status(evidence_.get())); }
  std::string remarks() const { return kubature_evidence_remarks(evidence_.get()); }
  /// Fills arrays of d and d x d numbers.
  void moments(Numbers const& mean, Numbers const& covariance) const {
    check(kubature_evidence_moments(evidence_.get(), mean.data(), covariance.data()));
  }
  std::int64_t count() const {
    std::int64_t count = 0;
    check(kubature_evidence_samples(evidence_.get(), &count, nullptr, nullptr));
    return count;
  }
  /// Fills arrays of n x d and n numbers.
  void samples(Numbers const& points, Numbers const& log_weights) const {
    check(kubature_evidence_samples(evidence_.get(), nullptr, points.data(), log_weights.data()));
  }
  nb::list peaks() const {
    return list_of_peaks(dimension_, [&](std::int64_t most, auto... to) {
      check(kubature_evidence_peaks(evidence_.get(), most, to...));
    });
  }

private:
  std::size_t dimension_;
  Owned<kubature_evidence> evidence_;
};

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

  /// @param callback returns whether to continue
  nb::dict integrate(Problem& problem, nb::object const& callback) {
    Busy const busy(*this);
    problem.call().callback = callback;
    check(kubature_set_callback(integrator_.get(), report_progress, &problem.call()));
    kubature_result* pointer = nullptr;
    int const returned = problem.released([&](auto const* integrand, auto const* box) {
      return kubature_integrate(integrator_.get(), integrand, box, &pointer);
    });
    Owned<kubature_result> const result(pointer);
    kubature_set_callback(integrator_.get(), nullptr, nullptr);
    problem.check(returned);
    return to_dict(result.get());
  }

  /// Many integrals of a formula; see kubature_integrate_many().
  /// @param values     count x parameters
  /// @param lower      boxes x variables, as is upper
  /// @param callback   returns whether to continue
  /// @returns values, errors, names of statuses and the number of evaluations
  nb::tuple integrate_many(std::string const& formula, std::string const& variables, std::string const& parameters,
                           std::int64_t count, std::vector<double> const& values, std::int64_t boxes,
                           std::vector<double> const& lower, std::vector<double> const& upper,
                           nb::object const& callback) {
    Busy const busy(*this);
    Call call;
    call.callback = callback;
    check(kubature_set_callback(integrator_.get(), report_progress, &call));
    auto const size = static_cast<std::size_t>(count);
    std::vector<double> value(size), error(size);
    std::vector<kubature_status> status(size);
    std::int64_t evaluations = 0;
    int returned = 0;
    {
      nb::gil_scoped_release const released;
      returned =
          kubature_integrate_many(integrator_.get(), formula.c_str(), variables.c_str(),
                                  parameters.empty() ? nullptr : parameters.c_str(), count, values.data(), boxes,
                                  lower.data(), upper.data(), value.data(), error.data(), status.data(), &evaluations);
    }
    kubature_set_callback(integrator_.get(), nullptr, nullptr);
    if (call.raised)
      std::rethrow_exception(call.raised);
    check(returned);
    nb::list names;
    for (auto const each : status)
      names.append(kubature_status_name(each));
    return nb::make_tuple(value, error, names, evaluations);
  }

  /// The edges along each axis.
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
  /// @param edges equally many along each axis
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
  /// During a call, other threads and its own function may run Python, but must not use this integrator.
  class Busy {
  public:
    explicit Busy(Integrator& of) : of_(of) {
      if (of.busy_)
        throw std::runtime_error("this integrator is busy: other threads, and integrands, need one of their own");
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
  m.def("device", [] { return static_cast<int>(kubature_device(nullptr)); });
  m.def(
      "check_box", [](std::vector<double> const& lower, std::vector<double> const& upper) { make_box(lower, upper); },
      "lower"_a, "upper"_a);
  m.def("evaluate", &evaluate, "formula"_a, "variables"_a.none(), "points"_a, "values"_a);
  m.def("find_peaks", &find_peaks, "problem"_a, "evaluations"_a, "seed"_a);
  nb::class_<Evidence>(m, "Evidence")
      .def(nb::init<Problem&, double, std::int64_t, std::int64_t, std::int64_t, double, std::uint64_t, bool>(),
           "problem"_a, "error"_a, "search"_a, "samples"_a, "most"_a, "seconds"_a, "seed"_a, "keep"_a)
      .def("get", &Evidence::get, "number"_a)
      .def("status", &Evidence::status)
      .def("remarks", &Evidence::remarks)
      .def("moments", &Evidence::moments, "mean"_a, "covariance"_a)
      .def("count", &Evidence::count)
      .def("samples", &Evidence::samples, "points"_a, "log_weights"_a)
      .def("peaks", &Evidence::peaks);
  m.def("normal_quantiles", &normal_quantiles, "numbers"_a);
  m.def("path_matrix", &path_matrix, "covariance"_a, "by"_a);
  define_device_array(m);
  nb::class_<Domain>(m, "Domain")
      .def(nb::init<std::string const&, std::string const&>(), "text"_a, "breaks"_a)
      .def("dimension", &Domain::dimension)
      .def("inside", &Domain::inside, "part"_a);
  nb::class_<Problem>(m, "Problem")
      .def(nb::init<nb::object const&, int, std::int64_t, bool, bool, std::optional<std::string> const&,
                    std::vector<double> const&, std::vector<double> const&, Domain const*>(),
           "f"_a, "components"_a, "block"_a, "there"_a, "concurrent"_a, "variables"_a.none(), "lower"_a, "upper"_a,
           "domain"_a.none(), nb::keep_alive<1, 10>());
  nb::class_<Integrator>(m, "Integrator")
      .def(nb::init<std::string const&, std::optional<std::string> const&, std::optional<int>>(), "method"_a,
           "precision"_a.none(), "communicator"_a.none())
      .def("set", &Integrator::set, "option"_a, "value"_a)
      .def("get", &Integrator::get, "option"_a)
      .def("integrate", &Integrator::integrate, "problem"_a, "callback"_a)
      .def("integrate_many", &Integrator::integrate_many, "formula"_a, "variables"_a, "parameters"_a, "count"_a,
           "values"_a, "boxes"_a, "lower"_a, "upper"_a, "callback"_a)
      .def("map", &Integrator::map)
      .def("use", &Integrator::use, "edges"_a);
}

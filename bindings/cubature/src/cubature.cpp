#include <cubature.h>

#include "../../drop_in/handles.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace kubature::drop_in;

namespace {

enum Returned { met = 0, failed = 1, not_met = 2 };

/// The number of components that PAGANI integrates at once; more are integrated in groups of as many.
constexpr unsigned most = 32;

/// The function of a caller. What it throws is kept.
struct Function {
  integrand one;
  integrand_v many;
  void* data;
  unsigned components;
  unsigned first = 0; ///< of the group that is integrated
  std::vector<double> all = {};
  std::exception_ptr thrown = {};

  int operator()(std::int64_t n, int d, double const* x, double* values) const {
    auto const ndim = static_cast<unsigned>(d);
    if (many)
      return many(ndim, static_cast<std::size_t>(n), x, data, components, values);
    int returned = 0;
    for (std::int64_t k = 0; k < n && returned == 0; ++k)
      returned = one(ndim, x + k * d, data, components, values + k * components);
    return returned;
  }
};

int call(std::int64_t n, int d, double const* x, int components, double* values, void* user) {
  auto& f = *static_cast<Function*>(user);
  try {
    if (static_cast<unsigned>(components) == f.components)
      return f(n, d, x, values) ? failed : 0;
    f.all.resize(static_cast<std::size_t>(n) * f.components);
    if (f(n, d, x, f.all.data()))
      return failed;
    for (std::int64_t k = 0; k < n; ++k)
      std::copy_n(&f.all[k * f.components + f.first], components, values + k * components);
    return 0;
  } catch (...) {
    f.thrown = std::current_exception();
    return failed;
  }
}

bool finite(unsigned n, double const* v) {
  return std::all_of(v, v + n, [](double x) { return std::isfinite(x); });
}

struct Tolerance {
  double absolute, relative;
  error_norm norm;
};

double size_of(error_norm norm, unsigned n, double const* v) {
  double size = 0;
  for (unsigned i = 0; i < n; ++i) {
    auto const magnitude = std::abs(v[i]);
    size = norm == ERROR_L1     ? size + magnitude
           : norm == ERROR_LINF ? std::max(size, magnitude)
                                : std::hypot(size, magnitude);
  }
  return size;
}

bool within(Tolerance const& tolerance, unsigned components, double const* val, double const* err) {
  auto const norm = tolerance.norm;
  auto const together = norm == ERROR_INDIVIDUAL ? 1 : norm == ERROR_PAIRED ? 2 : components;
  for (unsigned first = 0; first < components; first += together) {
    auto const n = std::min(together, components - first);
    if (!(size_of(norm, n, err + first) <=
          std::max(tolerance.absolute, tolerance.relative * size_of(norm, n, val + first))))
      return false;
  }
  return true;
}

void set(Integrator const& integrator, char const* option, std::string const& value) {
  if (int const code = kubature_set_text(integrator.get(), option, value.c_str()))
    throw code;
}
void set(Integrator const& integrator, char const* option, double value) {
  if (int const code = kubature_set(integrator.get(), option, value))
    throw code;
}

/// An integrator for a call. Making one takes longer than a small integral, so a thread keeps those that its calls
/// leave. A call within an integrand gets another one.
class Borrowed {
public:
  Borrowed() {
    if (kept_.empty()) {
      integrator = make<Integrator>(kubature_integrator_create, "pagani", nullptr);
      set(integrator, "close_look", "false"); // thousands of evaluations, each a call of the function
    } else {
      integrator = std::move(kept_.back());
      kept_.pop_back();
    }
  }
  ~Borrowed() {
    if (small)
      kept_.push_back(std::move(integrator));
  }
  Borrowed(Borrowed const&) = delete;

  Integrator integrator;
  bool small = false; ///< whether it has little memory, which may be kept

private:
  static thread_local std::vector<Integrator> kept_;
};
thread_local std::vector<Integrator> Borrowed::kept_;

/// Integrates components first, first + 1, ... with at most `evaluations`, and no fewer than one region takes.
/// @returns the number of evaluations
std::size_t integrate_group(Function& f, unsigned count, Box const& box, std::size_t evaluations, Tolerance tolerance,
                            double* val, double* err) {
  static constexpr char const* norms[] = {"individual", "paired", "l2", "l1", "max"};
  auto const function = make<Integrand>(kubature_integrand_function, call, static_cast<int>(count), &f);
  Borrowed with;
  set(with.integrator, "error_norm", norms[tolerance.norm]);
  set(with.integrator, "absolute", tolerance.absolute);
  set(with.integrator, "relative", tolerance.relative);
  for (auto limit = evaluations;; limit *= 2) {
    set(with.integrator, "max_evaluations", limit ? std::to_string(limit) : "inf");
    auto const result = make<Result>(kubature_integrate, with.integrator.get(), function.get(), box.get());
    auto const used = static_cast<std::size_t>(kubature_result_evaluations(result.get()));
    if (used == 0 && kubature_result_status(result.get()) == KUBATURE_EVALUATION_LIMIT)
      continue;
    for (unsigned c = 0; c < count; ++c) {
      val[c] = kubature_result_value(result.get(), static_cast<int>(c));
      err[c] = kubature_result_error(result.get(), static_cast<int>(c));
    }
    with.small = used <= 1'000'000;
    return used;
  }
}

int integrate(Function& f, unsigned dim, double const* xmin, double const* xmax, std::size_t evaluations,
              Tolerance tolerance, double* val, double* err) {
  auto const components = f.components;
  if (components == 0)
    return met;
  if ((!f.one && !f.many) || !val || !err)
    return failed;
  if (components == 1)
    tolerance.norm = ERROR_INDIVIDUAL;
  if ((dim > 0 && (!xmin || !xmax)) || tolerance.norm < ERROR_INDIVIDUAL || tolerance.norm > ERROR_LINF)
    return failed;
  std::vector<double> lower, upper;
  double sign = 1;
  bool flat = false;
  for (unsigned i = 0; i < dim; ++i) {
    if (!std::isfinite(xmin[i]) || !std::isfinite(xmax[i]))
      return failed;
    lower.push_back(std::min(xmin[i], xmax[i]));
    upper.push_back(std::max(xmin[i], xmax[i]));
    flat = flat || xmin[i] == xmax[i];
    sign = xmin[i] > xmax[i] ? -sign : sign;
  }
  if (flat || dim == 0) {
    std::vector<double> values(components);
    if (call(1, static_cast<int>(dim), lower.data(), static_cast<int>(components), values.data(), &f))
      return failed;
    std::fill_n(val, components, 0.);
    std::fill_n(err, components, 0.);
    if (dim == 0)
      std::ranges::copy(values, val);
    return met;
  }

  auto const asked = [](double error) { return error > 0 ? std::min(error, DBL_MAX) : 0; };
  tolerance.absolute = asked(tolerance.absolute);
  tolerance.relative = asked(tolerance.relative);
  auto const groups = (components + most - 1) / most;
  auto part = tolerance;
  if (tolerance.norm == ERROR_L1)
    part.absolute /= groups;
  else if (tolerance.norm == ERROR_L2)
    part.absolute /= std::sqrt(groups);
  if (part.absolute == 0 && part.relative == 0)
    part.relative = DBL_MIN; // until rounding dominates
  auto const box = make<Box>(kubature_box_create, static_cast<int>(dim), lower.data(), upper.data());
  for (std::size_t left = evaluations, group = 0; group < groups; ++group) {
    f.first = static_cast<unsigned>(group) * most;
    auto const limit = evaluations ? std::max<std::size_t>(left / (groups - group), 1) : 0;
    auto const used =
        integrate_group(f, std::min(most, components - f.first), box, limit, part, val + f.first, err + f.first);
    left -= std::min(left, used);
  }
  for (unsigned c = 0; c < components; ++c)
    val[c] *= sign;
  if (!finite(components, val))
    return failed;
  return finite(components, err) && within(tolerance, components, val, err) ? met : not_met;
}

int cubature(Function f, unsigned dim, double const* xmin, double const* xmax, std::size_t evaluations,
             Tolerance const& tolerance, double* val, double* err) {
  int returned = failed;
  try {
    returned = integrate(f, dim, xmin, xmax, evaluations, tolerance, val, err);
  } catch (...) { // what kubature.h returned, or std::bad_alloc
  }
  if (f.thrown)
    std::rethrow_exception(f.thrown);
  if (returned == failed)
    for (auto* const numbers : {val, err})
      std::fill_n(numbers, numbers ? f.components : 0, std::numeric_limits<double>::quiet_NaN());
  return returned;
}

} // namespace

int hcubature(unsigned fdim, integrand f, void* fdata, unsigned dim, double const* xmin, double const* xmax,
              size_t maxEval, double reqAbsError, double reqRelError, error_norm norm, double* val, double* err) {
  return cubature({f, nullptr, fdata, fdim}, dim, xmin, xmax, maxEval, {reqAbsError, reqRelError, norm}, val, err);
}

int hcubature_v(unsigned fdim, integrand_v f, void* fdata, unsigned dim, double const* xmin, double const* xmax,
                size_t maxEval, double reqAbsError, double reqRelError, error_norm norm, double* val, double* err) {
  return cubature({nullptr, f, fdata, fdim}, dim, xmin, xmax, maxEval, {reqAbsError, reqRelError, norm}, val, err);
}

int pcubature(unsigned fdim, integrand f, void* fdata, unsigned dim, double const* xmin, double const* xmax,
              size_t maxEval, double reqAbsError, double reqRelError, error_norm norm, double* val, double* err) {
  return hcubature(fdim, f, fdata, dim, xmin, xmax, maxEval, reqAbsError, reqRelError, norm, val, err);
}

int pcubature_v(unsigned fdim, integrand_v f, void* fdata, unsigned dim, double const* xmin, double const* xmax,
                size_t maxEval, double reqAbsError, double reqRelError, error_norm norm, double* val, double* err) {
  return hcubature_v(fdim, f, fdata, dim, xmin, xmax, maxEval, reqAbsError, reqRelError, norm, val, err);
}

#include "handles.hpp"

#include <limits>
#include <span>

using namespace kubature;
using namespace kubature::c;

namespace {

template <Status same, kubature_status as>
constexpr bool same_status = static_cast<int>(same) == static_cast<int>(as);
static_assert(same_status<Status::converged, KUBATURE_CONVERGED> &&
              same_status<Status::completed, KUBATURE_COMPLETED> &&
              same_status<Status::evaluation_limit, KUBATURE_EVALUATION_LIMIT> &&
              same_status<Status::iteration_limit, KUBATURE_ITERATION_LIMIT> &&
              same_status<Status::time_limit, KUBATURE_TIME_LIMIT> &&
              same_status<Status::precision_limit, KUBATURE_PRECISION_LIMIT> &&
              same_status<Status::memory_exhausted, KUBATURE_MEMORY_EXHAUSTED> &&
              same_status<Status::non_finite, KUBATURE_NON_FINITE> &&
              same_status<Status::no_variance, KUBATURE_NO_VARIANCE> && same_status<Status::stopped, KUBATURE_STOPPED>);

/// These bindings name every member of a result's record: one that is added needs a function here, unless it is among
/// those that C lacks, non_finite_at and seed.
[[maybe_unused]] void every_member(CallRecord const& record) {
  [[maybe_unused]] auto const& [status, chi2, dof, correlations, evaluations, regions, non_finite, non_finite_at, k_hat,
                                seconds, method, backend, precision, seed, remarks] = record;
}

/// A property of a result, or `otherwise` if there is no such property.
template <class Value, class Get>
Value of(kubature_result const* result, Value otherwise, Get const& get) {
  return guarded(otherwise, [&]() -> Value { return get(given(result, "result").result); });
}

void check_component(runtime::SeveralResult const& result, int component) {
  require(component >= 0 && component < result.components(), "component", component,
          "the result has " + std::to_string(result.components()) + ", counted from 0");
}

template <class Get>
double of_component(kubature_result const* result, int component, Get const& get) {
  return of(result, std::numeric_limits<double>::quiet_NaN(), [&](runtime::SeveralResult const& r) {
    check_component(r, component);
    return get(r)[static_cast<std::size_t>(component)];
  });
}

/// Stores the number and the error that get(result) computes through the pointers.
template <class Get>
int with_error(kubature_result const* result, double* value, double* error, Get const& get) {
  return guarded([&] {
    ValueAndError const number = get(given(result, "result").result);
    if (value)
      *value = number.value;
    if (error)
      *error = number.error;
  });
}

template <class Range>
auto const& at(Range const& range, int i, std::string_view name) {
  require(i >= 0 && static_cast<std::size_t>(i) < range.size(), name, i,
          "there are " + std::to_string(range.size()) + ", counted from 0");
  return range[static_cast<std::size_t>(i)];
}

} // namespace

kubature_status kubature_result_status(kubature_result const* result) {
  return of(result, KUBATURE_STOPPED, [](auto const& r) { return static_cast<kubature_status>(r.status); });
}

char const* kubature_status_name(kubature_status status) {
  return guarded("", [&] {
    require(status >= KUBATURE_CONVERGED && status <= KUBATURE_STOPPED, "status", static_cast<int>(status),
            "there is no such status");
    return to_string(static_cast<Status>(status)).data(); // a literal
  });
}

int kubature_result_components(kubature_result const* result) {
  return of(result, 0, [](auto const& r) { return r.components(); });
}

double kubature_result_value(kubature_result const* result, int component) {
  return of_component(result, component, [](auto const& r) { return std::span(r.value); });
}

double kubature_result_error(kubature_result const* result, int component) {
  return of_component(result, component, [](auto const& r) { return std::span(r.error); });
}

int kubature_result_complex(kubature_result const* result, int k, double value[2], double error[2]) {
  return guarded([&] {
    auto const& of = given(result, "result").result;
    int const numbers = of.components() / 2;
    require(k >= 0 && k < numbers, "k", k, "there are " + std::to_string(numbers) + " complex numbers, counted from 0");
    auto const first = static_cast<std::size_t>(2 * k);
    for (std::size_t part : {0, 1}) {
      if (value)
        value[part] = of.value[first + part];
      if (error)
        error[part] = of.error[first + part];
    }
  });
}

double kubature_result_chi2_per_dof(kubature_result const* result, int component) {
  return of_component(result, component, [](auto const& r) { return std::span(r.chi2_per_dof); });
}

double kubature_result_q_value(kubature_result const* result, int component) {
  return of_component(result, component, [](auto const& r) { return std::span(r.q_value); });
}

double kubature_result_chi2(kubature_result const* result) {
  return of(result, std::numeric_limits<double>::quiet_NaN(), [](auto const& r) { return r.chi2; });
}

int kubature_result_dof(kubature_result const* result) {
  return of(result, 0, [](auto const& r) { return r.dof; });
}

double kubature_result_covariance(kubature_result const* result, int i, int j) {
  return of(result, std::numeric_limits<double>::quiet_NaN(), [&](auto const& r) { return r.covariance(i, j); });
}

int kubature_result_covariance_matrix(kubature_result const* result, double* matrix) {
  return guarded([&] {
    auto const& of = given(result, "result").result;
    given(matrix, "matrix");
    auto const components = of.error.size();
    require(of.has_covariance(), "Result.correlations", "none", "integrate with covariance = full");
    for (std::size_t j = 0; j < components; ++j) {
      matrix[j * components + j] = of.error[j] * of.error[j];
      for (std::size_t i = 0; i < j; ++i)
        matrix[i * components + j] = matrix[j * components + i] =
            of.correlations[j * (j - 1) / 2 + i] * of.error[i] * of.error[j];
    }
  });
}

int kubature_result_ratio(kubature_result const* result, int i, int j, double* value, double* error) {
  return with_error(result, value, error, [&](auto const& r) { return r.ratio(i, j); });
}

int kubature_result_linear(kubature_result const* result, double const* weights, double* value, double* error) {
  return with_error(result, value, error, [&](auto const& r) {
    return r.linear({&given(weights, "weights"), static_cast<std::size_t>(r.components())});
  });
}

int64_t kubature_result_evaluations(kubature_result const* result) {
  return of(result, int64_t{0}, [](auto const& r) { return static_cast<int64_t>(r.evaluations); });
}

int64_t kubature_result_regions(kubature_result const* result) {
  return of(result, int64_t{0}, [](auto const& r) { return static_cast<int64_t>(r.regions); });
}

int64_t kubature_result_non_finite(kubature_result const* result) {
  return of(result, int64_t{0}, [](auto const& r) { return static_cast<int64_t>(r.non_finite); });
}

double kubature_result_k_hat(kubature_result const* result) {
  return of(result, std::numeric_limits<double>::quiet_NaN(), [](auto const& r) { return r.k_hat; });
}

double kubature_result_seconds(kubature_result const* result) {
  return of(result, 0.0, [](auto const& r) { return r.seconds; });
}

char const* kubature_result_method(kubature_result const* result) {
  return of(result, "", [](auto const& r) { return r.method.c_str(); });
}

char const* kubature_result_precision(kubature_result const* result) {
  return of(result, "", [](auto const& r) { return r.precision.c_str(); });
}

char const* kubature_result_backend(kubature_result const* result) {
  return of(result, "", [](auto const& r) { return r.backend.c_str(); });
}

int kubature_result_iterations(kubature_result const* result) {
  return of(result, 0, [](auto const& r) { return static_cast<int>(r.iterations.size()); });
}

int kubature_result_iteration(kubature_result const* result, int i, int component, double* value, double* error,
                              int64_t* evaluations, int* included) {
  return guarded([&] {
    auto const& of = given(result, "result").result;
    auto const& iteration = at(of.iterations, i, "iteration");
    check_component(of, component);
    if (value)
      *value = iteration.value[static_cast<std::size_t>(component)];
    if (error)
      *error = iteration.error[static_cast<std::size_t>(component)];
    if (evaluations)
      *evaluations = static_cast<int64_t>(iteration.evaluations);
    if (included)
      *included = iteration.included ? 1 : 0;
  });
}

int kubature_result_remarks(kubature_result const* result) {
  return of(result, 0, [](auto const& r) { return static_cast<int>(r.remarks.size()); });
}

char const* kubature_result_remark(kubature_result const* result, int i) {
  return of(result, "", [&](auto const& r) { return at(r.remarks, i, "remark").c_str(); });
}

int kubature_result_parts(kubature_result const* result) {
  return guarded(0, [&] { return static_cast<int>(given(result, "result").choices.size()); });
}

int kubature_result_part(kubature_result const* result, int i, char const** name, char const** precision,
                         double* share) {
  return guarded([&] {
    auto const& choice = at(given(result, "result").choices, i, "part");
    if (name)
      *name = choice.name.c_str();
    if (precision)
      *precision = to_string(choice.format).data(); // a literal
    if (share)
      *share = choice.share;
  });
}

char const* kubature_result_text(kubature_result const* result) {
  return guarded("", [&] { return given(result, "result").text.c_str(); });
}

void kubature_result_destroy(kubature_result* result) { delete result; }

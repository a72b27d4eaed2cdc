#pragma once

#include "error.hpp"

#include <kubature.h>

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubature::python {

namespace nb = nanobind;

/// get(r, c) for all components.
template <class Get>
nb::list each(kubature_result const* r, Get const& get) {
  nb::list all;
  for (int c = 0; c < kubature_result_components(r); ++c)
    all.append(get(r, c));
  return all;
}

/// The covariance, by rows; None if it is not known.
inline nb::object covariance(kubature_result const* r) {
  auto const components = static_cast<std::size_t>(kubature_result_components(r));
  std::vector<double> matrix(components * components);
  if (kubature_result_covariance_matrix(r, matrix.data()) != 0)
    return nb::none();
  return nb::cast(matrix);
}

inline nb::dict to_dict(kubature_result const* r) {
  nb::dict all;
  all["value"] = each(r, kubature_result_value);
  all["error"] = each(r, kubature_result_error);
  all["status"] = kubature_status_name(kubature_result_status(r));
  all["chi2_per_dof"] = each(r, kubature_result_chi2_per_dof);
  all["q_value"] = each(r, kubature_result_q_value);
  all["chi2"] = kubature_result_chi2(r);
  all["dof"] = kubature_result_dof(r);
  all["covariance"] = covariance(r);
  all["evaluations"] = kubature_result_evaluations(r);
  nb::list iterations;
  for (int i = 0; i < kubature_result_iterations(r); ++i) {
    std::int64_t evaluations = 0;
    int included = 0;
    nb::list values, errors;
    for (int c = 0; c < kubature_result_components(r); ++c) {
      double value = 0, error = 0;
      check(kubature_result_iteration(r, i, c, &value, &error, &evaluations, &included));
      values.append(value);
      errors.append(error);
    }
    iterations.append(nb::make_tuple(values, errors, evaluations, included != 0));
  }
  all["iterations"] = iterations;
  all["regions"] = kubature_result_regions(r);
  all["non_finite"] = kubature_result_non_finite(r);
  all["k_hat"] = kubature_result_k_hat(r);
  all["seconds"] = kubature_result_seconds(r);
  all["method"] = kubature_result_method(r);
  all["precision"] = kubature_result_precision(r);
  all["backend"] = kubature_result_backend(r);
  nb::list parts;
  for (int i = 0; i < kubature_result_parts(r); ++i) {
    char const *name = nullptr, *precision = nullptr;
    double share = 0;
    check(kubature_result_part(r, i, &name, &precision, &share));
    parts.append(nb::make_tuple(name, precision, share));
  }
  all["parts"] = parts;
  nb::list remarks;
  for (int i = 0; i < kubature_result_remarks(r); ++i)
    remarks.append(kubature_result_remark(r, i));
  all["remarks"] = nb::tuple(remarks);
  all["text"] = kubature_result_text(r);
  return all;
}

} // namespace kubature::python

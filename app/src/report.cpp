#include "report.hpp"

#include "commands.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <limits>

namespace kubature::app {

int exit_status(Status status) {
  return status == Status::converged || status == Status::completed ? success : not_met;
}

namespace {

/// The keys common to the results of one integral and of several.
/// @param others further keys, placed between the estimate and the work
template <class Values>
Json common(ResultOf<Values> const& result, Json const& others) {
  // These bindings name every member, so that one that is added cannot be forgotten.
  auto const& [status, chi2, dof, correlations, evaluations, regions, non_finite, non_finite_at, k_hat, seconds, method,
               backend, precision, seed, remarks] = static_cast<CallRecord const&>(result);
  auto const& [value, error, chi2_per_dof, q_value, iterations] = static_cast<ResultNumbers<Values> const&>(result);
  Json json = {{"method", method}, {"backend", backend}, {"precision", precision},       {"status", to_string(status)},
               {"value", value},   {"error", error},     {"chi2_per_dof", chi2_per_dof}, {"q_value", q_value}};
  json.update(others);
  json.update({{"evaluations", evaluations},
               {"iterations", iterations.size()},
               {"regions", regions},
               {"non_finite", non_finite},
               {"k_hat", k_hat},
               {"seconds", seconds},
               {"seed", seed ? Json(*seed) : Json()},
               {"remarks", remarks}});
  return json;
}

} // namespace

Json to_json(Result<> const& result) { return common(result, Json::object()); }

ValueAndError ratio(SeveralResult const& result, int i, int j) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  return result.has_covariance() ? result.ratio(i, j) : ValueAndError{unknown, unknown};
}

Json to_json(SeveralResult const& result, std::vector<std::pair<int, int>> const& ratios) {
  Json covariance, of_pairs = Json::array();
  for (int i = 0; result.has_covariance() && i < result.components(); ++i) {
    Json row = Json::array();
    for (int j = 0; j < result.components(); ++j) { // as SeveralResult::covariance, for thousands of components at once
      double const correlation =
          i == j ? 1
                 : result.correlations[static_cast<std::size_t>(detail::pair_place(std::min(i, j), std::max(i, j)))];
      row.push_back(correlation *
                    (result.error[static_cast<std::size_t>(i)] * result.error[static_cast<std::size_t>(j)]));
    }
    covariance.push_back(row);
  }
  for (auto const& [i, j] : ratios) {
    auto const [value, error] = ratio(result, i, j);
    of_pairs.push_back({{"numerator", i + 1}, {"denominator", j + 1}, {"value", value}, {"error", error}});
  }
  Json const others = {{"chi2", result.chi2}, {"dof", result.dof}, {"covariance", covariance}, {"ratios", of_pairs}};
  return common(result, others);
}

Json to_json(std::vector<PrecisionChoice> const& choices) {
  Json list = Json::array();
  for (auto const& choice : choices)
    list.push_back({{"name", choice.name},
                    {"precision", to_string(choice.format)},
                    {"share", choice.share},
                    {"points", choice.points},
                    {"non_finite", choice.non_finite},
                    {"average", choice.average},
                    {"variance", choice.variance},
                    {"gradient", choice.gradient},
                    {"operations", choice.operations},
                    {"predicted", choice.predicted},
                    {"observed", choice.observed},
                    {"tolerance", choice.tolerance}});
  return list;
}

void print(Json const& json) { std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n'; }

} // namespace kubature::app

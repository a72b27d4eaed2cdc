#include "report.hpp"

#include "commands.hpp"

#include <iostream>

namespace kubature::app {

int exit_status(Status status) {
  return status == Status::converged || status == Status::completed ? success : not_met;
}

Json to_json(Result<> const& result) {
  return {{"method", result.method},
          {"backend", result.backend},
          {"precision", result.precision},
          {"status", to_string(result.status)},
          {"value", result.value},
          {"error", result.error},
          {"chi2_per_dof", result.chi2_per_dof},
          {"q_value", result.q_value},
          {"evaluations", result.evaluations},
          {"iterations", result.iterations.size()},
          {"regions", result.regions},
          {"non_finite", result.non_finite},
          {"seconds", result.seconds},
          {"seed", result.seed ? Json(*result.seed) : Json()}};
}

void print(Json const& json) { std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n'; }

} // namespace kubature::app

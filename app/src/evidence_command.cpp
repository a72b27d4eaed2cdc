#include "commands.hpp"

#include "arguments.hpp"
#include "expression_and_domain.hpp"
#include "processes.hpp"
#include "report.hpp"

#include <kubature/runtime/evidence.hpp>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace kubature::app {
namespace {

using Names = std::vector<std::string>;

double positive(std::string const& name, std::string const& text) {
  double value = 0;
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !(value > 0) || !std::isfinite(value))
    throw BadInput(name, text, "must be a positive number");
  return value;
}

double deviation(Evidence const& evidence, std::size_t i) {
  return std::sqrt(evidence.covariance[i * (evidence.mean.size() + 1)]);
}

/// Names, weights and points, comma-separated, one sample in each line.
void write_samples(std::string const& name, Evidence const& evidence, Names const& variables) {
  std::ofstream file(name);
  file << "weight";
  for (auto const& variable : variables)
    file << ',' << variable;
  file << '\n' << std::setprecision(17);
  auto const d = variables.size();
  for (std::size_t k = 0; k < evidence.log_weights.size(); ++k) {
    file << std::exp(evidence.log_weights[k]);
    for (std::size_t i = 0; i < d; ++i)
      file << ',' << evidence.points[k * d + i];
    file << '\n';
  }
  if (!file.flush())
    throw BadInput("--output", name, "cannot be written");
}

Json as_json(Evidence const& evidence, Names const& variables) {
  Json means = Json::object(), deviations = Json::object();
  for (std::size_t i = 0; i < evidence.mean.size(); ++i) {
    means[variables[i]] = evidence.mean[i];
    deviations[variables[i]] = deviation(evidence, i);
  }
  auto const number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  return {{"log_evidence", number(evidence.log_evidence)},
          {"error", number(evidence.error)},
          {"status", to_string(evidence.status)},
          {"mean", means},
          {"sdev", deviations},
          {"covariance", evidence.covariance},
          {"peaks", evidence.peaks.size()},
          {"q_value", number(evidence.q_value)},
          {"k_hat", number(evidence.k_hat)},
          {"effective", evidence.effective},
          {"evaluations", evidence.evaluations},
          {"seconds", evidence.seconds},
          {"remarks", evidence.remarks}};
}

void print_lines(Evidence const& evidence, Names const& variables) {
  std::cout << std::setprecision(10) << "log Z = " << evidence.log_evidence << std::setprecision(2) << " +- "
            << evidence.error << "  " << to_string(evidence.status) << ", " << evidence.peaks.size()
            << (evidence.peaks.size() == 1 ? " peak, " : " peaks, ") << evidence.evaluations << " evaluations\n";
  for (std::size_t i = 0; i < evidence.mean.size(); ++i)
    std::cout << variables[i] << " = " << std::setprecision(6) << evidence.mean[i] << " +- " << std::setprecision(3)
              << deviation(evidence, i) << '\n';
  for (auto const& remark : evidence.remarks)
    std::cout << "remark: " << remark << '\n';
  std::cout.flush();
}

} // namespace

int evidence_command(Options const& options) {
  auto const [expression, domain] = expression_and_domain<Expression>(options);
  EvidenceOptions how;
  Limits limits;
  std::pair<char const*, std::uint64_t*> const numbers[] = {{"search", &how.search},
                                                            {"samples", &how.samples},
                                                            {"seed", &how.seed},
                                                            {"max_evaluations", &limits.evaluations}};
  for (auto const& [name, number] : numbers)
    if (auto const given = options.given.find(name); given != options.given.end())
      *number = whole(flag(name), given->second);
  for (auto const& [name, number] : {std::pair("error", &how.error), std::pair("seconds", &limits.seconds)})
    if (auto const given = options.given.find(name); given != options.given.end())
      *number = positive(flag(name), given->second);
  how.keep = !options.output.empty();
  auto const box = domain ? domain->sides() : box_for(options, expression.dimension());
  auto const variables = domain ? domain->variables() : expression.variables();

  Kokkos::ScopeGuard const kokkos(kokkos_settings());
  auto const evidence = domain ? runtime::log_evidence(expression, *domain, how, limits)
                               : runtime::log_evidence(expression, box, how, limits);
  if (how.keep)
    write_samples(options.output, evidence, variables);
  if (options.json)
    print(as_json(evidence, variables));
  else
    print_lines(evidence, variables);
  return exit_status(evidence.status);
}

} // namespace kubature::app

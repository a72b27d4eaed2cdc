#include "commands.hpp"

#include "expression_and_domain.hpp"
#include "processes.hpp"
#include "progress_line.hpp"
#include "report.hpp"

#include <kubature/expression.hpp>
#include <kubature/expressions.hpp>
#include <kubature/histogram.hpp>
#include <kubature/runtime/integrator.hpp>

#include <iostream>

namespace kubature::app {
namespace {

/// For the integral, the keys that a result of one component has; for the bins, lists and a matrix.
Json as_json(SeveralResult const& result, Options const& options) {
  Json json = to_json(result, {}), bins;
  bins["observable"] = options.observable;
  bins["edges"] = options.bins.edges();
  for (auto const* key : {"value", "error"}) {
    bins[key] = json[key];
    bins[key].erase(0);
  }
  for (auto const* key : {"value", "error", "chi2_per_dof", "q_value"})
    json[key] = Json(json[key][0]);
  bins["covariance"] = json["covariance"];
  if (bins["covariance"].is_array()) {
    bins["covariance"].erase(0);
    for (auto& row : bins["covariance"])
      row.erase(0);
  }
  for (auto const* key : {"covariance", "ratios"})
    json.erase(key);
  json["histogram"] = bins;
  return json;
}

void print_lines(SeveralResult const& result, Bins const& bins) {
  std::cout << format(result.value[0], result.error[0]) << "  "
            << detail::describe(result, result.iterations.size(), result.chi2_per_dof[0]) << '\n';
  for (int b = 0; b < bins.count; ++b) {
    auto const place = static_cast<std::size_t>(b + 1);
    std::cout << "  " << bins.edge(b) << " to " << bins.edge(b + 1) << "  "
              << format(result.value[place], result.error[place]) << '\n';
  }
  for (auto const& remark : result.remarks)
    std::cout << "  " << remark << '\n';
}

} // namespace

int histogram_command(Options const& options) {
  if (options.components() > 1)
    throw BadInput("--histogram", options.observable, "a histogram takes a single expression");
  if (!options.map.empty() || options.explain || !options.ratios.empty())
    throw BadInput("--histogram", options.observable, "it cannot be combined with --map, --explain or --ratio");
  auto const [integrand, domain] = expression_and_domain<Expression>(options);
  auto const observable = Expression::parse(options.observable, integrand.variables());
  int const d = domain ? domain->sides().dimension() : integrand.dimension();
  if (d > max_dimension)
    throw BadInput("--histogram", options.observable,
                   "histograms are of up to 20 variables, and there are " + std::to_string(d));
  if (!domain && options.sides.size() != 1 && static_cast<int>(options.sides.size()) != d)
    throw BadInput("--box", options.typed.at("--box"),
                   std::to_string(options.sides.size()) + " sides for " + std::to_string(d) +
                       (d == 1 ? " variable" : " variables"));
  Box<dynamic> const box = domain ? domain->box() : Box<dynamic>(options.sides, d);
  auto const settings = options.settings(options.method_or_default());
  settings.check(d, processes().size());

  Kokkos::ScopeGuard const kokkos(kokkos_settings());
  ProgressLine line;
  Kokkos::DefaultExecutionSpace const exec;
  auto const f = histogram<dynamic>(integrand.on(exec), observable.on(exec), options.bins);
  runtime::Integrator integrator(exec, processes(), settings);
  runtime::BatchFunction const bins(f.f);
  auto const result = domain ? integrator.integrate(bins, f.count, *domain, watch(line))
                             : integrator.integrate(bins, f.count, box, watch(line));
  line.clear();
  if (options.json)
    print(as_json(result, options));
  else
    print_lines(result, options.bins);
  std::cout.flush();
  return exit_status(result.status);
}

} // namespace kubature::app

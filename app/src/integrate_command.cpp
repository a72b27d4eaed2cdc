#include "commands.hpp"

#include "expression_and_domain.hpp"
#include "processes.hpp"
#include "progress_line.hpp"
#include "report.hpp"

#include <kubature/runtime/integrator.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <unistd.h>
#include <utility>

namespace kubature::app {
namespace {

using runtime::MethodInfo;

std::string names_of(bool MethodInfo::* able) {
  std::string names;
  for (auto const& method : runtime::methods())
    if (method.*able)
      names += (names.empty() ? "" : ", ") + std::string(method.name);
  return names;
}

/// Refuses a file that the method cannot use and, before anything is computed, one that could not be written.
void check_file(std::string const& argument, std::string const& file, MethodInfo const& method,
                bool MethodInfo::* able) {
  if (file.empty() || processes().rank() > 0) // the first rank reads and writes files for all
    return;
  if (!(method.*able))
    throw BadInput(argument, file, std::string(method.name) + " does not use it; methods that do: " + names_of(able));
  std::error_code none;
  if (std::filesystem::is_directory(file, none))
    throw BadInput(argument, file, "this is a directory");
  auto const parent = std::filesystem::path(file).parent_path();
  if (access(parent.empty() ? "." : parent.c_str(), W_OK) != 0)
    throw BadInput(argument, file, std::string("cannot be written: ") + std::strerror(errno));
}

/// Whether a method whose options do not limit its work has a tolerance or a limit.
bool bounded(runtime::Settings const& settings) {
  auto const limits = settings.limits();
  return settings.tolerance().asked() || limits.seconds < Limits{}.seconds ||
         limits.evaluations < Limits{}.evaluations || limits.iterations < Limits{}.iterations;
}

/// The settings of a call; ratios require a covariance.
runtime::Settings settings_of(Options const& options, int expressions) {
  auto settings = options.settings(options.method_or_default());
  if (options.complex && !options.given.contains("error_norm") && settings.has("error_norm"))
    settings.set("error_norm", "paired");
  if (options.ratios.empty())
    return settings;
  auto const& text = options.typed.at("--ratio");
  for (auto const& [i, j] : options.ratios)
    if (std::max(i, j) >= expressions)
      throw BadInput("--ratio", text,
                     expressions == 1 ? "there is one expression; several are separated by semicolons"
                                      : "there are " + std::to_string(expressions) + " expressions");
  if (!options.given.contains("covariance") && settings.has("covariance"))
    settings.set("covariance", "full");
  else if (options.given.contains("covariance") && options.given.at("covariance") != "full")
    throw BadInput("--ratio", text, "its error needs --covariance full");
  return settings;
}

/// Refuses options of formulas that do not go together.
void check_formula(Options const& options) {
  if (!options.derivatives)
    return;
  if (options.complex)
    throw BadInput("--derivatives", "", "it cannot be combined with --complex");
  if (options.parameters.empty())
    throw BadInput("--derivatives", "", "name the parameters, such as --parameter a=3");
}

/// Adds the domain, the names of its variables and the number of its pieces.
Json with_domain(Json json, std::optional<FormulaDomain> const& domain) {
  if (domain)
    json.update({{"domain", domain->text()}, {"variables", domain->variables()}, {"pieces", domain->pieces()}});
  return json;
}

/// The result without the remarks that say why a method was chosen, unless they are wanted.
template <class AnyResult>
AnyResult without_reasons(AnyResult result, Options const& options) {
  if (!options.explain)
    std::erase_if(result.remarks, [](auto const& remark) { return remark.starts_with("auto: "); });
  return result;
}

void show(Options const& options, std::optional<FormulaDomain> const& domain, Result<> const& result,
          std::vector<PrecisionChoice> const& choices) {
  if (options.json) {
    Json json = with_domain(to_json(result), domain);
    if (!choices.empty() && options.explain)
      json["choices"] = to_json(choices);
    print(json);
  } else {
    std::cout << without_reasons(result, options) << '\n';
    if (!choices.empty() && options.explain)
      std::cout << std::span<PrecisionChoice const>(choices);
  }
}

/// Prints "0.84(1) + 0.46(2)i" for each pair of components, then what became of the call.
void print_complex(SeveralResult const& result) {
  for (std::size_t k = 0; k + 1 < result.value.size(); k += 2) {
    auto const imaginary = format(result.value[k + 1], result.error[k + 1]);
    bool const negative = imaginary.starts_with('-');
    std::cout << format(result.value[k], result.error[k]) << (negative ? " - " : " + ")
              << imaginary.substr(negative ? 1 : 0) << "i  ";
  }
  auto const worst = std::ranges::max(result.chi2_per_dof);
  std::cout << detail::describe(result, result.iterations.size(), worst) << '\n';
  for (auto const& remark : result.remarks)
    std::cout << "  " << remark << '\n';
}

void show(Options const& options, std::optional<FormulaDomain> const& domain, SeveralResult const& result,
          std::vector<PrecisionChoice> const&) {
  if (options.json) {
    Json json = with_domain(to_json(result, options.ratios), domain);
    if (auto const names = options.component_names(); !names.empty())
      json["components"] = names;
    return print(json);
  }
  auto const shown = without_reasons(result, options);
  if (options.complex)
    print_complex(shown);
  else
    std::cout << shown << '\n';
  for (auto const& [i, j] : options.ratios)
    std::cout << "  " << i + 1 << '/' << j + 1 << "  " << ratio(result, i, j) << '\n';
}

std::size_t iterations(Result<> const& result) { return result.iterations.size(); }
std::size_t iterations(SeveralResult const& result) { return result.iterations.size(); }

/// @tparam AnyExpression Expression or Expressions
template <class AnyExpression>
int integrate_as(Options const& options) {
  auto const [expression, domain] = expression_and_domain<AnyExpression>(options);
  int expressions = 1;
  if constexpr (requires { expression.size(); })
    expressions = expression.size();
  Box<dynamic_many> const box = domain ? domain->sides() : box_for(options, expression.dimension());
  int const d = box.dimension();
  auto const settings = settings_of(options, expressions);
  auto const& method = settings.method();
  settings.check(d, processes().size());
  if (method.open_ended && !bounded(settings))
    throw BadInput("--method", options.method,
                   "give --relative or --absolute, or a limit: --seconds, --max-evaluations or --iterations");
  auto const checkpoint = options.given.contains("checkpoint") ? options.given.at("checkpoint") : "";
  check_file("--map", options.map, method, &MethodInfo::maps);
  check_file("--checkpoint", checkpoint, method, &MethodInfo::checkpoints);
  if (!options.map.empty() && options.map == checkpoint)
    throw BadInput("--checkpoint", options.map, "the map needs a file of its own");
  if (options.explain && settings.precision().name != runtime::adaptive_name && method.name != "auto")
    throw BadInput("--explain", "", "there is nothing to explain but what auto and --precision adaptive choose");
  std::optional<VegasMap> map;
  if (!options.map.empty() && processes().any(processes().rank() == 0 && std::filesystem::exists(options.map)))
    map = VegasMap::load(processes(), options.map);

  Kokkos::ScopeGuard const kokkos(kokkos_settings());
  ProgressLine line;
  runtime::Integrator integrator({}, processes(), settings);
  if (map)
    integrator.use(*map);
  auto const result = domain ? integrator.integrate(expression, *domain, watch(line))
                             : integrator.integrate(expression, box, watch(line));
  line.clear();
  show(options, domain, result, integrator.choices());
  std::cout.flush();
  if (!options.map.empty() && iterations(result) > 0 && result.status != Status::non_finite)
    map = integrator.map();
  if (map && processes().rank() == 0)
    map->save(options.map);
  return exit_status(result.status);
}

} // namespace

int integrate_command(Options const& options) {
  check_formula(options);
  if (!options.observable.empty())
    return histogram_command(options);
  bool const several = options.components() > 1;
  return several ? integrate_as<Expressions>(options) : integrate_as<Expression>(options);
}

} // namespace kubature::app

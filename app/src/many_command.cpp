#include "commands.hpp"

#include "processes.hpp"
#include "progress_line.hpp"
#include "table.hpp"

#include <kubature/runtime/many.hpp>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <sstream>

namespace kubature::app {
namespace {

/// Whether a name occurs in a formula as a word.
bool mentions(std::string const& formula, std::string const& name) {
  auto const in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (auto at = formula.find(name); at != std::string::npos; at = formula.find(name, at + 1))
    if ((at == 0 || !in_word(formula[at - 1])) &&
        (at + name.size() == formula.size() || !in_word(formula[at + name.size()])))
      return !name.empty();
  return false;
}

std::vector<Box<dynamic>> boxes_of(Options const& options, Table const& table) {
  auto const& names = options.variables;
  if (options.sides.size() != 1 && options.sides.size() != names.size())
    throw BadInput("--box", options.typed.at("--box"),
                   std::to_string(options.sides.size()) + " sides for " + std::to_string(names.size()) + " variables");
  std::vector<Side> sides;
  bool in_table = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    sides.push_back(options.sides[options.sides.size() == 1 ? 0 : i]);
    in_table = in_table || table.has(names[i] + ".lower") || table.has(names[i] + ".upper");
  }
  auto const d = static_cast<int>(names.size());
  if (!in_table)
    return {Box<dynamic>(sides, d)};
  std::vector<Box<dynamic>> boxes;
  for (std::size_t k = 0; k < table.rows(); ++k) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (auto const column = names[i] + ".lower"; table.has(column))
        sides[i].lower = table.number(k, column);
      if (auto const column = names[i] + ".upper"; table.has(column))
        sides[i].upper = table.number(k, column);
    }
    boxes.emplace_back(sides, d);
  }
  return boxes;
}

/// The contents of a file, which the first rank reads for all.
std::string contents(std::string const& argument, std::string const& file) {
  std::ostringstream text;
  if (processes().rank() == 0) {
    std::ifstream in(file);
    if (!in)
      throw BadInput(argument, file, "there is no such file, or it cannot be read");
    text << in.rdbuf();
  }
  auto all = text.str();
  processes().broadcast(all);
  return all;
}

} // namespace

int many_command(Options const& options) {
  if (options.table.empty())
    throw BadInput("--table", "", "a file with the parameters of each integral is needed");
  if (options.variables.empty())
    throw BadInput("--vars", "", "the variables to integrate over must be named, such as --vars x,y");
  Table const table("--table", options.table, contents("--table", options.table));
  auto names = options.variables;
  for (auto const& column : table.columns())
    if (mentions(options.expression, column))
      names.push_back(column);
  auto const expression = Expression::parse(options.expression, names);
  std::vector<std::vector<double>> parameters(table.rows());
  for (std::size_t k = 0; k < table.rows(); ++k)
    for (std::size_t p = options.variables.size(); p < names.size(); ++p)
      parameters[k].push_back(table.number(k, names[p]));
  auto const settings = options.settings(options.method.empty() ? "pagani" : options.method);
  bool const asked = settings.tolerance().asked();
  if (settings.method().open_ended && !asked)
    throw BadInput("--relative", "",
                   "many integrals by " + std::string(settings.method().name) + " need --relative or --absolute");
  std::ofstream file;
  bool const to_file = !options.output.empty() && processes().rank() == 0;
  if (to_file) {
    file.open(options.output);
    if (!file)
      throw BadInput("--output", options.output, "cannot be written");
  }

  Kokkos::ScopeGuard const kokkos(kokkos_settings());
  ProgressLine line;
  auto const results = runtime::integrate_many(processes(), settings, expression,
                                               static_cast<int>(options.variables.size()), boxes_of(options, table),
                                               parameters, watch(line, std::to_string(table.rows()) + " integrals: "));
  line.clear();
  auto& out = to_file ? file : std::cout;
  if (to_file || options.output.empty())
    table.write(out, results);
  out.flush();
  if (!out)
    throw BadInput("--output", options.output, "cannot be written");
  auto const wanted = asked ? Status::converged : Status::completed;
  auto const met = static_cast<std::size_t>(std::ranges::count(results.status, wanted));
  if (!options.output.empty())
    std::cout << met << " of " << results.size() << " integrals " << to_string(wanted) << ", " << results.evaluations
              << " evaluations, " << results.seconds << " s\n";
  return met == results.size() ? success : not_met;
}

} // namespace kubature::app

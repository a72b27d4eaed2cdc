#include "commands.hpp"

#include "processes.hpp"
#include "progress_line.hpp"
#include "table.hpp"

#include <kubature/expressions.hpp>
#include <kubature/result.hpp>
#include <kubature/runtime/many.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>
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
                   std::to_string(options.sides.size()) + " sides for " + std::to_string(names.size()) +
                       (names.size() == 1 ? " variable" : " variables"));
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

/// The contents of a file, or of standard input for "-", which the first rank reads for all.
std::string contents(std::string const& argument, std::string const& file) {
  std::ostringstream text;
  if (processes().rank() == 0 && file == "-") {
    text << std::cin.rdbuf();
  } else if (processes().rank() == 0) {
    std::ifstream in(file);
    if (!in)
      throw BadInput(argument, file, "there is no such file, or it cannot be read");
    text << in.rdbuf();
  }
  auto all = text.str();
  processes().broadcast(all);
  return all;
}

/// The formulas of a text, each with the definitions of names before it.
std::vector<std::string> formulas(std::string const& text) {
  std::vector<std::string> statements(1), all;
  char quote = 0;
  for (char const c : text) {
    quote = quote == c ? 0 : quote == 0 && (c == '"' || c == '\'') ? c : quote;
    if (c == ';' && quote == 0)
      statements.emplace_back();
    else
      statements.back() += c;
  }
  std::string names;
  for (auto const& statement : statements) {
    auto const begin = statement.find_first_not_of(" \t\r\n");
    if (begin == statement.npos)
      continue;
    if (mentions(statement.substr(begin, 4), "let"))
      names += statement + ';';
    else
      all.push_back(names + statement);
  }
  return all;
}

/// The settings: `auto` unless an option is given that it lacks, to 1e-6 where no tolerance is given.
runtime::Settings settings_of_many(Options const& options) {
  runtime::Settings const chosen("auto");
  bool const suits = std::ranges::all_of(options.given, [&](auto const& each) { return chosen.has(each.first); });
  std::string_view const method = !options.method.empty() ? options.method : suits ? "auto" : "pagani";
  auto settings = options.settings(method);
  if (settings.method().open_ended && !settings.tolerance().asked())
    settings.set("relative", runtime::auto_relative);
  if (settings.own_tolerance()) // each of the integrals may take as long as it needs
    settings.set("relative", runtime::auto_relative);
  return settings;
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
  static_cast<void>(Expressions::parse(options.expression, names)); // so that errors have columns of the whole text
  std::vector<std::vector<double>> parameters(table.rows());
  for (std::size_t k = 0; k < table.rows(); ++k)
    for (std::size_t p = options.variables.size(); p < names.size(); ++p)
      parameters[k].push_back(table.number(k, names[p]));
  auto const settings = settings_of_many(options);
  std::ofstream file;
  bool const to_file = !options.output.empty() && processes().rank() == 0;
  if (to_file) {
    file.open(options.output);
    if (!file)
      throw BadInput("--output", options.output, "cannot be written");
  }

  Kokkos::ScopeGuard const kokkos(kokkos_settings());
  ProgressLine line;
  auto const boxes = boxes_of(options, table);
  auto const shown = watch(line, std::to_string(table.rows()) + " integrals: ");
  std::vector<ManyResults<>> results;
  for (auto const& formula : formulas(options.expression))
    results.push_back(runtime::integrate_many(processes(), settings, Expression::parse(formula, names),
                                              static_cast<int>(options.variables.size()), boxes, parameters, shown));
  line.clear();
  auto& out = to_file ? file : std::cout;
  if (to_file || options.output.empty())
    table.write(out, results, options.json);
  out.flush();
  if (!out)
    throw BadInput("--output", options.output, "cannot be written");
  auto const wanted = settings.tolerance().asked() ? Status::converged : Status::completed;
  std::uint64_t met = 0, all = 0, evaluations = 0;
  double seconds = 0;
  for (auto const& result : results) {
    met += static_cast<std::uint64_t>(std::ranges::count(result.status, wanted));
    all += result.size();
    evaluations += result.evaluations;
    seconds += result.seconds;
  }
  using detail::text_of_count;
  if (!options.output.empty())
    std::cout << text_of_count(met) << " of " << text_of_count(all) << (all == 1 ? " integral " : " integrals ")
              << to_string(wanted) << ", " << text_of_count(evaluations) << " evaluations, "
              << detail::text_of_seconds(seconds) << '\n';
  return met == all ? success : not_met;
}

} // namespace kubature::app

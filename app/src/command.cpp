#include "command.hpp"

#include "arguments.hpp"
#include "option_text.hpp"

#include <algorithm>
#include <tuple>

namespace kubature::app {
namespace {

std::vector<std::string_view> views(std::vector<std::string> const& texts) { return {texts.begin(), texts.end()}; }

} // namespace

Command::Command(CLI::App& program, Options& options, std::string const& name, std::string const& summary)
    : app_(*program.add_subcommand(name, summary)), options_(options) {
  app_.allow_extras(); // reported below, with the argument's name
  app_.add_flag("--json", options.json, "Print JSON");
}

void Command::add(std::string const& name, std::string const& type, std::string const& summary, Read const& read) {
  auto const on_text = [this, name, read](std::string const& text) {
    options_.typed[name] = text;
    read(name, text);
  };
  app_.add_option_function<std::string>(name, on_text, summary)->type_name(type);
}

void Command::add_expression(std::string const& summary) {
  add("EXPR", "", summary, [this](auto&, auto& text) { options_.expression = text; });
}

void Command::add_box(std::string const& more) {
  add("--box", "SIDES",
      "lower:upper[,lower:upper...], one side for all variables or one for each; by default 0:1. Or "
      "x=lower:upper[,y=lower:upper...], which names the variables" +
          more,
      [this](auto&, auto& text) {
        if (names_sides(text) || text.find('~') != text.npos)
          options_.domain = text;
        else
          options_.sides = box(text);
      });
}

void Command::add_variables() {
  add("--vars", "NAMES", "Names of the variables, a,b,c; by default x1..x1024, or x,y,z,w,v,u,t,s",
      [this](auto&, auto& text) { options_.variables = split(text, ','); });
  add("--parameter", "NAME=X,...", "Names in the expression that stand for numbers, a=3,b=pi/2",
      [this](auto& name, auto& text) { options_.parameters = parameters(name, text); });
}

void Command::add_option(std::string const& option, std::string const& summary) {
  add_setting(flag(option), runtime::find_option(option), summary);
}

void Command::refuse(std::string const& name, std::string const& problem) {
  add(name, "", "", [problem](auto& typed, auto& text) { throw BadInput(typed, text, problem); });
  app_.get_option(name)->group(""); // not in the help
}

void Command::add_method(std::string const& usual) {
  add("--method", "METHOD", "See `kubature list`; by default " + usual,
      [&](auto&, auto& text) { options_.method = runtime::find_method(text).name; });
  add("--precision", "PRECISION", "See `kubature list`; by default fp64",
      [&](auto&, auto& text) { options_.precision = runtime::find_precision(text).name; });
}

void Command::add_settings(bool files) {
  settings_ = true;
  auto const& method = options_.help_of;
  for (auto const& option : runtime::options()) {
    if ((option.name.starts_with("checkpoint") && !files) || !has(method, option))
      continue;
    for (auto const& name : flags(option, method))
      if (option.kind == runtime::Kind::flag)
        add_flag(name, option);
      else
        add_setting(name, option, help(option, method));
    if (option.name == "relative")
      add_setting("--tolerance", option, "The same as --relative");
  }
}

void Command::add_policies() {
  add("--policy", "NAME=VALUE,...", "Constants by which methods decide, for studies: see `kubature policies`",
      [&](auto&, auto& text) { options_.policies = text; });
}

void Command::add_explanation() {
  app_.add_flag("--explain", options_.explain,
                "Print why auto took its method and, with --precision adaptive, what precisions were chosen");
}

void Command::add_complex() {
  app_.add_flag("--complex", options_.complex,
                "The expression is complex: it may contain i, re(), im(), conj() and arg()");
}

void Command::add_derivatives() {
  app_.add_flag("--derivatives", options_.derivatives,
                "Integrate the derivatives with respect to each --parameter as well, on the same points");
}

void Command::add_ratios() {
  if (!has(options_.help_of, runtime::find_option("covariance")))
    return;
  add("--ratio", "I/J", "Print the ratio of expressions I and J with its error; 1/2,3/2 for several",
      [&](auto& name, auto& text) { options_.ratios = ratios(name, text); });
}

void Command::add_histogram() {
  add("--histogram", "OBS:LOWER:UPPER:BINS",
      "Print the parts of the integral where an observable, an expression, falls in each of some bins, with errors",
      [&](auto& name, auto& text) { std::tie(options_.observable, options_.bins) = histogram(name, text); });
}

void Command::add_map() {
  if (!options_.help_of.empty() && !runtime::find_method(options_.help_of).maps)
    return;
  add("--map", "FILE",
      "Start from the map in this file, if there is one, and leave the trained map there (mcubes, vegas+)",
      [&](auto& name, auto& text) { options_.map = file(name, text); });
}

void Command::take_expression() {
  auto const rest = left_over();
  if (options_.expression.empty() && rest.size() == 1 && rest[0].starts_with('-') && !rest[0].starts_with("--")) {
    options_.expression = options_.typed["EXPR"] = rest[0];
    return;
  }
  refuse_rest();
  if (options_.expression.empty())
    throw BadInput("EXPR", options_.expression, "an expression is needed, such as \"exp(-x*y)\"");
}

void Command::refuse_rest() const {
  auto const rest = left_over();
  auto const option = std::find_if(rest.begin(), rest.end(), [](auto& text) { return text.starts_with('-'); });
  if (option != rest.end())
    refuse_option(*option);
  if (!rest.empty())
    throw BadInput(rest[0], "", "too many arguments");
}

/// Names the option that is probably meant, and those of the method.
void Command::refuse_option(std::string const& text) const {
  auto const name = text.substr(0, text.find('='));
  std::string const method = options_.method.empty() ? "auto" : options_.method;
  std::vector<std::string> all, own;
  for (auto const* option : app_.get_options([](auto const* each) { return !each->get_positional(); }))
    all.push_back(option->get_name());
  for (auto const& option : runtime::options())
    for (auto const& each : flags(option)) {
      if (settings_ && has(method, option))
        own.push_back(each);
      else if (settings_)
        std::erase(all, each);
    }
  auto const meant = runtime::likely(name, {views(all)});
  std::string problem = "no such option";
  if (!meant.empty())
    problem += "; did you mean " + std::string(meant) + "?";
  if (settings_)
    problem += (meant.empty() ? "; the" : " The") + (" options of " + method) + " are " + joined(views(own), ", ");
  problem += (meant.empty() || settings_ ? "; see" : " See") + (" kubature " + app_.get_name()) + " --help";
  throw BadInput(text, "", problem);
}

void Command::add_setting(std::string const& name, runtime::OptionInfo const& option, std::string const& summary) {
  add(name, placeholder(option, options_.help_of), summary, [this, &option](auto& argument, auto& text) {
    if (option.kind == runtime::Kind::file)
      file(argument, text);
    check_option(argument, option, text);
    options_.given[std::string(option.name)] = text;
  });
}

void Command::add_flag(std::string const& name, runtime::OptionInfo const& option) {
  bool const on = name == flag(option.name);
  auto const text = help(option, options_.help_of);
  app_.add_flag_callback(
      name, [this, &option, on] { options_.given[std::string(option.name)] = on ? "true" : "false"; },
      on ? text : "Turn off " + in_a_sentence(text));
}

std::vector<std::string> Command::left_over() const {
  auto rest = app_.remaining();
  std::erase(rest, "--");
  return rest;
}

} // namespace kubature::app

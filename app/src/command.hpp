#pragma once

#include "options.hpp"

#include <kubature/runtime/options.hpp>

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kubature::app {

/// The options of one command. Each option is read by a function that gets its text.
class Command {
public:
  using Read = std::function<void(std::string const& name, std::string const& text)>;

  Command(CLI::App& program, Options& options, std::string const& name, std::string const& summary);

  void add(std::string const& name, std::string const& type, std::string const& summary, Read const& read);
  void add_expression(std::string const& summary);
  /// @param more what sides with names may have besides constant bounds
  void add_box(std::string const& more);
  /// The names of variables and of parameters.
  void add_variables();
  /// An option of methods.
  void add_option(std::string const& option, std::string const& summary);
  /// An argument that other commands have.
  void refuse(std::string const& name, std::string const& problem);
  /// @param usual what is done if no method is named
  void add_method(std::string const& usual);
  /// The options of all methods, or of the one that --help names, tolerances and limits.
  void add_settings(bool files);
  void add_policies();
  void add_explanation();
  void add_complex();
  void add_derivatives();
  void add_ratios();
  void add_histogram();
  void add_map();

  /// Adds text below the options in the help.
  void explain(std::string const& text) { app_.footer(text); }

  bool given() const { return app_.parsed(); }

  /// Handles leftover arguments: an expression that begins with a minus sign looks like an option.
  void take_expression();
  void refuse_rest() const;

private:
  void add_setting(std::string const& name, runtime::OptionInfo const& option, std::string const& summary);
  void add_flag(std::string const& name, runtime::OptionInfo const& option);
  std::vector<std::string> left_over() const;
  [[noreturn]] void refuse_option(std::string const& text) const;

  CLI::App& app_;
  Options& options_;
  bool settings_ = false; ///< whether it has the options of methods
};

} // namespace kubature::app

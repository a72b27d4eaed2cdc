#include "fuzz.hpp"

#include "command_line.hpp"
#include "commands.hpp"

#include <kubature/runtime/options.hpp>

#include <cmath>
#include <iostream>
#include <sstream>
#include <vector>

/// The command line, with any arguments, separated by ends of lines. Whatever they are, they are understood, or refused
/// by a BadInput that names what is wrong. The commands themselves are not part of this program.
namespace kubature::app {

int integrate_command(Options const&) { return success; }
int many_command(Options const&) { return success; }
int suite_command(Options const&) { return success; }
int list_command(Options const&) { return success; }
int info_command(Options const&) { return success; }
int policies_command(Options const&) { return success; }

} // namespace kubature::app

namespace {

using kubature::fuzz::expect;

/// Whether a method takes the value.
bool taken(std::string const& option, std::string const& value) {
  for (auto const& use : kubature::runtime::find_option(option).uses) {
    try {
      kubature::runtime::Settings(use.method).set(option, value);
      return true;
    } catch (kubature::InvalidArgument const&) {
    }
  }
  return false;
}

void check(kubature::app::Options const& options) {
  for (auto const& [option, value] : options.given)
    expect(taken(option, value), "a value that no method takes");
  for (auto const& method : kubature::runtime::methods()) {
    try {
      auto const settings = options.settings(method.name);
      auto const tolerance = settings.tolerance();
      expect(tolerance.relative >= 0 && std::isfinite(tolerance.relative), "a tolerance out of range");
      expect(tolerance.absolute >= 0 && std::isfinite(tolerance.absolute), "a tolerance out of range");
      expect(settings.limits().seconds > 0, "no time");
    } catch (kubature::InvalidArgument const&) { // a value for another method
    }
  }
  expect(!options.sides.empty(), "no side");
  for (auto const& side : options.sides)
    expect(side.lower < side.upper, "a side that is none");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::vector<std::string> arguments{"kubature", ""};
  for (char const c : kubature::fuzz::text(data, size)) {
    if (c == '\n')
      arguments.emplace_back();
    else if (c != '\0') // where the operating system ends an argument
      arguments.back() += c;
  }
  std::vector<char*> argv;
  for (auto& argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);

  std::ostringstream help;
  auto* const out = std::cout.rdbuf(help.rdbuf());
  std::string refused;
  try {
    auto const request = kubature::app::read_command_line(static_cast<int>(arguments.size()), argv.data());
    expect(request.has_value() == help.str().empty(), "help and a request, or neither");
    if (request) {
      expect(request->command, "no command");
      check(request->options);
    }
  } catch (kubature::app::BadInput const& error) {
    refused = error.what();
    expect(!refused.empty(), "a refusal without a word");
  }
  std::cout.rdbuf(out);
  return 0;
}

#include "fuzz.hpp"

#include "command_line.hpp"
#include "commands.hpp"
#include "precisions.hpp"

#include <cmath>
#include <iostream>
#include <sstream>
#include <vector>

/// The command line, of any arguments; an end of line separates two. Whatever they are, they are understood or refused
/// by a BadInput that names what is wrong. The commands themselves are not part of this program, and precisions are
/// names only.
namespace kubature::app {

int integrate_command(Options const&) { return success; }
int suite_command(Options const&) { return success; }
int list_command(Options const&) { return success; }
int info_command(Options const&) { return success; }

PrecisionInfo const& find_precision(std::string_view name) {
  static PrecisionInfo const all[] = {{"fp64", "", nullptr, nullptr}, {adaptive_name, "", nullptr, nullptr}};
  for (auto const& precision : all)
    if (precision.name == name)
      return precision;
  throw BadInput("--precision", std::string(name), "no such precision");
}

} // namespace kubature::app

namespace {

using kubature::fuzz::expect;

void check(kubature::app::Options const& options) {
  auto const& with = options.with;
  for (double const number : {with.tolerance.relative, with.tolerance.absolute, with.checkpoint.seconds,
                              with.alpha.value_or(0), with.beta.value_or(0), with.redistribute.value_or(0)})
    expect(number >= 0 && std::isfinite(number), "a number out of range");
  for (int const number :
       {with.iterations.value_or(1), with.bins.value_or(1), with.skip.value_or(0) + 1, with.adapt.value_or(0) + 1})
    expect(number >= 1, "a whole number out of range");
  expect(with.limits.seconds > 0, "no time");
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

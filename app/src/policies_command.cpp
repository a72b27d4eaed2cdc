#include "commands.hpp"

#include "report.hpp"

#include <kubature/detail/policies/policy.hpp>
#include <kubature/error.hpp>

#include <algorithm>
#include <iomanip>
#include <iostream>

namespace kubature::app {
namespace {

std::vector<detail::PolicyConstant> constants_of(std::string const& method) {
  try {
    return detail::policy_constants(method);
  } catch (InvalidArgument const& refused) {
    throw BadInput("METHOD", refused.value(), refused.problem());
  }
}

} // namespace

void use_policies(Options const& options) {
  try {
    if (!options.policies.empty())
      detail::set_policies(options.policies);
  } catch (InvalidArgument const& refused) {
    auto const& value = refused.value();
    throw BadInput("--policy", refused.argument() + (value.empty() ? "" : "=" + value), refused.problem());
  }
}

int policies_command(Options const& options) {
  auto const constants = constants_of(options.policy_of);
  if (options.json) {
    auto list = Json::array();
    for (auto const& one : constants)
      list.push_back({{"name", one.name},
                      {"value", one.value},
                      {"default", one.initial},
                      {"docs", one.docs},
                      {"study", one.study}});
    print({{"constants", list}});
    return success;
  }
  std::size_t names = 0, values = 0, sections = 0;
  auto const value = [](auto const& one) {
    return one.value == one.initial ? one.value : one.value + " (" + one.initial + ')';
  };
  for (auto const& one : constants) {
    names = std::max(names, one.name.size());
    values = std::max(values, value(one).size());
    sections = std::max(sections, one.docs.size());
  }
  auto const column = [](std::string const& text, std::size_t width) {
    std::cout << std::left << std::setw(static_cast<int>(width) + 2) << text;
  };
  for (auto const& one : constants) {
    column(one.name, names);
    column(value(one), values);
    column(one.docs, sections);
    std::cout << one.study << '\n';
  }
  return success;
}

} // namespace kubature::app

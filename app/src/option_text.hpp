#pragma once

#include <kubature/runtime/options.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubature::app {

/// The words with a separator between them.
std::string joined(std::vector<std::string_view> const& words, std::string_view separator);

/// The name of an option's value in the help; a choice has those of the method, or of all.
std::string placeholder(runtime::OptionInfo const& option, std::string_view method = {});

/// A sentence as part of another one.
std::string in_a_sentence(std::string_view words);

/// "Damping of the map's refinement, by default 0.75 (vegas+), 1.5 (mcubes, mcubes-1d)": the meaning of the option, and
/// its defaults by method.
/// @param method the only one to speak of; empty: all that have it
std::string help(runtime::OptionInfo const& option, std::string_view method = {});

/// Whether a method has it; any method has, if none is named.
bool has(std::string_view method, runtime::OptionInfo const& option);

/// The flags that set an option: `--seed`, or `--restratify` and `--no-restratify`.
std::vector<std::string> flags(runtime::OptionInfo const& option, std::string_view method = {});

/// Throws BadInput for a value that no method accepts.
void check_option(std::string const& argument, runtime::OptionInfo const& option, std::string const& text);

} // namespace kubature::app

#pragma once

#include <kubature/precision_choice.hpp>
#include <kubature/result.hpp>

#include <nlohmann/json.hpp>

namespace kubature::app {

using Json = nlohmann::ordered_json;

/// The exit status that a result means.
int exit_status(Status status);

/// A result as JSON: numbers that are NaN or infinite become null.
Json to_json(Result<> const& result);

/// What was chosen, a list.
Json to_json(std::vector<PrecisionChoice> const& choices);

/// Prints with an indentation of two.
void print(Json const& json);

} // namespace kubature::app

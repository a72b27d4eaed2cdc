#pragma once

#include <kubature/result.hpp>

#include <nlohmann/json.hpp>

namespace kubature::app {

using Json = nlohmann::ordered_json;

/// The exit status that a result means.
int exit_status(Status status);

/// A result as JSON: numbers that are NaN or infinite become null.
Json to_json(Result<> const& result);

/// Prints with an indentation of two.
void print(Json const& json);

} // namespace kubature::app

#pragma once

#include <kubature/precision_choice.hpp>
#include <kubature/result.hpp>
#include <kubature/runtime/several.hpp>

#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

namespace kubature::app {

using Json = nlohmann::ordered_json;

/// The exit status that a result means.
int exit_status(Status status);

/// A result as JSON: numbers that are NaN or infinite become null.
Json to_json(Result<> const& result);

/// The ratio of two expressions; NaN where no iteration was done.
ValueAndError ratio(runtime::SeveralResult const& result, int i, int j);

/// The same of several expressions: what is of each is a list, covariances are a matrix, or null, and ratios a list.
Json to_json(runtime::SeveralResult const& result, std::vector<std::pair<int, int>> const& ratios);

/// What was chosen, a list.
Json to_json(std::vector<PrecisionChoice> const& choices);

/// Prints with an indentation of two.
void print(Json const& json);

} // namespace kubature::app

#pragma once

#include <kubature/precision_choice.hpp>
#include <kubature/result.hpp>
#include <kubature/several_result.hpp>

#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

namespace kubature::app {

using Json = nlohmann::ordered_json;

/// The exit status for the status of a result.
int exit_status(Status status);

/// A result as JSON; NaN and infinite numbers become null.
Json to_json(Result<> const& result);

/// The ratio of two expressions; NaN if no iteration was done.
ValueAndError ratio(SeveralResult const& result, int i, int j);

/// As above, for several expressions: their properties are lists, the covariance is a matrix or null, ratios are a
/// list.
Json to_json(SeveralResult const& result, std::vector<std::pair<int, int>> const& ratios);

/// The choices, as a list.
Json to_json(std::vector<PrecisionChoice> const& choices);

/// Prints with an indentation of two spaces.
void print(Json const& json);

} // namespace kubature::app

#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace kubature::perf {

/// What every study's record begins with: time, machine, backend, versions, compiler and source state.
nlohmann::ordered_json record(std::string const& study);

/// The median; of an even number of values the mean of the middle two.
double median(std::vector<double> values);

/// Writes the record to the file, or to standard output for "-".
void write(nlohmann::ordered_json const& record, std::string const& file);

} // namespace kubature::perf

#pragma once

#include "options.hpp"

#include <kubature/expression.hpp>
#include <kubature/progress.hpp>
#include <kubature/suite/entry.hpp>
#include <kubature/vegas_map.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace kubature::app {

/// A reference integral, ready to be computed.
struct Job {
  suite::Entry entry;
  std::function<Result<>(std::string_view method, MethodOptions const&, Callback const&)> run;
};

/// A precision of the program, and what is compiled for it.
struct PrecisionInfo {
  std::string_view name, summary;
  Result<> (*integrate)(std::string_view method, MethodOptions const&, Expression const&, Box<dynamic> const&,
                        Callback const&, std::optional<VegasMap>* map);
  std::vector<Job> (*suite)();
};

/// All precisions; the first is the default.
std::span<PrecisionInfo const> precisions();

/// The precision of that name; throws BadInput.
PrecisionInfo const& find_precision(std::string_view name);

} // namespace kubature::app

#pragma once

#include "options.hpp"

#include <kubature/expression.hpp>
#include <kubature/precision_choice.hpp>
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

/// What a call takes and leaves besides its result.
struct Kept {
  /// Whether to start from the map that is there, and to leave the one that was trained.
  bool keep_map = false;
  std::optional<VegasMap> map;
  /// What the policy adaptive chose, and why.
  std::vector<PrecisionChoice> choices;
};

/// A precision of the program, and what is compiled for it.
struct PrecisionInfo {
  std::string_view name, summary;
  Result<> (*integrate)(std::string_view method, MethodOptions const&, Expression const&, Box<dynamic> const&,
                        Callback const&, Kept& kept);
  std::vector<Job> (*suite)();
};

/// All precisions; the first is the default.
std::span<PrecisionInfo const> precisions();

/// The precision of that name; throws BadInput.
PrecisionInfo const& find_precision(std::string_view name);

/// The precision in which a method chooses its own.
inline constexpr std::string_view adaptive_name = "adaptive";

/// The precision that the user names; adaptive for the method mixed, which takes no other. Throws BadInput.
PrecisionInfo const& precision_for(Options const& options, std::string_view method);

} // namespace kubature::app

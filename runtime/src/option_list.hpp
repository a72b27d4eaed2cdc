#pragma once

#include <kubature/options.hpp>
#include <kubature/runtime/detail/methods.hpp>

#include <limits>
#include <string_view>
#include <tuple>
#include <type_traits>

/// \file
/// All values that can be set by name for a method: its own options, tolerances and limits.

namespace kubature::runtime::detail {

inline constexpr std::tuple tolerance_options{
    option("relative", &Tolerance::relative, "Stop when the error is below this fraction of the value",
           at_least(0.0, "a tolerance must be finite and not negative")),
    option("absolute", &Tolerance::absolute, "Stop when the error is below this",
           at_least(0.0, "a tolerance must be finite and not negative")),
    option("error_norm", &Tolerance::norm, kubature::detail::error_norm_summary)};

inline constexpr std::tuple limit_options{
    option("seconds", &Limits::seconds, "Maximum time in seconds",
           Range<double>{std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::infinity(),
                         "a time limit must be positive"}),
    option("bytes", &Limits::bytes, "Maximum device memory in bytes", at_least(std::size_t{1}, "must be at least 1")),
    option("max_evaluations", &Limits::evaluations, "Maximum number of evaluations of a call in all",
           at_least(std::uint64_t{1}, "must be at least 1")),
    option("evaluations", &Limits::evaluations, "The same as max_evaluations",
           at_least(std::uint64_t{1}, "must be at least 1")),
    option("iterations", &Limits::iterations, "Maximum number of iterations", at_least(1, "must be at least 1"))};

/// Whether a method has its own option with this name, which is then not a limit.
template <class M>
constexpr bool has_own(std::string_view name) {
  return std::apply([&](auto const&... option) { return ((option.name == name) || ...); }, Described<M>::options);
}

/// Calls visit(name, summary, value, allowed) for each option, with its value in `values`.
template <class AnyValues, class Visitor>
void for_each_option(AnyValues& values, Visitor const& visit) {
  using M = std::remove_cvref_t<decltype(values.method)>;
  auto const each = [&](auto& owner, auto const& option) {
    auto& value = owner.*option.member;
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, Checkpoint>) {
      visit("checkpoint", "File that keeps the state: the same call resumes from it after an interruption or a limit",
            value.file, AnyValue{});
      visit("checkpoint_seconds",
            "Write the checkpoint after an iteration if this many seconds have passed since the last one",
            value.seconds, at_least(0.0, "a time must be finite and not negative"));
    } else {
      visit(option.name, option.summary, value, option.allowed);
    }
  };
  std::apply([&](auto const&... option) { (each(values.tolerance, option), ...); }, tolerance_options);
  std::apply([&](auto const&... option) { ((has_own<M>(option.name) ? void() : each(values.limits, option)), ...); },
             limit_options);
  std::apply([&](auto const&... option) { (each(values.method, option), ...); }, Described<M>::options);
}

/// Calls visit(value, allowed) for the option with this name; returns whether there is one.
template <class AnyValues, class Visitor>
bool with_option(AnyValues& values, std::string_view name, Visitor const& visit) {
  bool found = false;
  for_each_option(values, [&](std::string_view each, std::string_view, auto& value, auto const& allowed) {
    if (each == name) {
      found = true;
      visit(value, allowed);
    }
  });
  return found;
}

} // namespace kubature::runtime::detail

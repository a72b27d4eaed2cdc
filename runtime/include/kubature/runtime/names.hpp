#pragma once

#include <source_location>
#include <span>
#include <string_view>

/// \file
/// The names of the methods and precisions that are compiled into this library.

namespace kubature::runtime {

/// A method and its properties, for programs that select methods by name.
struct MethodInfo {
  std::string_view name;    ///< such as `vegas+`
  std::string_view summary; ///< a sentence that describes it
  bool cubature;            ///< whether it is adaptive cubature, without random numbers
  bool open_ended;          ///< whether its options do not limit its work, so that it needs a tolerance or a limit
  bool maps;                ///< whether it trains a map (Integrator::map)
  bool checkpoints;         ///< whether it writes checkpoints
  bool distributed;         ///< whether several processes can share its work
  /// Whether it integrates functions that evaluate batches of points, in fp64.
  bool batches;
  /// Whether it integrates several expressions at once, in fp64.
  bool several;
  /// Whether it integrates over more than 20 variables, in fp64 and on hosts.
  bool many_variables;
  /// Whether it does so for several components at once.
  bool several_of_many;
  /// Whether it needs integrands that are symmetric in all variables.
  bool symmetric_only;
  /// Whether suites are computed with it if no method is named.
  bool suites;
};

/// All methods; the first is the default.
std::span<MethodInfo const> methods();
/// Throws InvalidArgument for an unknown name, with the one that is probably meant.
MethodInfo const& find_method(std::string_view name, std::source_location where = std::source_location::current());

/// A precision, for programs that select precisions by name.
struct PrecisionInfo {
  std::string_view name;    ///< such as `fp32`
  std::string_view summary; ///< which formats it computes in
};

/// The precision with which a method chooses the number formats itself.
inline constexpr std::string_view adaptive_name = "adaptive";

/// All precisions; the first is the default.
std::span<PrecisionInfo const> precisions();
/// Throws InvalidArgument for an unknown name.
PrecisionInfo const& find_precision(std::string_view name,
                                    std::source_location where = std::source_location::current());
/// The known name that another one probably stands for, "relative" for "reltive" and for scipy's "epsrel"; empty if
/// none does. Small and capital letters are the same here, and so are `-` and `_`.
std::string_view likely(std::string_view name, std::span<std::string_view const> known);

/// The precision of a method if none is named.
PrecisionInfo const& default_precision(MethodInfo const& method);

} // namespace kubature::runtime

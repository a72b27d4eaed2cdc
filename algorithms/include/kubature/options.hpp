#pragma once

#include <kubature/error.hpp>
#include <kubature/precision.hpp>

#include <cstddef>
#include <limits>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

/// \file
/// The options of methods, each described once for all uses: checks, conversion to another precision, checkpoints, and
/// the flags of programs.

namespace kubature {

/// The values that an option may have, ends included, and the sentence that rejects others.
template <class T>
struct Range {
  T least;                   ///< the smallest value allowed
  T most;                    ///< the largest value allowed
  std::string_view sentence; ///< describes why a value is outside the range

  constexpr bool holds(T value) const { return least <= value && value <= most; } ///< whether a value lies within
};

/// A Range without an upper end.
template <class T>
constexpr Range<T> at_least(T least, std::string_view sentence) {
  return {least, std::numeric_limits<T>::max(), sentence};
}

/// The value of an option that leaves the choice to the method. Programs write `automatic`.
inline constexpr double own_choice = std::numeric_limits<double>::lowest();

/// A Range of numbers, or own_choice.
struct OrOwnChoice : Range<double> {
  constexpr bool holds(double value) const { return value == own_choice || Range::holds(value); } ///< see Range
};

/// Every value.
struct AnyValue {
  /// Every value is allowed.
  template <class T>
  constexpr bool holds(T const&) const {
    return true;
  }
};

/// A member of a method's aggregate.
template <class Method, class T, class Allowed>
struct Option {
  /// A pointer to a member of the method.
  using Member = T Method::*; // an alias of its own: nvcc writes the member with parentheses, of which GCC warns

  std::string_view name;    ///< in programs
  Member member;            ///< in a method
  std::string_view summary; ///< its meaning, in a sentence
  Allowed allowed;          ///< the values it may have
  /// Whether a call that resumes from a checkpoint needs the same value.
  bool resumed;
};

/// Describes an option: see Option.
template <class Method, class T, class Allowed = AnyValue>
constexpr Option<Method, T, Allowed> option(std::string_view name, T Method::* member, std::string_view summary,
                                            Allowed allowed = {}, bool resumed = true) {
  return {name, member, summary, allowed, resumed};
}

/// The abilities of a method besides integrating function objects and single expressions on one rank.
struct Abilities {
  bool batches = false;        ///< integrands that evaluate batches: batched<C>(f), in fp64
  bool several = false;        ///< components known at run time: batched(f, n) and lists of expressions, in fp64
  bool many = false;           ///< more than 32 of these
  bool many_variables = false; ///< more than 20 variables, in fp64 where their number is known only at run time
  bool maps = false;           ///< trains a map (Integrator::map)
  bool distributed = false;    ///< several ranks share a call
  bool suites = true;          ///< `kubature suite` runs it by default
};

/// The description of a method besides its mathematics. Each method specialises it: `type` and `name` for C++ and for
/// programs; `serves`, its Abilities; `options`, a tuple of Option in the order of the members; and
/// check_combinations(), for what the value of one option requires of another. `precision`, which is the type's
/// parameter, is not among the options.
template <class Method>
struct Described;

namespace detail {

/// The loss of accuracy that fp32 causes in a method besides the rounding of the integrand, relative to the average of
/// |f|.
struct SingleBias {
  /// Plain Monte Carlo: the points are as fine as the integrand's arguments.
  static constexpr double plain = 0;
  /// Points through a map in single precision: 5-D f4 is off by 2e-6 (docs/design/iterations.md).
  static constexpr double map = 2e-6;
  /// Cubature rules, whose differences also estimate the error.
  static constexpr double cubature = 5e-6;
};

struct AnyMember {
  template <class T>
  operator T() const;
};

/// The number of members of an aggregate.
template <class A, class... Members>
constexpr std::size_t members() {
  if constexpr (requires { A{Members{}..., AnyMember{}}; })
    return members<A, Members..., AnyMember>();
  else
    return sizeof...(Members);
}

/// Throws InvalidArgument if an option has a value that is not allowed.
template <class Method>
void check_options(Method const& method, std::source_location where) {
  using About = Described<Method>;
  static_assert(members<Method>() == std::tuple_size_v<decltype(About::options)> + 1,
                "every option but the precision is described");
  auto const check = [&](auto const& option) {
    if (!option.allowed.holds(method.*option.member))
      if constexpr (requires { option.allowed.sentence; })
        require(false, std::string(About::type) + '.' + std::string(option.name), method.*option.member,
                option.allowed.sentence, where);
  };
  std::apply([&](auto const&... option) { (check(option), ...); }, About::options);
  About::check_combinations(method, where);
}

} // namespace detail

/// The same options with another precision.
template <class To, template <class> class Method, class From>
Method<To> with_precision(Method<From> const& from) {
  Method<To> to;
  using Target = Described<Method<To>>;
  using Source = Described<Method<From>>;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): the analyzer does not follow pointers to members
    ((to.*std::get<I>(Target::options).member = from.*std::get<I>(Source::options).member), ...);
  }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(Source::options)>>>());
  return to;
}

} // namespace kubature

#pragma once

#include <kubature/runtime/names.hpp>
#include <kubature/tolerance.hpp>

#include <array>
#include <charconv>
#include <concepts>
#include <functional>
#include <map>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>

namespace kubature::runtime {

/// What the method `auto` does where nobody says otherwise: it stops when the error is below this fraction of the
/// value.
inline constexpr double auto_relative = 1e-6;
/// Such a call ends after this many seconds, if neither seconds nor max_evaluations are set.
inline constexpr double auto_seconds = 10;

/// A method, a precision, and the values of options, tolerances and limits, by name; those not set have the method's
/// defaults. See options() for the options there are. With `auto`, `relative` is auto_relative unless `relative` or
/// `absolute` are set; the call then has a time limit of auto_seconds, unless `seconds` or `max_evaluations` are set.
///
///   kubature::runtime::Settings settings("pagani");
///   settings.set("relative", 1e-8).set("rule", "7");
///
/// Errors are InvalidArgument, whose argument is the option's name and whose value is the value as given.
class Settings {
public:
  /// @param precision if empty, the method's default
  explicit Settings(std::string_view method = methods().front().name, std::string_view precision = {},
                    std::source_location where = std::source_location::current());

  MethodInfo const& method() const { return *method_; }          ///< the method
  PrecisionInfo const& precision() const { return *precision_; } ///< the precision

  /// Throws InvalidArgument if the method has no such option, or if the option cannot have this value. The sentence
  /// names the option that is probably meant, and those that there are.
  Settings& set(std::string_view option, std::string_view value,
                std::source_location where = std::source_location::current());
  /// Sets an option whose value is a number.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  Settings& set(std::string_view option, Number value, std::source_location where = std::source_location::current()) {
    if constexpr (std::same_as<Number, bool>) {
      return set(option, value ? std::string_view("true") : std::string_view("false"), where);
    } else {
      std::array<char, 64> text;
      auto const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
      return set(option, std::string_view(text.data(), static_cast<std::size_t>(end - text.data())), where);
    }
  }

  /// Whether the method has this option.
  bool has(std::string_view option) const;
  /// The options that were set, by name, with their values as given. Where `evaluations` is a limit, it is kept as
  /// `max_evaluations`.
  std::map<std::string, std::string, std::less<>> const& given() const { return given_; }
  /// The value that a call uses, in the form that set() reads. Throws InvalidArgument if the method has no such option.
  std::string get(std::string_view option, std::source_location where = std::source_location::current()) const;

  Tolerance tolerance() const; ///< the tolerance that was set, or that of `auto`
  Limits limits() const;       ///< the limits that were set, or that of `auto`
  /// Whether the tolerance is that of `auto`, as none was set.
  bool own_tolerance() const;

  /// Throws InvalidArgument for errors that can be detected before the integrand is known: values that contradict each
  /// other, a rule that does not exist for this number of variables, too many variables, or a method that needs a
  /// single process.
  void check(int dimension, int processes = 1, std::source_location where = std::source_location::current()) const;

  /// Throws InvalidArgument if there are more than 20 variables and the method, the precision or the backend takes
  /// no more than these.
  void check_dimension(int dimension, std::source_location where = std::source_location::current()) const;

private:
  MethodInfo const* method_;
  PrecisionInfo const* precision_;
  std::map<std::string, std::string, std::less<>> given_;
};

} // namespace kubature::runtime

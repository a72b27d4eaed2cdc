#pragma once

#include <source_location>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kubature {

/// Thrown for invalid input. what() reads "<argument> = <value>: <problem>", as in "Box side 2 = 3:1: the lower bound
/// must be below the upper bound". An integral that does not converge is not an error: see Status.
class InvalidArgument : public std::invalid_argument {
public:
  /// @param argument its name as the caller knows it, such as "Tolerance.relative"
  /// @param value    what the caller gave
  /// @param problem  what is wrong with it, and what is expected
  /// @param where    the call that was refused
  InvalidArgument(std::string argument, std::string value, std::string problem,
                  std::source_location where = std::source_location::current())
      : std::invalid_argument(argument + " = " + value + ": " + problem), argument_(std::move(argument)),
        value_(std::move(value)), problem_(std::move(problem)), where_(where) {}

  std::string const& argument() const { return argument_; }    ///< the name of the refused argument
  std::string const& value() const { return value_; }          ///< its value, as text
  std::string const& problem() const { return problem_; }      ///< what is wrong with it
  std::source_location const& where() const { return where_; } ///< where the call was made

private:
  std::string argument_, value_, problem_;
  std::source_location where_;
};

/// Throws InvalidArgument unless the condition holds; value may be anything that can be written to a stream.
template <class Value>
void require(bool holds, std::string_view argument, Value const& value, std::string_view problem,
             std::source_location where = std::source_location::current()) {
  if (holds)
    return;
  std::ostringstream text;
  text.precision(17);
  text << value;
  throw InvalidArgument(std::string(argument), text.str(), std::string(problem), where);
}

} // namespace kubature

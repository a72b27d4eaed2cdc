#pragma once

#include <kubature.h>
#include <kubature/error.hpp>

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kubature::c {

/// Thrown if this build, machine or process lacks a feature.
class Unsupported : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Thrown if an integrand returned something other than 0.
class IntegrandFailed : public std::runtime_error {
public:
  explicit IntegrandFailed(int returned)
      : std::runtime_error("the integrand returned " + std::to_string(returned)), code(returned) {}
  int code;
};

/// Stores the message of the exception that is being handled for kubature_last_error(), and returns its code.
int record_error() noexcept;

/// Does the work of a C function and returns its error code; no exception escapes.
template <class Work>
int guarded(Work const& work) noexcept {
  try {
    work();
    return KUBATURE_SUCCESS;
  } catch (...) {
    return record_error();
  }
}

/// As above, for a function that returns a value, or `otherwise` if it fails.
template <class Value, class Work>
Value guarded(Value otherwise, Work const& work) noexcept {
  try {
    return work();
  } catch (...) {
    record_error();
    return otherwise;
  }
}

/// Throws InvalidArgument if a pointer is NULL.
template <class T>
T& given(T* pointer, std::string_view name) {
  if (!pointer)
    throw InvalidArgument(std::string(name), "NULL", "give one");
  return *pointer;
}

inline char const* given_text(char const* text, std::string_view name) { return &given(text, name); }

} // namespace kubature::c

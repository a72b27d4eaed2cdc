#pragma once

#include <kubature.h>
#include <kubature/error.hpp>

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kubature::c {

/// What this build or this machine lacks.
class Unsupported : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// What an integrand returned instead of 0.
class Ended : public std::runtime_error {
public:
  explicit Ended(int returned)
      : std::runtime_error("the integrand returned " + std::to_string(returned)), code(returned) {}
  int code;
};

/// The sentence of kubature_last_error(), and the code of the exception that is being handled.
int tell() noexcept;

/// Does the work of a function of C, and returns what it returns. Nothing is thrown beyond this.
template <class Work>
int guarded(Work const& work) noexcept {
  try {
    work();
    return KUBATURE_SUCCESS;
  } catch (...) {
    return tell();
  }
}

/// The same of a function that returns a value, and `otherwise` where it fails.
template <class Value, class Work>
Value guarded(Value otherwise, Work const& work) noexcept {
  try {
    return work();
  } catch (...) {
    tell();
    return otherwise;
  }
}

/// Throws InvalidArgument where a pointer is NULL.
template <class T>
T& given(T* pointer, std::string_view name) {
  if (!pointer)
    throw InvalidArgument(std::string(name), "NULL", "give one");
  return *pointer;
}

inline char const* given_text(char const* text, std::string_view name) { return &given(text, name); }

} // namespace kubature::c

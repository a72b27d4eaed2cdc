#pragma once

#include <kubature.h>

#include <new>
#include <stdexcept>

namespace kubature::python {

/// kubature.InvalidArgument.
class InvalidArgument : public std::invalid_argument {
public:
  using std::invalid_argument::invalid_argument;
};

inline void check(int returned) {
  switch (returned) {
  case KUBATURE_SUCCESS:
    return;
  case KUBATURE_INVALID_ARGUMENT:
    throw InvalidArgument(kubature_last_error());
  case KUBATURE_OUT_OF_MEMORY:
    throw std::bad_alloc();
  default:
    throw std::runtime_error(kubature_last_error());
  }
}

} // namespace kubature::python

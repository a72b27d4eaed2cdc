#pragma once

#include <kubature/error.hpp>

namespace kubature::runtime {

/// An error of the templates in terms of the names of options: "VegasPlus.skip" becomes "skip", "Tolerance.relative"
/// "relative".
InvalidArgument renamed(InvalidArgument const& refused);

template <class Work>
auto by_name(Work const& work) {
  try {
    return work();
  } catch (InvalidArgument const& refused) {
    throw renamed(refused);
  }
}

} // namespace kubature::runtime

#pragma once

#include <kubature/error.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <source_location>
#include <string>

/// Expects the call to throw InvalidArgument, with the argument's name, its value, and a place in the same file.
inline void expect_refused(std::function<void()> const& call, std::string const& argument, std::string const& value,
                           std::source_location here = std::source_location::current()) {
  try {
    call();
    ADD_FAILURE() << argument << " = " << value << " was accepted";
  } catch (kubature::InvalidArgument const& error) {
    EXPECT_EQ(error.argument(), argument);
    EXPECT_EQ(error.value(), value);
    EXPECT_STREQ(error.where().file_name(), here.file_name());
  }
}

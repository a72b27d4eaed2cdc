#pragma once

#include "options.hpp"

#include <kubature/error.hpp>

#include <optional>
#include <string>

namespace kubature::app {

struct Request {
  int (*command)(Options const&);
  Options options;
};

/// The options of the command line; none after --help or --version, which are answered at once. Throws BadInput.
std::optional<Request> read_command_line(int argc, char** argv);

/// The error for an argument that the library rejected, in terms of the command line.
BadInput as_typed(InvalidArgument const& refused, Options const& options);

} // namespace kubature::app

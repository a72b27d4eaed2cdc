#pragma once

#include <source_location>
#include <string>

namespace kubature::detail {

/// The contents of a file; throws InvalidArgument if it cannot be read.
std::string read_file(std::string const& file, std::source_location where);

/// Replaces the file atomically: whatever happens, it holds either the old contents or the new ones. Throws
/// InvalidArgument if it cannot be written.
void write_file(std::string const& file, std::string const& contents, std::source_location where);

} // namespace kubature::detail

#pragma once

#include <source_location>
#include <string>

namespace kubature::detail {

/// The contents of a file; throws InvalidArgument where it cannot be read.
std::string read_file(std::string const& file, std::source_location where);

/// Replaces the file at once: whatever happens, it holds the old contents or the new. Throws InvalidArgument where it
/// cannot be written.
void write_file(std::string const& file, std::string const& contents, std::source_location where);

} // namespace kubature::detail

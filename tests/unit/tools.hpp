#pragma once

#include <cstdlib>

namespace tools {

/// Whether the tests run under a tool that makes kernels a hundred times as slow (scripts/compute-sanitizer): those
/// that take long then take smaller sizes.
inline bool watched() { return std::getenv("KUBATURE_WATCHED") != nullptr; }

} // namespace tools

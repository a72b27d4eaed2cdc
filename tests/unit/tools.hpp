#pragma once

#include <cstdlib>

namespace tools {

/// Whether the tests run under a tool that makes kernels a hundred times as slow (scripts/compute-sanitizer): the
/// longest then use smaller sizes.
inline bool watched() { return std::getenv("KUBATURE_WATCHED") != nullptr; }

} // namespace tools

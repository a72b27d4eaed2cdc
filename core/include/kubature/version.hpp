#pragma once

#include <iosfwd>
#include <string>
#include <vector>

/// \file
/// The version of these headers, from which the build takes the version of the library. It follows semantic versioning;
/// before 1.0 a new minor number may break code.

/// The major number.
#define KUBATURE_VERSION_MAJOR 0
/// The minor number.
#define KUBATURE_VERSION_MINOR 2
/// The patch number: corrections only.
#define KUBATURE_VERSION_PATCH 0
/// For comparisons: major * 10000 + minor * 100 + patch, as in Kokkos.
#define KUBATURE_VERSION (KUBATURE_VERSION_MAJOR * 10000 + KUBATURE_VERSION_MINOR * 100 + KUBATURE_VERSION_PATCH)

namespace kubature {

/// What the library was built from, and how.
struct Version {
  /// For example "0.2.0".
  std::string number;
  /// The first 12 digits of the commit that was checked out; "unknown" if the source is not a repository of its own.
  /// Uncommitted changes do not show.
  std::string commit;
  /// The version of Kokkos, such as "5.2.2".
  std::string kokkos;
  /// The compiler with its version, such as "GCC 12.2.0, nvcc 13.0.88".
  std::string compiler;
  /// The execution spaces that Kokkos enables, the default one first.
  std::vector<std::string> backends;
  /// The optional parts that are included, such as "MPI".
  std::vector<std::string> options;
};

/// May be called at any time, even before Kokkos is initialised.
Version version();

/// Prints one line: "0.2.0, commit 0123456789ab, Kokkos 5.2.2 (OpenMP, Serial), MPI, GCC 16.1.0".
std::ostream& operator<<(std::ostream& out, Version const& version);

} // namespace kubature

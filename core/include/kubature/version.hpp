#pragma once

#include <iosfwd>
#include <string>
#include <vector>

/// \file
/// The version of these headers, by which the build names the library, too. It follows semantic versioning; before 1.0
/// a new minor number may break code.

/// The first number.
#define KUBATURE_VERSION_MAJOR 0
/// The second number.
#define KUBATURE_VERSION_MINOR 2
/// The third number: only mends are in it.
#define KUBATURE_VERSION_PATCH 0
/// For comparisons: major * 10000 + minor * 100 + patch, as Kokkos writes its own.
#define KUBATURE_VERSION (KUBATURE_VERSION_MAJOR * 10000 + KUBATURE_VERSION_MINOR * 100 + KUBATURE_VERSION_PATCH)

namespace kubature {

/// What the library that a program runs with was built from, and how.
struct Version {
  /// As in "0.2.0".
  std::string number;
  /// The commit that was checked out, its first 12 digits; "unknown" where the source is no repository of its own.
  /// Changes that were not committed do not show.
  std::string commit;
  /// The version of Kokkos, such as "5.2.2".
  std::string kokkos;
  /// The compiler with its version, such as "GCC 12.2.0, nvcc 13.0.88".
  std::string compiler;
  /// The execution spaces that Kokkos enables, the default one first.
  std::vector<std::string> backends;
  /// What may be left out and is not: "MPI".
  std::vector<std::string> options;
};

/// Can be asked at any time, before Kokkos is initialised, too.
Version version();

/// In one line: "0.2.0, commit 0123456789ab, Kokkos 5.2.2 (OpenMP, Serial), MPI, GCC 16.1.0".
std::ostream& operator<<(std::ostream& out, Version const& version);

} // namespace kubature

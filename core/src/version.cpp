#include "build_options.hpp"
#include "source_state.hpp"

#include <kubature/detail/spaces.hpp>
#include <kubature/version.hpp>

#include <Kokkos_Core.hpp>

#include <ostream>
#include <type_traits>

namespace kubature {
namespace {

std::string dotted(int major, int minor, int patch) {
  return std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
}

std::string compiler() {
#ifdef __clang__
  std::string name = "Clang " + dotted(__clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  std::string name = "GCC " + dotted(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
#ifdef __CUDACC_VER_MAJOR__
  name += ", nvcc " + dotted(__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__);
#endif
  return name;
}

std::vector<std::string> spaces() {
  using Default = Kokkos::DefaultExecutionSpace;
  std::vector<std::string> names{Default::name()};
#define KUBATURE_APPEND(Space)                                                                                         \
  if (!std::is_same_v<Space, Default>)                                                                                 \
    names.emplace_back(Space::name());
  KUBATURE_FOR_EACH_SPACE(KUBATURE_APPEND)
#undef KUBATURE_APPEND
  return names;
}

} // namespace

Version version() {
  return {.number = dotted(KUBATURE_VERSION_MAJOR, KUBATURE_VERSION_MINOR, KUBATURE_VERSION_PATCH),
          .commit = KUBATURE_COMMIT,
          .kokkos = dotted(KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100, KOKKOS_VERSION % 100),
          .compiler = compiler(),
          .backends = spaces(),
          .options = {KUBATURE_OPTIONS}};
}

std::ostream& operator<<(std::ostream& out, Version const& version) {
  out << version.number << ", commit " << version.commit << ", Kokkos " << version.kokkos;
  char const* separator = " (";
  for (auto const& backend : version.backends) {
    out << separator << backend;
    separator = ", ";
  }
  out << ')';
  for (auto const& option : version.options)
    out << ", " << option;
  return out << ", " << version.compiler;
}

} // namespace kubature

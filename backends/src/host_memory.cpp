#include <kubature/detail/host_memory.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace kubature::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// The number in a file that holds nothing else; none if there is no such file, or if it holds the word "max".
std::optional<std::size_t> number_in(fs::path const& file) {
  std::size_t number = 0;
  return std::ifstream(file) >> number ? std::optional(number) : std::nullopt;
}

/// The number that follows a word at the beginning of a line.
std::optional<std::size_t> number_after(fs::path const& file, std::string_view word) {
  std::ifstream in(file);
  std::string name, rest;
  for (std::size_t number = 0; in >> name >> number; std::getline(in, rest))
    if (name == word)
      return number;
  return {};
}

/// The files in which a version of the control groups reports memory.
struct Names {
  char const *limit, *used, *idle_pages;
};
constexpr Names first_version{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
    second_version{"memory.max", "memory.current", "inactive_file"};

/// The memory that a group still allows.
std::size_t left_in(fs::path const& group, Names const& names) {
  auto const limit = number_in(group / names.limit), used = number_in(group / names.used);
  if (!limit || !used)
    return unlimited;
  std::size_t const idle = std::min(*used, number_after(group / "memory.stat", names.idle_pages).value_or(0));
  return *limit - std::min(*limit, *used - idle);
}

/// The smallest such amount of a group and the groups that contain it. In a container the path may be one of the host,
/// of which only the root is visible.
std::size_t left_in_all(fs::path const& root, std::string const& path, Names const& names) {
  std::size_t least = left_in(root, names);
  fs::path group = root;
  for (auto const& part : fs::path(path).relative_path()) {
    if (part == "..")
      break;
    least = std::min(least, left_in(group /= part, names));
  }
  return least;
}

std::size_t left_by_groups(fs::path const& proc, fs::path const& cgroup) {
  std::size_t least = unlimited;
  std::ifstream in(proc / "self/cgroup");
  for (std::string line; std::getline(in, line);) { // number:controllers:path, without controllers in version 2
    auto const first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos)
      continue;
    auto const controllers = ',' + line.substr(first + 1, second - first - 1) + ',', path = line.substr(second + 1);
    if (controllers == ",,")
      least = std::min(least, left_in_all(cgroup, path, second_version));
    else if (controllers.find(",memory,") != controllers.npos)
      least = std::min(least, left_in_all(cgroup / "memory", path, first_version));
  }
  return least;
}

} // namespace

std::size_t free_host_memory(std::string const& proc, std::string const& cgroup) {
  auto const kilobytes = number_after(fs::path(proc) / "meminfo", "MemAvailable:");
  auto const available =
      kilobytes ? *kilobytes * 1024
                : static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return std::min(available, left_by_groups(proc, cgroup));
}

} // namespace kubature::detail

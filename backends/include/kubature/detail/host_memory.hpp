#pragma once

#include <cstddef>
#include <string>

namespace kubature::detail {

/// The bytes of the machine's memory that this process can still allocate: those that the system reports as available,
/// but no more than the process's control groups, of either version, allow. Inactive pages of files count as free,
/// since the system reclaims them.
/// @param proc, cgroup the folders /proc and /sys/fs/cgroup
std::size_t free_host_memory(std::string const& proc = "/proc", std::string const& cgroup = "/sys/fs/cgroup");

} // namespace kubature::detail

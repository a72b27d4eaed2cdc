#pragma once

#include <cstddef>
#include <string>

namespace kubature::detail {

/// The bytes of the machine's memory that this process can still take: what the system calls available, but no more
/// than the process's control groups, of either version, allow. Pages of files that a group has not used for a while
/// count as free, since they make room.
/// @param proc, cgroup the folders /proc and /sys/fs/cgroup
std::size_t free_host_memory(std::string const& proc = "/proc", std::string const& cgroup = "/sys/fs/cgroup");

} // namespace kubature::detail

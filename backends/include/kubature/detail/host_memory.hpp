#pragma once

#include <cstddef>
#include <string>

namespace kubature::detail {

/// Bytes of the machine's memory that this process can still take: those that the system calls available, and no more
/// than the control groups that it belongs to allow, of either version. Pages of files that a group has not used for
/// a while count as free, since they make room.
/// @param proc, cgroup the folders /proc and /sys/fs/cgroup
std::size_t free_host_memory(std::string const& proc = "/proc", std::string const& cgroup = "/sys/fs/cgroup");

} // namespace kubature::detail

#pragma once

#include <kubature/communicator.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kubature::detail {

/// The words of all ranks, an equal number from each, in rank order.
inline std::vector<std::uint64_t> gather_rows(Communicator const& ranks, std::span<std::uint64_t const> mine) {
  std::vector<std::size_t> begins;
  for (int r = 0; r <= ranks.size(); ++r)
    begins.push_back(mine.size() * static_cast<std::size_t>(r));
  std::vector<std::uint64_t> all(begins.back());
  std::ranges::copy(mine, all.begin() + static_cast<std::ptrdiff_t>(begins[static_cast<std::size_t>(ranks.rank())]));
  ranks.gather(all, begins);
  return all;
}

} // namespace kubature::detail

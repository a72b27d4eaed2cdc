#include "grids.hpp"

#include <array>
#include <cstddef>
#include <mutex>

namespace kubature::cuba {
namespace {

std::mutex mutex;
std::array<Grid, 10> grids;

/// nullptr if there is no such number
Grid* slot(int gridno) {
  auto const number = gridno < 0 ? -static_cast<long long>(gridno) : gridno;
  return number >= 1 && number <= std::ssize(grids) ? &grids[static_cast<std::size_t>(number - 1)] : nullptr;
}

} // namespace

Grid kept_grid(int gridno, int axes) {
  std::lock_guard const lock(mutex);
  auto* const grid = slot(gridno);
  if (!grid)
    return {};
  if (gridno < 0 || grid->axes != axes)
    *grid = {};
  return *grid;
}

void keep_grid(int gridno, Grid const& grid) {
  std::lock_guard const lock(mutex);
  if (auto* const to = slot(gridno))
    *to = grid;
}

} // namespace kubature::cuba

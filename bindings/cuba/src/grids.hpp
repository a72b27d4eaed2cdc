#pragma once

#include "state.hpp"

namespace kubature::cuba {

/// The grid that the process keeps under a number, of which a negative one forgets it first; an empty one if there is
/// none for this number of variables, or no such number.
Grid kept_grid(int gridno, int axes);
void keep_grid(int gridno, Grid const& grid);

} // namespace kubature::cuba

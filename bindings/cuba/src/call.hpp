#pragma once

#include "workers.hpp"

#include <kubature.h>

#include <string>
#include <utility>
#include <vector>

namespace kubature::cuba {

enum class Routine : int { vegas = 1, suave, divonne, cuhre };

/// The arguments that come in, but for those that have no effect.
struct Call {
  Routine routine;
  int ndim, ncomp;
  Integrand f = nullptr;
  kubature_device_function kernel = nullptr; ///< instead of f
  void* user;
  long long nvec = 1;
  bool wide = false; ///< whether numbers of points are long longs
  double epsrel, epsabs;
  int flags, seed = 0;
  long long mineval, maxeval;
  char const* statefile = nullptr;
  void* spin = nullptr;
  long long samples = 0; ///< nstart, nnew
  int gridno = 0;        ///< Vegas
  int key = 0;           ///< Cuhre
  double border = 0;     ///< Divonne, as are those below
  long long ngiven = 0, nextra = 0;
  int ldxgiven = 0;
  double const* xgiven = nullptr;
  void (*peakfinder)(int const*, double const*, int*, double*, void*) = nullptr;
  std::vector<std::pair<char const*, std::string>> others = {}; ///< arguments of the routine as they are echoed

  /// Whether the integrand gets weights.
  bool weighted() const { return !kernel && (routine == Routine::vegas || routine == Routine::suave); }
};

/// What the call returns. The arrays have ncomp elements.
struct Returned {
  int nregions = 0;
  long long neval = 0;
  int fail = 0;
  double *integral, *error, *prob;
};

void run(Call const& call, Returned& returned);

/// The level of messages that calls have at least, in place of CUBAVERBOSE.
void choose_verbosity(int level);

} // namespace kubature::cuba

#include <kubature/runtime/names.hpp>

#include "find.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace kubature::runtime {
namespace {

/// What others call the methods, options and precisions of this library.
constexpr std::pair<std::string_view, std::string_view> elsewhere[] = {
    // scipy.integrate: quad, nquad, solve_ivp, cubature, qmc_quad
    {"quad", "pagani"},
    {"nquad", "pagani"},
    {"cubature", "pagani"},
    {"genz-malik", "pagani"},
    {"gk15", "pagani"},
    {"gk21", "pagani"},
    {"qmc_quad", "qmc"},
    {"epsrel", "relative"},
    {"epsabs", "absolute"},
    {"rtol", "relative"},
    {"atol", "absolute"},
    {"limit", "max_evaluations"},
    {"max_subdivisions", "max_evaluations"},
    {"n_estimates", "shifts"},
    {"n_points", "evaluations"},
    // vegas
    {"vegas", "vegas+"},
    {"neval", "evaluations"},
    {"nitn", "iterations"},
    {"ninc", "bins"},
    // Cuba
    {"cuhre", "pagani"},
    {"divonne", "pagani"},
    {"suave", "vegas+"},
    {"maxeval", "max_evaluations"},
    {"nstart", "evaluations"},
    {"statefile", "checkpoint"},
    {"key", "rule"},
    // GSL
    {"plain", "mc"},
    {"miser", "vegas+"},
    {"calls", "evaluations"},
    // torchquad
    {"n", "evaluations"},
    {"max_iterations", "iterations"},
    // cubature, Cubature.jl and Integrals.jl
    {"hcubature", "pagani"},
    {"pcubature", "pagani"},
    {"reltol", "relative"},
    {"abstol", "absolute"},
    {"maxiters", "iterations"},
    // NumPy, PyTorch and C
    {"double", "fp64"},
    {"float64", "fp64"},
    {"single", "fp32"},
    {"float", "fp32"},
    {"float32", "fp32"},
    {"half", "fp16"},
    {"float16", "fp16"},
    {"random_state", "seed"},
    // everyday words
    {"tol", "relative"},
    {"tolerance", "relative"},
    {"eps", "relative"},
    {"error", "absolute"},
    {"samples", "evaluations"},
    {"points", "evaluations"},
    {"time", "seconds"},
    {"timeout", "seconds"},
    {"time_limit", "seconds"},
    {"max_time", "seconds"},
    {"memory", "bytes"},
    {"timelimit", "seconds"},
    {"bounds", "box"},
    {"limits", "box"},
    {"range", "box"},
    {"ranges", "box"},
    {"variables", "vars"},
    {"params", "parameter"},
    {"args", "parameter"},
    {"verbose", "explain"},
    {"format", "json"},
    {"out", "output"},
    {"default", "auto"},
    {"adaptive", "auto"},
    {"montecarlo", "mc"},
    {"monte-carlo", "mc"},
    {"sobol", "qmc"},
    {"lattice", "qmc"},
};

/// In small letters, with `_` for `-`, and without the dashes before a flag.
std::string simplified(std::string_view name) {
  std::string text(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  for (char& c : text)
    c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// How many letters are missing, superfluous, wrong or exchanged with their neighbours: the optimal string alignment
/// distance (Damerau, "A technique for computer detection and correction of spelling errors", CACM 7 (1964) 171).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_before, before(b.size() + 1), now(b.size() + 1);
  std::iota(before.begin(), before.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({before[j] + 1, now[j - 1] + 1, before[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], two_before[j - 2] + 1);
    }
    two_before = std::exchange(before, now);
  }
  return before[b.size()];
}

} // namespace

std::string_view likely(std::string_view name, std::span<std::string_view const> known) {
  auto const typed = simplified(name);
  auto const meant = [&](std::string_view other) {
    auto const place = std::ranges::find_if(known, [&](auto each) { return simplified(each) == other; });
    return place == known.end() ? std::string_view() : *place;
  };
  if (auto const same = meant(typed); !same.empty())
    return same;
  for (auto const& [theirs, ours] : elsewhere)
    if (simplified(theirs) == typed)
      if (auto const found = meant(ours); !found.empty())
        return found;
  std::string_view best;
  auto least = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (auto const each : known) {
    auto const other = simplified(each);
    bool const begun = typed.size() >= 3 && other.starts_with(typed);
    auto const away = begun ? 1 : distance(typed, other);
    if (away < std::min(least, other.size())) {
      best = each;
      least = away;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<std::string_view const> known) {
  auto const found = likely(name, known);
  return found.empty() ? "" : "; did you mean " + std::string(found) + "?";
}

} // namespace kubature::runtime

#include <kubature/detail/many/pagani_many.hpp>

#include <kubature/detail/sampling/harmless_values.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace kubature::detail {
namespace {

/// The number of parts per integral: few in the first pass, so that all integrals fit into memory at once, and `growth`
/// times as many in each further pass, for the integrals that need more.
constexpr std::uint64_t first_parts = 2 * most_regions_at_first, growth = 16,
                        most_parts = first_parts * growth * growth;
constexpr std::uint64_t most_at_once = std::uint64_t{1} << 20;

} // namespace

ManyRecord ManyPagani::compute() {
  std::vector<std::uint32_t> open(call_.count);
  std::iota(open.begin(), open.end(), 0u);
  auto const affordable = request_.limits.evaluations / (2 * call_.points * call_.total);
  bool more = engine_.begin(request_.limits.bytes);
  for (std::uint64_t parts = first_parts; more && !open.empty(); parts *= growth) {
    auto const now = std::min({parts, affordable, most_parts});
    if (now <= call_.grid) {
      record_.end(open, Status::evaluation_limit);
      break;
    }
    bool const last = now < parts || parts == most_parts;
    more = pass(open, static_cast<int>(now), last) && !last;
  }
  record_.seconds = timer_.seconds();
  return std::move(record_);
}

/// Refines the open integrals with this many parts each, and leaves those in the list that need more.
/// @returns false if the call has ended
bool ManyPagani::pass(std::vector<std::uint32_t>& open, int parts, bool last) {
  auto const& [tolerance, limits, callback, where] = request_;
  auto const at_once = std::min<std::uint64_t>(
      {engine_.room(static_cast<std::uint64_t>(parts), limits.bytes), open.size(), most_at_once});
  if (at_once == 0) {
    record_.end(open, Status::memory_exhausted);
    return false;
  }
  bool const watched = limits.seconds < Limits{}.seconds || callback;
  std::size_t const wave = watched ? std::min(at_once, engine_.concurrency()) : at_once;
  std::vector<std::uint32_t> left;
  for (std::size_t first = 0; first < open.size(); first += wave) {
    auto const begin = open.begin() + static_cast<std::ptrdiff_t>(first),
               end = open.begin() + static_cast<std::ptrdiff_t>(std::min(first + wave, open.size()));
    std::vector<std::uint32_t> const now(begin, end);
    read(now, engine_.refine(now, parts, limits.seconds - timer_.seconds()), parts, last, left);
    auto const rest = static_cast<std::size_t>(open.end() - end);
    bool const over = timer_.seconds() >= limits.seconds;
    if (over || (callback && !callback(record_.progress(call_.count - rest - left.size(), timer_.seconds())))) {
      Status const status = over ? Status::time_limit : Status::stopped;
      record_.end({end, open.end()}, status);
      record_.end(left, status);
      return false;
    }
  }
  open = std::move(left);
  return true;
}

/// Reads the results of a launch.
void ManyPagani::read(std::vector<std::uint32_t> const& now, RefinedMany const& found, int parts, bool last,
                      std::vector<std::uint32_t>& left) {
  std::uint64_t bisections = 0;
  bool const over = timer_.seconds() >= request_.limits.seconds;
  for (std::size_t k = 0; k < now.size(); ++k) {
    std::size_t const i = now[k];
    int const used = std::abs(found.sizes[k]);
    bisections += static_cast<unsigned>(used) - call_.grid;
    bool const met = found.met[k] != 0;
    bool zero = true;
    for (std::size_t c = 0; c < record_.value[i].size(); ++c) {
      std::size_t const place = c * call_.count + i;
      record_.value[i][c] = found.values[place];
      record_.error[i][c] = found.errors[place];
      zero = zero && found.values[place] == 0 && found.errors[place] == 0;
    }
    NonFiniteCount const non_finite{found.non_finite[i]};
    record_.non_finite[i] = non_finite.all();
    record_.status[i] = met                                                     ? Status::converged
                        : used == parts && parts < static_cast<int>(most_parts) ? Status::evaluation_limit
                        : used == parts && !zero                                ? Status::memory_exhausted
                        : used < parts && over                                  ? Status::time_limit
                                                                                : Status::precision_limit;
    if (non_finite.serious() > 0 && call_.non_finite == NonFinite::error) {
      record_.value[i].assign(record_.value[i].size(), std::numeric_limits<double>::quiet_NaN());
      record_.error[i] = record_.value[i];
      record_.status[i] = Status::non_finite;
    } else if (!met && used == parts && !last) {
      left.push_back(now[k]);
    }
  }
  evaluations_ += call_.points * ((call_.grid + (call_.whole ? 1 : 0)) * now.size() + 2 * bisections);
  record_.evaluations = evaluations_ + found.second_evaluations;
}

} // namespace kubature::detail

#pragma once

#include <kubature/communicator.hpp>
#include <kubature/integrand.hpp>
#include <kubature/result.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace kubature::detail {

/// Whether two results differ by at most this many of their errors in every component.
template <class Value>
bool agree(Result<Value> const& a, Result<Value> const& b, double far) {
  using Traits = ValueTraits<Value>;
  for (int c = 0; c < Traits::components; ++c) {
    double const error = std::hypot(Traits::get(a.error, c), Traits::get(b.error, c));
    if (std::abs(Traits::get(a.value, c) - Traits::get(b.value, c)) > far * error)
      return false;
  }
  return true;
}

/// Finer grids in one and two variables, on which narrow peaks cannot hide that a coarser one has missed, as long as
/// they take a few milliseconds (docs/cubature.md, "A close look").
struct CloseLook {
  int dimension;
  std::uint64_t points; ///< of the rule
  bool on_gpu;
  Communicator const& ranks;

  /// Seconds that it may take. On a GPU shorter calls than `filled` evaluations take as long as that, and the first one
  /// of an integrand as long as loading its kernels, so that the first grid is always evaluated there.
  static constexpr double seconds = 0.01;
  double filled() const { return on_gpu ? 1 << 20 : 1; }

  /// The grids follow one another, since the time of each tells that of the next.
  /// @param found the result of a coarser one
  /// @param left  evaluations
  /// @param call  call(level, most) integrates from a first grid of that level by at most so many evaluations
  /// @returns nothing if all agree with it within their errors; otherwise the last one, which counts as converged if it
  ///          agrees with the one before
  template <class Answer, class Call>
  std::optional<Answer> operator()(Answer const& found, std::uint64_t left, Call const& call) const {
    std::optional<Answer> last;
    if (dimension > 2)
      return last;
    bool confirmed = true, settled = true;
    double took = found.seconds, evaluations = static_cast<double>(found.evaluations);
    for (int const level : dimension == 1 ? std::array{6, 9, 13} : std::array{3, 5, 7}) {
      auto const wanted = static_cast<double>(points << dimension * level);
      auto const most =
          std::min(left, static_cast<std::uint64_t>(4 * (wanted + static_cast<double>(found.evaluations))));
      double const expected = took * (evaluations < filled() ? std::max(1.0, wanted / filled()) : wanted / evaluations);
      if (ranks.any((expected > seconds && !(on_gpu && !last)) || wanted > static_cast<double>(most)))
        break;
      auto result = call(level, most);
      took = result.seconds;
      evaluations = static_cast<double>(result.evaluations);
      left -= std::min(left, result.evaluations);
      bool const converged = result.status == Status::converged;
      settled = converged && agree(result, last ? *last : found, 1);
      confirmed = confirmed && converged && agree(result, found, 1);
      last = std::move(result);
    }
    if (confirmed)
      last.reset();
    else if (!settled && last->status == Status::converged)
      last->status = Status::iteration_limit;
    return last;
  }
};

} // namespace kubature::detail

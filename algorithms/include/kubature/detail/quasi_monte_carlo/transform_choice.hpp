#pragma once

#include <kubature/detail/quasi_monte_carlo/qmc_call.hpp>
#include <kubature/qmc_choices.hpp>

#include <cstdint>

namespace kubature::detail {

/// Korobov's polynomials, as opposed to the tent or none.
bool is_polynomial(QmcTransform transform);

/// Chooses the transform of a call: see docs/design/quasi-monte-carlo.md, "Change of variables".
class TransformChoice {
public:
  explicit TransformChoice(QmcCall& call) : call_(call) {}

  /// Whether the transform is to be chosen.
  bool open() const;

  /// Chooses the polynomial whose trial of 2^power points per shift scatters least, if less than the tent. The errors
  /// of a higher order may be larger with few points but fall faster, so it is preferred within a factor of 2.
  void choose(int power);

  /// The binary logarithm of the points per shift of another trial; 0: none is due. On the way to a tolerance that is
  /// predicted to need many points, one is due as soon as it can have several times the points of the last.
  int due() const;
  /// The evaluations of such a trial.
  std::uint64_t cost(int power) const { return transforms * call_.of_shifts(power); }

  /// Chooses again, and starts afresh if another transform scatters less now.
  void choose_again(int power);

private:
  static constexpr int transforms = 4; ///< the tent and three polynomials

  QmcCall& call_;
  int tried_ = 0; ///< the binary logarithm of the points per shift that transforms were last tried with
};

} // namespace kubature::detail

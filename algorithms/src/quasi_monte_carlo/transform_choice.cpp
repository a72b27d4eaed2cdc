#include <kubature/detail/quasi_monte_carlo/transform_choice.hpp>

#include <algorithm>

namespace kubature::detail {

bool is_polynomial(QmcTransform transform) {
  return transform == QmcTransform::korobov1 || transform == QmcTransform::korobov2 ||
         transform == QmcTransform::korobov3;
}

bool TransformChoice::open() const {
  auto const& request = call_.request;
  return request.transform == QmcTransform::automatic && request.lattice &&
         request.dimension <= policy<QmcPolicy>().most_transformed;
}

void TransformChoice::choose(int power) {
  if (!open())
    return;
  tried_ = power;
  auto chosen = QmcTransform::tent;
  call_.path.fold(chosen);
  auto best = call_.trial_of(power, true);
  for (auto const each : {QmcTransform::korobov1, QmcTransform::korobov2, QmcTransform::korobov3}) {
    call_.path.fold(each);
    auto const trial = call_.trial_of(power, true);
    if (best.exceeds(trial, chosen == QmcTransform::tent ? 1 : policy<QmcPolicy>().higher_order)) {
      best = trial;
      chosen = each;
    }
  }
  call_.path.fold(chosen);
}

int TransformChoice::due() const {
  auto const& by = policy<QmcPolicy>();
  int const power = call_.run.power() - by.again_part;
  return open() && power >= std::max(tried_ + by.again_after, by.least_trial_power) &&
                 call_.run.needs(by.many_for_transform)
             ? power
             : 0;
}

void TransformChoice::choose_again(int power) {
  auto const before = call_.path.transform();
  choose(power);
  auto const now = call_.path.transform();
  if (now != before && (is_polynomial(now) || is_polynomial(before)) && !call_.run.ended())
    call_.run.begin_anew(call_.run.power());
}

} // namespace kubature::detail

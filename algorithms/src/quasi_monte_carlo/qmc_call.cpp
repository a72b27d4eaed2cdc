#include <kubature/detail/quasi_monte_carlo/qmc_call.hpp>

#include <algorithm>
#include <bit>

namespace kubature::detail {

void PointPath::fold(QmcTransform transform) {
  transform_ = transform;
  engine_.transform(transform);
}

void PointPath::hold(PiecewiseCubic map) {
  mapped_ = true;
  engine_.hold(std::move(map));
}

void PointPath::hold(std::vector<double> rotation) {
  rotated_ = true;
  engine_.hold(std::move(rotation));
}

void PointPath::hold(Peak const& peak) {
  straighten();
  in_peak_ = true;
  engine_.hold(peak);
}

void PointPath::drop_map() {
  mapped_ = false;
  engine_.drop_map();
}

void PointPath::drop_rotation() {
  rotated_ = false;
  engine_.drop_rotation();
}

void PointPath::straighten() {
  drop_map();
  drop_rotation();
  in_peak_ = false;
  engine_.drop_peak();
}

Stream QmcCall::stream(QmcStreamId::Purpose purpose) const {
  int const map = purpose == QmcStreamId::points ? begun : retrained;
  return Stream(request.seed, QmcStreamId{request.call, static_cast<std::uint32_t>(map), purpose}.number());
}

bool QmcCall::learn(ShiftSums const& sums) const {
  return !sums.empty() && run.learn(sums.points(), 0, Status::completed);
}

MapTrial QmcCall::trial(int more) {
  auto const& by = policy<QmcPolicy>();
  int const few = std::min(power - by.trial_part, by.most_trial_power);
  return trial_of(more > 0 ? few + more + 1 : few, more == 0);
}

MapTrial QmcCall::trial_of(int power_of_each, bool all) {
  auto& scale = engine.scale();
  auto sums = engine.draw(power_of_each, all, stream(QmcStreamId::trials));
  while (!sums.empty() && scale.adjust_to(size_of(sums)))
    sums = engine.draw(power_of_each, all, stream(QmcStreamId::trials));
  if (sums.empty())
    return {};
  learn(sums);
  OfShifts const of(sums, 0);
  Spread const spread(sums, 0);
  return {scale.restored(of.value), scale.restored(of.error), scale.restored(of.magnitude), spread.unsure,
          spread.gains()};
}

int log2_of(std::uint64_t x) { return static_cast<int>(std::bit_width(x)) - 1; }

} // namespace kubature::detail

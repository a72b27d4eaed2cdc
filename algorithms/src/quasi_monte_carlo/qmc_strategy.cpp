#include <kubature/detail/quasi_monte_carlo/qmc_strategy.hpp>

#include <kubature/detail/call/schedule.hpp>
#include <kubature/detail/quasi_monte_carlo/rotation.hpp>
#include <kubature/detail/quasi_monte_carlo/trial_sums.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

namespace kubature::detail {
namespace {

/// Offsets in the number of a stream, besides that of the call and of the retrained map, which has bits 28 and 29.
constexpr std::uint32_t of_points = 0, of_slabs = 1u << 30, of_trials = 1u << 31, of_differences = 3u << 30;
constexpr int first_bit_of_map = 28;
/// Maximum number of maps that a call trains after the first.
constexpr int most_retrained = 2;
static_assert(most_retrained < 4, "two bits of a stream's number tell the map");
/// A trial takes 2^trial_part times fewer points than the call for each form of the map, and is not made for less than
/// 2^least_trial points per shift.
constexpr int trial_part = 5, most_trial = 14, least_trial = 11;
/// Slabs take four rounds, in all at most one evaluation in slab_part, one in single_part where each has a single
/// point, and at most 2^most_slab points. Their first octave is this far below one point of all.
constexpr int slab_rounds = 4, slab_part = 8, single_part = 3, most_slab = 8, slab_octaves = 13;
/// By how much a map made from slabs may differ from what they tell in the end; and how many points of each shift it
/// leaves to the empty parts of an axis: a third of a point from a whole number, also after doubling, since otherwise
/// all shifts would have the same number of points up to the jump, and would not scatter.
constexpr double most_mismatch = 0.01, empty_points = 25.0 / 3;
/// Each of the transforms is tried with 2^transform_part times fewer points than the call, or with 2^most_timed per
/// shift where a time limit may end the call before its first iteration; in calls of 2^least_transformed points per
/// shift and more, in up to most_transformed variables.
constexpr int transforms = 4, transform_part = 5, most_timed = 16, least_transformed = 16, most_transformed = 8;
/// Each transform of a trial on the way takes 2^again_part times fewer points than there are, where the tolerance is
/// predicted to need `many_for_transform` the points so far.
constexpr int again_part = 3, again_after = 3;
constexpr double many_for_transform = 8;
/// Differences take one evaluation in difference_part, at least_ to most_differences points, and serve from
/// least_rotated variables on.
constexpr int difference_part = 32, least_differences = 4, most_differences = 512, least_rotated = 4;
/// A peak is located by up to so many rounds, each of one evaluation in peak_part, and 2^most_peak at most. They are
/// shifts of the stream of differences.
constexpr int peak_rounds = 12, peak_part = 64, most_peak = 12;

/// The binary logarithm of a number, rounded down.
int log2_of(std::uint64_t x) { return static_cast<int>(std::bit_width(x)) - 1; }

/// Korobov's polynomials, as against the tent or nothing.
bool polynomial(QmcTransform transform) {
  return transform == QmcTransform::korobov1 || transform == QmcTransform::korobov2 ||
         transform == QmcTransform::korobov3;
}

} // namespace

QmcStrategy::QmcStrategy(QmcRequest const& request, QmcEngine& engine, ShiftEstimates& estimates,
                         Communicator const& ranks)
    : request_(request), engine_(engine), run_(estimates), ranks_(ranks),
      power_(estimates.nearest_power(request.evaluations)) {}

bool QmcStrategy::go_on(std::function<bool(CallState const&, std::uint64_t)> const& pause) {
  if (!std::exchange(prepared_, true))
    prepare();
  do {
    if (int const power = worth_training(); power > 0) {
      if (pause(run_, 2 * of_shifts(power)))
        return false;
      begin_anew(power);
    }
    if (int const power = trial_due(); power > 0) {
      if (pause(run_, transforms * of_shifts(power)))
        return false;
      try_transforms_again(power);
    }
    if (!run_.wants_more())
      return true;
    if (pause(run_, run_.all_fresh_points()))
      return false;
  } while (iterate());
  return true;
}

/// Whether points go through anything that was chosen for the integrand.
bool QmcStrategy::adapted() const {
  return mapped_ || rotated_ || in_peak_ || (transform_open() && polynomial(transform_));
}

/// Random numbers for a purpose: different ones for each map that the call trains, and each restart.
Stream QmcStrategy::stream(std::uint32_t purpose) const {
  auto const which = static_cast<std::uint32_t>(purpose == of_points ? begun_ : retrained_);
  return Stream(request_.seed, request_.call | purpose | which << first_bit_of_map);
}

void QmcStrategy::fold(QmcTransform transform) {
  transform_ = transform;
  engine_.transform(transform);
}

template <class What>
void QmcStrategy::hold(What&& what) {
  using T = std::remove_cvref_t<What>;
  if constexpr (std::is_same_v<T, Peak>)
    straighten();
  (std::is_same_v<T, Peak> ? in_peak_ : std::is_same_v<T, PiecewiseCubic> ? mapped_ : rotated_) = true;
  engine_.hold(std::forward<What>(what));
}

void QmcStrategy::drop_map() {
  mapped_ = false;
  engine_.drop_map();
}

void QmcStrategy::drop_rotation() {
  rotated_ = false;
  engine_.drop_rotation();
}

/// Holds nothing.
void QmcStrategy::straighten() {
  drop_map();
  drop_rotation();
  in_peak_ = false;
  engine_.drop_peak();
}

/// Chooses the map from the unit cube to the box and the periodising transform.
/// @returns false if the call ended meanwhile
bool QmcStrategy::prepare() {
  power_ = std::min(power_, fit_in_time());
  fold(request_.transform);
  if (place() && power_ >= least_transformed)
    choose_transform(run_.timed() ? std::min(power_ - transform_part, most_timed) : power_ - transform_part);
  return !run_.ended();
}

/// Leaves what is done before the first iteration, and this itself, no more than there is time for (see find_schedule).
/// @returns the binary logarithm of the points of a shift that a map and a transform are to be chosen for
int QmcStrategy::fit_in_time() {
  auto const shifts = static_cast<std::uint64_t>(run_.shifts());
  constexpr int as_long = 3; // as all iterations together the rest of a call may take
  auto const schedule =
      find_schedule(ranks_, run_, request_.evaluations, as_long, [&](std::uint64_t n) -> std::uint64_t {
        int const power = log2_of(std::max<std::uint64_t>(1, n / shifts));
        Stream const random(request_.seed, pilot_stream);
        auto sums = engine_.draw(power, true, random);
        while (!sums.empty() && engine_.scale().adjust_to(size_of(sums)))
          sums = engine_.draw(power, true, random);
        if (!sums.empty())
          run_.reserve(sums, engine_.scale(), request_.non_finite);
        return sums.empty() ? 0 : shifts << power;
      });
  if (schedule.samples == request_.evaluations)
    return request_.longest;
  request_.evaluations = schedule.samples;
  run_.begin_with(request_.evaluations);
  return log2_of(std::max<std::uint64_t>(1, request_.evaluations / shifts));
}

/// Trains a map, and chooses among its forms, rotations and peaks.
/// @returns false if the call ended meanwhile
bool QmcStrategy::place() {
  bool const any = request_.map == QmcMap::automatic, rotated = request_.map == QmcMap::rotated;
  if (auto const products = rotated ? differences() : std::vector<double>{}; !products.empty())
    rotate(principal_directions(products, request_.dimension).matrix);
  if (run_.ended() || rotated_)
    return !run_.ended();
  if (request_.map == QmcMap::none || (any && power_ < least_trial) || (rotated && peak_power() < 0))
    return true;
  auto const edges = engine_.train(request_.evaluations);
  if (edges.empty())
    return false;
  if (request_.map == QmcMap::linear)
    hold(linear_map(edges, request_.dimension));
  else if (!rotated)
    choose(edges);
  else if (auto const peak = locate(edges))
    take(*peak);
  return !run_.ended();
}

/// For how many points of each shift, as a binary logarithm, another map should be trained; 0: none.
int QmcStrategy::worth_training() const {
  if (request_.map == QmcMap::none || request_.map == QmcMap::rotated || retrained_ == most_retrained)
    return 0;
  int const power = run_.worth_training(power_);
  return power < least_trial ? 0 : power;
}

/// Trains another map for so many points and begins anew in it, unless the identity map with the tent transform remains
/// the best choice.
void QmcStrategy::begin_anew(int power) {
  bool const before = adapted();
  ++retrained_;
  power_ = power;
  request_.evaluations = of_shifts(power);
  if (!prepare() || !(before || adapted()))
    return;
  run_.begin_anew(power);
  begun_ = retrained_;
}

/// @returns false if the call has ended meanwhile: the iteration stays out of it
bool QmcStrategy::iterate() {
  auto const sums = engine_.draw(run_.next_power(), run_.begins(), stream(of_points));
  if (sums.empty())
    return false;
  if (!engine_.scale().adjust_to(size_of(sums)))
    run_.add(sums, engine_.scale(), request_.non_finite);
  return true;
}

/// Holds the map that MapChoice finds best after a trial of each form, of which slabs make the refined one. Where a
/// smooth map is asked for, the better of the two is taken.
void QmcStrategy::choose(std::vector<double> const& edges) {
  using C = MapChoice;
  straighten();
  for (int c = 0; c < used(); ++c)
    run_.leave_out(c, 0);
  int const axes = request_.dimension, power = slab_power();
  bool const any = request_.map == QmcMap::automatic;
  auto const x = at_knots(edges, axes);
  PiecewiseCubic maps[] = {smooth_map(x, axes), {}, linear_map(edges, axes), {}};
  C choice;
  auto const look = [&](C::Form form, int more = 0) {
    if (form == C::none)
      drop_map();
    else
      hold(maps[form]);
    return trial(more);
  };
  if (any || (power >= 0 && power_ >= least_trial))
    for (auto const form : {C::trained, C::refined, C::by_bins, C::none}) {
      if (form == C::refined) {
        auto const moved = power < 0 ? std::vector<double>{} : refine(x, power);
        if (moved.empty())
          continue;
        maps[form] = smooth_map(moved, axes);
      }
      if (any || form < C::by_bins)
        choice.trials[form] = look(form);
      if (run_.ended())
        return;
    }
  auto const doubtful = choice.in_doubt();
  if (doubtful != C::none)
    choice.look_again(doubtful, look(doubtful, 2).unsure);
  auto const best = choice.best(), peaked = choice.peaked(best);
  drop_map();
  if (any && (try_rotated(choice.trials[best]) || (peaked != C::none && try_peak(edges, choice.trials[peaked]))))
    return;
  if (any && choice.doubts(best))
    run_.remark("a few points make up most of what maps found of a peak: value and error may be too small");
  if (best != C::none)
    hold(maps[best]);
}

/// Takes the polynomial by which a trial of 2^power points per shift scatters least, if by less than the tent. The
/// errors of a higher order may be larger with few points but fall faster, so it is preferred within a factor of 2.
void QmcStrategy::choose_transform(int power) {
  if (!transform_open())
    return;
  tried_ = power;
  auto chosen = QmcTransform::tent;
  fold(chosen);
  auto best = trial_of(power, true);
  for (auto const each : {QmcTransform::korobov1, QmcTransform::korobov2, QmcTransform::korobov3}) {
    fold(each);
    auto const trial = trial_of(power, true);
    if (best.exceeds(trial, chosen == QmcTransform::tent ? 1 : 0.5)) {
      best = trial;
      chosen = each;
    }
  }
  fold(chosen);
}

/// Whether the transform is to be chosen.
bool QmcStrategy::transform_open() const {
  return request_.transform == QmcTransform::automatic && request_.lattice && request_.dimension <= most_transformed;
}

/// The binary logarithm of the points per shift of another trial of transforms; 0: none is due. On the way to a
/// tolerance that is predicted to need many points, one is due as soon as it can have 2^again_after times the points of
/// the last.
int QmcStrategy::trial_due() const {
  int const power = run_.power() - again_part;
  return transform_open() && power >= std::max(tried_ + again_after, least_trial) && run_.needs(many_for_transform)
             ? power
             : 0;
}

/// Begins anew where another transform scatters less now.
void QmcStrategy::try_transforms_again(int power) {
  auto const before = transform_;
  choose_transform(power);
  if (transform_ != before && (polynomial(transform_) || polynomial(before)) && !run_.ended())
    run_.begin_anew(run_.power());
}

/// Whether points are rotated: where the integrand varies along few directions that are not axes, and a trial in the
/// smooth map of the rotated axes scatters far less.
bool QmcStrategy::try_rotated(MapTrial const& unrotated) {
  auto const products = request_.dimension < least_rotated ? std::vector<double>{} : differences();
  if (products.empty())
    return false;
  auto directions = principal_directions(products, request_.dimension);
  if (few_directions(products, directions.variances) && rotate(std::move(directions.matrix)) && !run_.ended() &&
      unrotated.exceeds(trial(0), 4)) // rotating points takes time
    return true;
  drop_rotation();
  drop_map();
  return false;
}

/// Rotates points, and holds the map of the rotated axes that slabs make, if they agree with it.
/// @returns whether they do
bool QmcStrategy::rotate(std::vector<double> directions) {
  hold(std::move(directions));
  int const axes = request_.dimension, power = slab_power();
  std::vector<double> ends(2 * static_cast<std::size_t>(axes)); // of each axis: slabs refine the identity
  for (std::size_t k = 1; k < ends.size(); k += 2)
    ends[k] = 1;
  auto const moved = power < 0 ? std::vector<double>{} : refine(at_knots(ends, axes), power);
  drop_map();
  if (!moved.empty())
    hold(smooth_map(moved, axes));
  return !moved.empty();
}

/// Whether points are taken to a peak along its principal axes, which no map along the axes of the box fits: where a
/// trial there is to be preferred.
bool QmcStrategy::try_peak(std::vector<double> const& edges, MapTrial const& unrotated) {
  if (auto const peak = locate(edges)) {
    hold(*peak);
    if (unrotated.yields(trial(0)) && !run_.ended())
      return take(*peak);
  }
  straighten();
  return false;
}

/// Draws points in a peak. What a few points of the whole box find out of its reach, errors are not below.
bool QmcStrategy::take(Peak const& peak) {
  int const power = peak_power(), count = 1 << power;
  auto const axes = static_cast<std::size_t>(request_.dimension);
  straighten();
  auto const random = stream(of_differences);
  auto const sums = engine_.draw_single(power, peak_rounds + 1, random);
  if (sums.empty() || !run_.learn(sums.points(), 0, Status::completed))
    return false;
  auto const x = engine_.single_points(power, peak_rounds + 1, random);
  for (int c = 0; c < used(); ++c) {
    double outside = 0;
    for (std::size_t k = 0; k < sums.size(); ++k)
      if (out_of_reach(peak, x.data() + k * axes))
        outside += std::abs(sums.mean(k, c)) / count;
    run_.leave_out(c, engine_.scale().restored(outside));
  }
  hold(peak);
  return true;
}

/// The peak that is seen through a trained map, in rounds of points that are drawn in what the last round saw of it.
/// Nothing where too few points are in it.
std::optional<Peak> QmcStrategy::locate(std::vector<double> const& edges) {
  int const axes = request_.dimension, power = peak_power();
  if (power < 0)
    return {};
  int const count = 1 << power;
  auto const random = stream(of_differences);
  hold(linear_map(edges, axes));
  for (int round = 1; round <= peak_rounds; ++round) {
    auto const shift = static_cast<std::uint64_t>(round);
    auto const sums = engine_.draw_single(power, shift, random);
    if (sums.empty() || !run_.learn(sums.points(), 0, Status::completed))
      return {};
    auto const weights = peak_weights(sums, used());
    if (weights.empty())
      return {};
    auto const peak = find_peak(engine_.single_points(power, shift, random), weights, axes);
    if (!peak.tempered && (4 * peak.effective >= count || round == peak_rounds))
      return peak;
    hold(peak);
  }
  return {};
}

/// The binary logarithm of the points of a round that locates a peak; -1: too few.
int QmcStrategy::peak_power() const {
  int const axes = request_.dimension;
  int const power = std::min(log2_of(request_.evaluations / peak_part), most_peak);
  if (axes < 2 || std::ldexp(1.0, power) < 2 * Peak::least(axes))
    return -1;
  return engine_.fits(1 << power, 1) ? power : -1;
}

/// How the integrand varies along each two axes together, in normal coordinates. Empty where there are too few
/// evaluations, or too few points tell it.
std::vector<double> QmcStrategy::differences() {
  int const axes = request_.dimension, pair = 2 * axes;
  auto const points = std::min<std::uint64_t>(request_.evaluations / difference_part / static_cast<std::uint64_t>(pair),
                                              most_differences);
  if (points < least_differences)
    return {};
  int const power = log2_of(points);
  if (!engine_.fits(pair << power, 1))
    return {};
  auto const sums = engine_.draw_differences(power, stream(of_differences));
  if (sums.empty() || !run_.learn(sums.points(), 0, Status::completed))
    return {};
  return difference_products(sums, axes, used());
}

/// A few points in the map that is held, or 2^more times as many others.
MapTrial QmcStrategy::trial(int more) {
  int const power = std::min(power_ - trial_part, most_trial);
  return trial_of(more > 0 ? power + more + 1 : power, more == 0);
}

/// All 2^power points of each shift in the map that is held, or those that are not among the first half.
MapTrial QmcStrategy::trial_of(int power, bool all) {
  auto& scale = engine_.scale();
  auto sums = engine_.draw(power, all, stream(of_trials));
  while (!sums.empty() && scale.adjust_to(size_of(sums)))
    sums = engine_.draw(power, all, stream(of_trials));
  if (sums.empty())
    return {};
  run_.learn(sums.points(), 0, Status::completed);
  OfShifts const of(sums, 0);
  Spread const spread(sums, 0);
  return {scale.restored(of.value), scale.restored(of.error), scale.restored(of.magnitude), spread.unsure,
          spread.gains()};
}

/// The octaves of the slabs' knots: the end of an axis below them is negligible in calls of this many points. Another
/// map serves a tolerance that needs many more points than it is trained with.
int QmcStrategy::octaves() const {
  return retrained_ > 0 ? GeometricKnots::most_octaves
                        : std::min(GeometricKnots::most_octaves,
                                   slab_octaves + static_cast<int>(std::bit_width(request_.evaluations)));
}

/// The binary logarithm of the points of a slab; -1: no slabs.
int QmcStrategy::slab_power() const {
  int const slabs = request_.dimension * GeometricKnots::count(octaves());
  double const each = static_cast<double>(request_.evaluations) / slab_rounds / slabs;
  if (each < single_part)
    return -1;
  int const power = std::clamp(static_cast<int>(std::log2(each / slab_part)), 0, most_slab);
  return engine_.fits(slabs, std::uint64_t{1} << power) ? power : -1;
}

/// Where a map takes GeometricKnots so that the pieces of each axis have integrals in proportion to their widths, as
/// slabs measure them: at first those of the trained map, whose bins know little of the tails. Empty parts keep as much
/// of an axis as some points of each shift cover: if an integrand jumps to zero, a part that hardly any point reaches
/// would be missing from value and error alike.
/// @returns nothing if the last slabs disagree with the map made from the earlier ones: for an integrand that is far
///          from a product of functions of one variable each, few points make noisy slabs
std::vector<double> QmcStrategy::refine(std::vector<double> x, int power) {
  int const axes = request_.dimension;
  Stream const random = stream(of_slabs);
  for (int round = 0; round < slab_rounds; ++round) {
    hold(smooth_map(x, axes));
    auto const sums = engine_.draw_slabs(octaves(), power, static_cast<std::uint64_t>(round), random);
    if (sums.empty() || !run_.learn(sums.points(), 0, Status::completed))
      return {};
    auto const found = masses_of_slabs(sums, octaves(), used());
    bool const last = round + 1 == slab_rounds;
    if (last && mismatch(found, axes) > most_mismatch)
      return {};
    equalize(x, found, axes, last ? std::ldexp(empty_points, -power_) : 0);
  }
  return x;
}

} // namespace kubature::detail

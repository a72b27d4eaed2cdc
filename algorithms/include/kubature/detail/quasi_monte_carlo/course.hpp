#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/quasi_monte_carlo/coordinate_map.hpp>
#include <kubature/detail/quasi_monte_carlo/differences.hpp>
#include <kubature/detail/quasi_monte_carlo/fold.hpp>
#include <kubature/detail/quasi_monte_carlo/lattice.hpp>
#include <kubature/detail/quasi_monte_carlo/map_choice.hpp>
#include <kubature/detail/quasi_monte_carlo/peak.hpp>
#include <kubature/detail/quasi_monte_carlo/rotation.hpp>
#include <kubature/detail/quasi_monte_carlo/sampler.hpp>
#include <kubature/detail/quasi_monte_carlo/shifts.hpp>
#include <kubature/detail/quasi_monte_carlo/slabs.hpp>
#include <kubature/detail/solver.hpp>
#include <kubature/qmc_choices.hpp>
#include <kubature/result.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubature::detail {

/// One call. It may pause between its iterations and then goes on as if it had not, while other methods are called;
/// its memory serves no other call meanwhile.
/// @tparam Memory   a QmcMemory
/// @tparam F        the integrand in its form on the device
/// @tparam Sequence Lattice or Sobol
template <class Memory, class F, int D, class Sequence>
class QmcCourse : QmcSampler<Memory, F, D, Sequence> {
  using Base = QmcSampler<Memory, F, D, Sequence>;
  using typename Base::P, typename Base::Sample, typename Base::Space, typename Base::Sums, typename Base::Value;

public:
  /// The callback has to stay where it is.
  QmcCourse(Memory& memory, F const& f, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
            std::source_location where)
      : Base(memory, f, box, tolerance, limits, callback, where), callback_(callback), where_(where),
        timed_(limits.seconds < Limits{}.seconds) {
    run_.locate_by(
        [this](std::uint64_t count) { return where_not_finite<P>(memory_.exec, memory_.values, f_, box_, count); });
    run_.audit_by([this](std::uint64_t most) { return this->audit(most); });
  }
  QmcCourse(QmcCourse const&) = delete; // the audit refers to it

  /// Draws points until the call ends, or pauses before an iteration or the training of another map.
  /// @param pause pause(run, n) tells whether to, where that would take about n evaluations; the same on all
  /// processes
  /// @returns whether the call has ended
  template <class Pause>
  bool go_on(Pause const& pause) {
    Kokkos::Profiling::ScopedRegion region("kubature::qmc");
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

  /// Leaves at most so many evaluations to the call, those that it has made included.
  void limit(std::uint64_t evaluations) { run_.limit(evaluations); }

  /// The result of a call that has paused.
  auto so_far() {
    run_.audit();
    return sign(run_.so_far());
  }
  /// The result of a call that has ended.
  auto finish() {
    ++memory_.call;
    return sign(run_.finish());
  }

private:
  using Base::bytes_, Base::evaluations_, Base::fold_, Base::map_, Base::memory_, Base::options_, Base::peak_,
      Base::rotation_, Base::run_, Base::scaling_, Base::box_, Base::f_, Base::hold;

  std::uint64_t of_shifts(int power) const { return static_cast<std::uint64_t>(options_.shifts) << power; }

  auto sign(Result<Value> result) const {
    return signed_by<Space>(std::move(result), options_.precision, options_.seed, memory_.ranks);
  }

  /// Chooses the way of points to the box, and the transform that they go through before.
  /// @returns false if the call ended meanwhile
  bool prepare() {
    power_ = std::min(power_, this->fit_in_time());
    fold_ = Fold<Sample>(options_.transform);
    if (place() && power_ >= least_transformed)
      choose_transform(timed_ ? std::min(power_ - transform_part, most_timed) : power_ - transform_part);
    return !run_.ended();
  }

  /// Trains a map, and chooses among its forms, rotations and peaks.
  /// @returns false if the call ended meanwhile
  bool place() {
    bool const trial = options_.smooth_map == QmcMap::automatic, rotated = options_.smooth_map == QmcMap::rotated;
    if (auto const products = rotated ? differences() : std::vector<double>{}; !products.empty())
      rotate(active_directions(products, box_.dimension()).matrix);
    if (run_.ended() || rotation_.any())
      return !run_.ended();
    if (options_.smooth_map == QmcMap::none || (trial && power_ < least_trial) || (rotated && peak_power() < 0))
      return true;
    auto const edges = memory_.training.train(f_, box_, evaluations_, run_, callback_, where_);
    if (edges.empty())
      return false;
    if (options_.smooth_map == QmcMap::linear)
      hold(linear_map(edges, box_.dimension()));
    else if (!rotated)
      choose(edges);
    else if (auto const peak = locate(edges))
      take(*peak);
    return !run_.ended();
  }

  /// For how many points of each shift, as a binary logarithm, another map should be trained; 0: none.
  int worth_training() const {
    if (options_.smooth_map == QmcMap::none || options_.smooth_map == QmcMap::rotated || retrained_ == most_retrained)
      return 0;
    int const power = run_.worth_training(power_);
    return power < least_trial ? 0 : power;
  }

  /// Trains another map for so many points and begins anew in it, unless the integral was and stays best served by no
  /// map and the tent.
  void begin_anew(int power) {
    bool const adapted = this->adapted();
    ++retrained_;
    power_ = power;
    evaluations_ = of_shifts(power);
    if (!prepare() || !(adapted || this->adapted()))
      return;
    run_.begin_anew(power);
    begun_ = retrained_;
  }

  /// Whether points go through anything that was chosen for the integrand.
  bool adapted() const { return map_.any() || rotation_.any() || peak_.any() || (transform_open() && fold_.order > 0); }

  /// @returns false if the call has ended meanwhile: the iteration stays out of it
  bool iterate() {
    auto const sums = this->draw(run_.next_power(), run_.begins(), stream(of_points));
    if (sums.empty())
      return false;
    if (!scaling_.adjust(run_.estimate(sums)))
      run_.add(sums, scaling_, options_.non_finite);
    return true;
  }

  /// Holds the map that MapChoice finds best after a trial of each form, of which slabs make the refined one. Where a
  /// smooth map is asked for, the better of the two is taken.
  void choose(std::vector<double> const& edges) {
    using C = MapChoice;
    this->straighten();
    for (int c = 0; c < this->components(); ++c)
      run_.leave_out(c, 0);
    int const axes = box_.dimension(), power = slab_power();
    bool const any = options_.smooth_map == QmcMap::automatic;
    auto const x = at_knots(edges, axes);
    PiecewiseCubic maps[] = {smooth_map(x, axes), {}, linear_map(edges, axes), {}};
    C choice;
    auto const look = [&](C::Form form, int more = 0) {
      if (form == C::none)
        map_ = {};
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
    map_ = {};
    if (any && (try_rotated(choice.trials[best]) || (peaked != C::none && try_peak(edges, choice.trials[peaked]))))
      return;
    if (any && choice.doubts(best))
      run_.remark("a few points make up most of what maps found of a peak: value and error may be too small");
    if (best != C::none)
      hold(maps[best]);
  }

  /// Takes the polynomial by which a trial of 2^power points per shift scatters least, if by less than the tent. The
  /// errors of a higher order may be larger with few points but fall faster, so it is preferred within a factor of 2.
  void choose_transform(int power) {
    if (!transform_open())
      return;
    tried_ = power;
    auto chosen = QmcTransform::tent;
    fold_ = Fold<Sample>(chosen);
    auto best = trial_of(power, true);
    for (auto const polynomial : {QmcTransform::korobov1, QmcTransform::korobov2, QmcTransform::korobov3}) {
      fold_ = Fold<Sample>(polynomial);
      auto const trial = trial_of(power, true);
      if (best.exceeds(trial, chosen == QmcTransform::tent ? 1 : 0.5)) {
        best = trial;
        chosen = polynomial;
      }
    }
    fold_ = Fold<Sample>(chosen);
  }

  /// Whether the transform is to be chosen.
  bool transform_open() const {
    return options_.transform == QmcTransform::automatic && std::is_same_v<Sequence, Lattice<D>> &&
           box_.dimension() <= most_transformed;
  }

  /// The binary logarithm of the points per shift of another trial of transforms; 0: none is due. On the way to a
  /// tolerance that is far away, one is due as soon as it can have 2^again_after times the points of the last.
  int trial_due() const {
    int const power = run_.power() - again_part;
    return transform_open() && power >= std::max(tried_ + again_after, least_trial) && run_.far_away(far) ? power : 0;
  }

  /// Begins anew where another transform scatters less now.
  void try_transforms_again(int power) {
    int const before = fold_.order;
    choose_transform(power);
    if (fold_.order != before && !run_.ended())
      run_.begin_anew(run_.power());
  }

  /// Whether points are rotated: where the integrand varies along few directions that are not axes, and a trial in the
  /// smooth map of the rotated axes scatters far less.
  bool try_rotated(MapTrial const& unrotated) {
    auto const products = box_.dimension() < least_rotated ? std::vector<double>{} : differences();
    if (products.empty())
      return false;
    auto directions = active_directions(products, box_.dimension());
    if (few_directions(products, directions.variances) && rotate(std::move(directions.matrix)) && !run_.ended() &&
        unrotated.exceeds(trial(0), 4)) // rotating points takes time
      return true;
    rotation_ = {};
    map_ = {};
    return false;
  }

  /// Rotates points, and holds the map of the rotated axes that slabs make, if they agree with it.
  /// @returns whether they do
  bool rotate(std::vector<double> directions) {
    hold(std::move(directions));
    int const axes = box_.dimension(), power = slab_power();
    std::vector<double> ends(2 * static_cast<std::size_t>(axes)); // of each axis: slabs refine the identity
    for (std::size_t k = 1; k < ends.size(); k += 2)
      ends[k] = 1;
    auto const moved = power < 0 ? std::vector<double>{} : refine(at_knots(ends, axes), power);
    map_ = {};
    if (!moved.empty())
      hold(smooth_map(moved, axes));
    return !moved.empty();
  }

  /// Whether points are taken to a peak along its principal axes, which no map along the axes of the box fits: where a
  /// trial there is to be preferred.
  bool try_peak(std::vector<double> const& edges, MapTrial const& unrotated) {
    if (auto const peak = locate(edges)) {
      hold(*peak);
      if (unrotated.yields(trial(0)) && !run_.ended())
        return take(*peak);
    }
    this->straighten();
    return false;
  }

  /// Draws points in a peak. What a few points of the whole box find out of its reach, errors are not below.
  bool take(Peak const& peak) {
    int const axes = box_.dimension(), power = peak_power(), count = 1 << power;
    this->straighten();
    SinglePoints<D> const points(axes, power, peak_rounds + 1, stream(of_differences));
    auto const sums = sample_each(points, count);
    if (sums.empty())
      return false;
    auto const x = this->points_of(points, count);
    for (int c = 0; c < this->components(); ++c) {
      double outside = 0;
      for (std::size_t k = 0; k < sums.size(); ++k)
        if (out_of_reach(peak, x.data() + k * static_cast<std::size_t>(axes)))
          outside += std::abs(static_cast<double>(sums[k].mean[c])) / count;
      run_.leave_out(c, scaling_.restored(outside));
    }
    hold(peak);
    return true;
  }

  /// The value of each of some points, in the map or the peak that is held. Empty if the call has ended.
  template <class Points>
  std::vector<Sums> sample_each(Points const& points, int count) {
    auto sums = this->sample(points, Fold<Sample>(QmcTransform::none),
                             ShiftPartition(memory_.exec, memory_.ranks, count, 1), count);
    bool const goes_on = !sums.empty() && run_.learn(static_cast<std::uint64_t>(count), 0, Status::completed);
    return goes_on ? std::move(sums) : std::vector<Sums>{};
  }

  /// The peak that is seen through a trained map, in rounds of points that are drawn in what the last round saw of it.
  /// Nothing where too few points are in it.
  std::optional<Peak> locate(std::vector<double> const& edges) {
    int const axes = box_.dimension(), power = peak_power();
    if (power < 0)
      return {};
    int const count = 1 << power;
    hold(linear_map(edges, axes));
    for (int round = 1; round <= peak_rounds; ++round) {
      SinglePoints<D> const points(axes, power, static_cast<std::uint64_t>(round), stream(of_differences));
      auto const sums = sample_each(points, count);
      if (sums.empty())
        return {};
      auto const weights = peak_weights(sums, this->components());
      if (weights.empty())
        return {};
      auto const peak = find_peak(this->points_of(points, count), weights, axes);
      if (!peak.tempered && (4 * peak.effective >= count || round == peak_rounds))
        return peak;
      hold(peak);
    }
    return {};
  }

  /// The binary logarithm of the points of a round that locates a peak; -1: too few.
  int peak_power() const {
    int const axes = box_.dimension();
    int const power = std::min(static_cast<int>(std::bit_width(evaluations_ / peak_part)) - 1, most_peak);
    if (axes < 2 || std::ldexp(1.0, power) < 2 * Peak::least(axes))
      return -1;
    return fits(ShiftPartition(memory_.exec, memory_.ranks, 1 << power, 1)) ? power : -1;
  }

  /// How the integrand varies along each two axes together, in normal coordinates. Empty where there are too few
  /// evaluations, or too few points tell it.
  std::vector<double> differences() {
    int const axes = box_.dimension(), pair = 2 * axes;
    auto const points =
        std::min<std::uint64_t>(evaluations_ / difference_part / static_cast<std::uint64_t>(pair), most_differences);
    if (points < least_differences)
      return {};
    int const power = static_cast<int>(std::bit_width(points)) - 1, count = Differences<D>::count(axes, power);
    ShiftPartition const cut(memory_.exec, memory_.ranks, count, 1);
    if (!fits(cut))
      return {};
    auto const sums = sample_each(Differences<D>(axes, power, epsilon<P>, stream(of_differences)), count);
    if (sums.empty())
      return {};
    return difference_products(sums, axes, this->components());
  }

  /// A few points in the map that is held, or 2^more times as many others.
  MapTrial trial(int more) {
    int const power = std::min(power_ - trial_part, most_trial);
    return trial_of(more > 0 ? power + more + 1 : power, more == 0);
  }

  /// All 2^power points of each shift in the map that is held, or those that are not among the first half.
  MapTrial trial_of(int power, bool all) {
    auto const draw_them = [&] { return this->draw(power, all, stream(of_trials)); };
    auto sums = draw_them();
    while (!sums.empty() && scaling_.adjust(run_.estimate(sums)))
      sums = draw_them();
    if (sums.empty())
      return {};
    auto const estimate = scaling_.restored(run_.estimate_first(sums));
    run_.learn(estimate.evaluations, 0, Status::completed);
    auto const spread = run_.spread(sums, 0);
    return {estimate.value, estimate.error, scaling_.restored(run_.magnitude_first(sums)), spread.unsure,
            spread.gains()};
  }

  /// The octaves of the slabs' knots: the end of an axis below them is negligible in calls of this many points. Another
  /// map serves a tolerance that is far away, by many more points than it is trained with.
  int octaves() const {
    return retrained_ > 0
               ? GeometricKnots::most_octaves
               : std::min(GeometricKnots::most_octaves, slab_octaves + static_cast<int>(std::bit_width(evaluations_)));
  }

  /// The binary logarithm of the points of a slab; -1: no slabs.
  int slab_power() const {
    int const slabs = Slabs<D>::count(box_.dimension(), octaves());
    double const each = static_cast<double>(evaluations_) / slab_rounds / slabs;
    if (each < single_part)
      return -1;
    int const power = std::clamp(static_cast<int>(std::log2(each / slab_part)), 0, most_slab);
    ShiftPartition const cut(memory_.exec, memory_.ranks, slabs, std::uint64_t{1} << power);
    return fits(cut) ? power : -1;
  }

  /// Whether there is memory for the sums of slabs or differences.
  bool fits(ShiftPartition const& cut) const {
    return static_cast<std::size_t>(cut.chunks.count) * sizeof(Sums) <= std::min(bytes_, slab_bytes);
  }

  /// Where a map takes GeometricKnots so that the pieces of each axis have integrals in proportion to their widths,
  /// as slabs measure them: at first those of the trained map, whose bins know little of the tails. Empty parts keep
  /// as much of an axis as some points of each shift cover: if an integrand jumps to zero, a part that hardly any
  /// point reaches would be missing from value and error alike.
  /// @returns nothing if the last slabs disagree with the map made from the earlier ones: for an integrand that is
  /// far
  ///          from a product of functions of one variable each, few points make noisy slabs
  std::vector<double> refine(std::vector<double> x, int power) {
    int const axes = box_.dimension(), slabs = Slabs<D>::count(axes, octaves());
    Stream const random = stream(of_slabs);
    ShiftPartition const cut(memory_.exec, memory_.ranks, slabs, std::uint64_t{1} << power);
    for (int round = 0; round < slab_rounds; ++round) {
      hold(smooth_map(x, axes));
      auto const sums = this->sample(Slabs<D>(axes, octaves(), power, static_cast<std::uint64_t>(round), random),
                                     Fold<Sample>(QmcTransform::tent), cut, slabs);
      if (sums.empty() || !run_.learn(static_cast<std::uint64_t>(slabs) << power, 0, Status::completed))
        return {};
      auto const found = masses_of_slabs(sums, octaves(), this->components());
      bool const last = round + 1 == slab_rounds;
      if (last && mismatch(found, axes) > most_mismatch)
        return {};
      equalize(x, found, axes, last ? std::ldexp(empty_points, -power_) : 0);
    }
    return x;
  }

  /// Random numbers for a purpose: different ones for each map that the call trains, and each restart.
  Stream stream(std::uint32_t purpose) const {
    auto const which = static_cast<std::uint32_t>(purpose == of_points ? begun_ : retrained_);
    return Stream(options_.seed, memory_.call | purpose | which << 28);
  }

  /// Offsets in the number of a stream, besides that of the call and of the retrained map.
  static constexpr std::uint32_t of_points = 0, of_slabs = 1u << 30, of_trials = 1u << 31, of_differences = 3u << 30;
  /// Maximum number of maps that a call trains after the first.
  static constexpr int most_retrained = 2;
  /// A trial takes 2^trial_part times fewer points than the call for each form of the map, and is not made for less
  /// than 2^least_trial points per shift.
  static constexpr int trial_part = 5, most_trial = 14, least_trial = 11;
  /// Slabs take four rounds, in all at most one evaluation in slab_part, one in single_part where each has a single
  /// point, and at most 2^most_slab points. Their first octave is this far below one point of all.
  static constexpr int slab_rounds = 4, slab_part = 8, single_part = 3, most_slab = 8, slab_octaves = 13;
  /// By how much a map made from slabs may differ from what they tell in the end; and how many points of each shift
  /// it leaves to the empty parts of an axis: a third of a point from a whole number, also after doubling, since
  /// otherwise all shifts would have the same number of points up to the jump, and would not scatter.
  static constexpr double most_mismatch = 0.01, empty_points = 25.0 / 3;
  /// Each of the transforms is tried with 2^transform_part times fewer points than the call, or with 2^most_timed per
  /// shift where a time limit may end the call before its first iteration; in calls of 2^least_transformed points per
  /// shift and more, in up to most_transformed variables.
  static constexpr int transforms = 4, transform_part = 5, most_timed = 16, least_transformed = 16,
                       most_transformed = 8;
  /// Each transform of a trial on the way takes 2^again_part times fewer points than there are. A tolerance is far away
  /// that promises to take `far` times the points so far.
  static constexpr int again_part = 3, again_after = 3;
  static constexpr double far = 8;
  /// Differences take one evaluation in difference_part, at least_ to most_differences points, and serve from
  /// least_rotated variables on.
  static constexpr int difference_part = 32, least_differences = 4, most_differences = 512, least_rotated = 4;
  /// A peak is located by up to so many rounds, each of one evaluation in peak_part, and 2^most_peak at most. They are
  /// shifts of the stream of differences.
  static constexpr int peak_rounds = 12, peak_part = 64, most_peak = 12;
  static constexpr std::size_t slab_bytes = std::size_t{1} << 26; ///< maximum for all sums

  Callback const& callback_;
  std::source_location where_;
  bool timed_; ///< whether there is a time limit
  /// The binary logarithm of the points of a shift that the map is for.
  int power_ = run_.nearest_power(evaluations_);
  int retrained_ = 0;     ///< maps trained after the first
  int begun_ = 0;         ///< which of them the points are drawn in
  int tried_ = 0;         ///< the binary logarithm of the points per shift that transforms were last tried with
  bool prepared_ = false; ///< whether the first map was trained
};

} // namespace kubature::detail

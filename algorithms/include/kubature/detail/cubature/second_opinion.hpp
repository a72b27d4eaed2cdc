#pragma once

#include <kubature/detail/cubature/behind_points.hpp>
#include <kubature/detail/cubature/bisection_tree.hpp>
#include <kubature/detail/cubature/region_integral.hpp>
#include <kubature/detail/cubature/region_list.hpp>
#include <kubature/detail/cubature/region_statistics.hpp>
#include <kubature/detail/cubature/regions.hpp>
#include <kubature/detail/cubature/second_opinion_batches.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/memory/batches.hpp>
#include <kubature/detail/policies/cubature_policy.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace kubature::detail {

/// The warnings that regions receive from their neighbours, in device memory, for each leaf of the tree: maxima, which
/// do not depend on the order of the warnings.
struct Opinion {
  /// The largest |f| next to the region, in units of the allowed error per unit of volume: the bits of floats, which
  /// have the same order as integers. The lowest five bits hold the axis along which to bisect the region.
  std::uint32_t* density = nullptr;
  /// The largest integral that the region may have missed, in units of the allowed error.
  std::uint32_t* mass = nullptr;

  KOKKOS_FUNCTION static std::uint32_t bits(double x, int axis) {
    return (Kokkos::bit_cast<std::uint32_t>(static_cast<float>(Kokkos::fmin(x, 3e38))) & ~31u) |
           static_cast<unsigned>(axis);
  }
  KOKKOS_FUNCTION static double number(std::uint32_t bits) {
    return static_cast<double>(Kokkos::bit_cast<float>(bits & ~31u));
  }
  KOKKOS_FUNCTION static int axis(std::uint32_t bits) { return static_cast<int>(bits & 31u); }
};

/// A converged grid may have missed what lies between its points, and its error is then too small: above all the tail
/// of a peak in a neighbouring region that looks empty, and a discontinuity parallel to a face and closer to it than
/// any point. So before a tolerance counts as met, f is evaluated where the rule does not evaluate it.
///
/// Across each face of a region that matters, f is evaluated just behind the face. If the neighbour, which is no
/// smaller, has seen much less than this value would give in a region of this size, it is warned; if the neighbour is
/// larger by a factor of four or more, the maximum is taken with f at two more places in the region's mirror image. A
/// warned region whose own points have seen no values of that size is suspect: its error becomes a multiple of what it
/// may have missed, and it will be bisected towards the size of the region that warned it. This amounts to the 2:1
/// grading of adaptive meshes, but only where it matters.
///
/// Within each region, f is evaluated between its outermost points and its faces (behind_points.hpp).
template <class Space, class P, class F, int D>
struct SecondOpinion {
  using Integral = RegionIntegral<P, F, D>;
  using Place = typename Integral::Place;
  using Sample = typename P::sample_type;
  using Acc = typename P::accumulate_type;
  static constexpr int components = Integral::components;

  Integral integral;
  Regions regions;
  BisectionTree tree;
  Opinion opinion;
  Counters* counters;
  double const* weights; ///< 1 / allowed error, of each component
  /// A region matters if its value is more than this fraction of the allowed error.
  double least;
  /// Which regions look across their faces: one in this many, or only those that are new or warned others the last
  /// time.
  unsigned one_in;
  bool again;
  /// Whether a warned region may evaluate the rule's points again; if not, it is suspect at once.
  bool thorough;
  /// For integrands that evaluate batches: the regions of this launch, by slot (ValuesInMemory).
  std::uint32_t const* chosen = nullptr;

  struct Across {};
  struct Within {};
  struct Unwarned {}; ///< those that look within and were not warned
  struct Warned {};

  KOKKOS_FUNCTION bool looks(Across, std::uint64_t i) const {
    return !(again ? regions.seen_again(i) && !regions.warner(i) : one_in > 1 && hash(i) % one_in != 0) &&
           regions.size(i, weights) > least;
  }
  KOKKOS_FUNCTION bool looks(Within, std::uint64_t i) const { return looks(Unwarned(), i) || looks(Warned(), i); }
  KOKKOS_FUNCTION bool looks(Unwarned, std::uint64_t i) const { return !regions.seen_again(i) && !looks(Warned(), i); }
  KOKKOS_FUNCTION bool looks(Warned, std::uint64_t i) const { return Opinion::number(warning(i)) > 0; }
  /// The warning that the region received from its neighbours.
  KOKKOS_FUNCTION std::uint32_t warning(std::uint64_t i) const {
    return opinion.density != nullptr ? opinion.density[regions.nodes[i]] : 0;
  }

  /// A region looks across its faces.
  KOKKOS_FUNCTION void operator()(Across across, std::uint64_t slot) const {
    auto const i = region(slot);
    if (!looks(across, i))
      return;
    double const volume = integral.volume(regions, i);
    Place const place = integral.place(regions, i, slot);
    bool warned = false;
    std::uint64_t evaluations = 0;
    for (int k = 0; k < regions.dimension; ++k)
      for (int upper = 0; upper < 2; ++upper)
        warned = look_across(i, place, volume, k, upper, evaluations) || warned;
    regions.mark_warner(i, warned);
    if (evaluations > 0)
      Kokkos::atomic_add(&counters->second_evaluations, evaluations);
  }

  /// A region is compared with the warning it received, and is examined behind its points.
  KOKKOS_FUNCTION void operator()(Within within, std::uint64_t slot) const {
    auto const i = region(slot);
    if (!looks(within, i))
      return;
    std::uint32_t const warning = this->warning(i);
    double const density = Opinion::number(warning);
    std::uint64_t evaluations = 0;
    bool suspect =
        !regions.seen_again(i) && suspect_behind_points(integral, regions, i, weights, least, evaluations, slot);
    if (density > 0) {
      Place const place = integral.place(regions, i, slot);
      double const known = thorough ? largest(place, density / unseen, evaluations) : 0;
      if (known < density / unseen) {
        for (int c = 0; c < components; ++c)
          regions.error(c, i) =
              Kokkos::fmax(regions.error(c, i), margin * Opinion::number(opinion.mass[regions.nodes[i]]) / weights[c]);
        if (integral.has_room(place, regions, i, Opinion::axis(warning)))
          regions.set_axis(i, Opinion::axis(warning));
        suspect = true;
      }
    }
    regions.mark_seen_again(i);
    if (evaluations > 0)
      Kokkos::atomic_add(&counters->second_evaluations, evaluations);
    if (suspect)
      Kokkos::atomic_inc(&counters->suspects);
  }

private:
  KOKKOS_FUNCTION std::uint64_t region(std::uint64_t slot) const {
    if constexpr (is_in_memory<F>)
      return chosen[slot];
    else
      return slot;
  }

  /// Looks across the lower or upper face across axis k of region i. @returns whether the neighbour was warned
  KOKKOS_FUNCTION bool look_across(std::uint64_t i, Place const& place, double volume, int k, int upper,
                                   std::uint64_t& evaluations) const {
    Interval const interval = regions.interval(k, i);
    auto const first = std::uint64_t{1} << interval.level();
    if (interval.code == (upper != 0 ? 2 * first - 1 : first))
      return false; // the face is on the boundary of the domain
    PointsAcross<P, F, D> const points{integral, place};
    auto const beyond = [&](int n) {
      ++evaluations;
      return magnitude(place, points.number(k, upper, n), points.point(k, upper, n));
    };
    double density = beyond(0);
    if (!(density * volume > least))
      return false;
    Interval const next{upper != 0 ? interval.code + 1 : interval.code - 1};
    auto const neighbour =
        tree.find([&](int axis) { return axis == k ? next : regions.interval(axis, i); }, k, 1 - upper);
    if (again && regions.seen_again(i) && tree.seen_again(neighbour.node))
      return false;
    int coarser = 0, axis = k, most = 0;
    for (int a = 0; a < regions.dimension; ++a) {
      int const more = regions.interval(a, i).level() - neighbour.levels[a];
      coarser += more;
      axis = more > most ? a : axis;
      most = more > most ? more : most;
    }
    double const known = tree.size(neighbour.node) * unseen;
    if (coarser < 0 || known > density * volume)
      return false;
    if (coarser >= least_difference)
      density = Kokkos::fmax(density, Kokkos::fmax(beyond(1), beyond(2)));
    warn(neighbour.node, density, volume * Kokkos::exp2(static_cast<double>(coarser)), axis);
    return true;
  }

  /// The largest component of |f| at x in units of 1 / weights[component]; 0 if f is not finite.
  KOKKOS_FUNCTION double magnitude(Place const& place, int number, Point<Sample, D> const& x) const {
    Acc terms[components];
    integral.evaluate_apart(place, number, x, terms);
    double result = 0;
    for (int c = 0; c < components; ++c) {
      double const size = Kokkos::abs(static_cast<double>(terms[c])) * weights[c];
      result = Kokkos::isfinite(size) && size > result ? size : result;
    }
    return result;
  }

  /// The largest magnitude() at the rule's points, or the first one found that is at least `enough`.
  KOKKOS_FUNCTION double largest(Place const& place, double enough, std::uint64_t& evaluations) const {
    auto const& rule = integral.rule;
    int const d = D == dynamic ? integral.dimension : D;
    int number = static_cast<int>(evaluations_behind_points(d)); // see PointsWithin
    double result = magnitude(place, number, place.centre);
    ++evaluations;
    auto const look = [&](auto const& offset) { // at a pair of points
      for (Sample const sign : {Sample(1), Sample(-1)}) {
        ++number;
        auto x = place.centre;
        for (int k = 0; k < d; ++k)
          x[k] += sign * place.side[k] * offset(k);
        result = Kokkos::fmax(result, magnitude(place, number, x));
      }
      evaluations += 2;
    };
    for (int p = 0; p < rule.pairs && result < enough; ++p)
      look([&](int k) { return rule.offsets[k * rule.pairs + p]; });
    int const corners = rule.corners ? 1 << (d - 1) : 0;
    for (int signs = 0; signs < corners && result < enough; ++signs)
      look([&](int k) { return (signs >> k & 1) != 0 ? -rule.corner : rule.corner; });
    return result;
  }

  /// A hash of a region's place, as good as random.
  KOKKOS_FUNCTION unsigned hash(std::uint64_t i) const {
    std::uint64_t mixed = 0;
    for (int k = 0; k < regions.dimension; ++k) {
      mixed = (mixed ^ regions.interval(k, i).code) * 0x9e3779b97f4a7c15u;
      mixed ^= mixed >> 29;
    }
    return static_cast<unsigned>(mixed >> 32);
  }

  /// Warns a region of values next to it.
  KOKKOS_FUNCTION void warn(std::uint32_t leaf, double density, double volume, int axis) const {
    Kokkos::atomic_max(&opinion.density[leaf], Opinion::bits(density, axis));
    Kokkos::atomic_max(&opinion.mass[leaf],
                       Opinion::bits(density * volume * static_cast<double>(integral.rule.gap), 0));
  }

  /// Difference in levels from which on a neighbour is much larger: a factor of four in volume.
  static constexpr int least_difference = 2;
  /// A region has not seen its neighbour's value if its own values are smaller by the factor `unseen`. Its error is
  /// then `margin` times what it may have missed according to this neighbour.
  static constexpr double unseen = 8, margin = 4;
};

/// The number of warned regions in the lists of all ranks.
/// @param density Opinion::density, of this many nodes
template <class Space>
std::uint64_t count_warned(Space const& exec, std::uint32_t const* density, std::size_t nodes) {
  std::uint64_t warned = 0;
  Kokkos::parallel_reduce(
      "kubature::second_opinion::warned", Kokkos::RangePolicy<Space>(exec, 0, nodes),
      KOKKOS_LAMBDA(std::size_t node, std::uint64_t& sum) { sum += Opinion::number(density[node]) > 0 ? 1 : 0; },
      warned);
  return warned;
}

/// Takes a second opinion on all regions of a list, after a summary; another one has to follow.
/// @param one_in one region in this many looks across its faces; 0: none
/// @param again  see SecondOpinion
/// @param most   maximum number of regions that may evaluate the rule's points again; if more are warned, none does
/// @param batches memory for integrands that evaluate batches, with room for any region; others do not need it
template <class Space, class P, class F, int D>
void look_again(Space const& exec, RegionIntegral<P, F, D> const& integral, RegionList<Space>& list, unsigned one_in,
                bool again, std::uint64_t most, Batches<Space>* batches) {
  auto const in_kernels = in_memory<Space>(integral);
  using Look = SecondOpinion<Space, P, std::remove_const_t<decltype(in_kernels.f)>, D>;
  // A small fraction of the allowed error, even if it is neglected in every region.
  double const least =
      policy<CubaturePolicy>().neglected_part / static_cast<double>(std::max<std::uint64_t>(1, list.total()));
  auto const tree = one_in > 0 ? list.tree(exec) : BisectionTree();
  Look look{in_kernels, list.regions(), tree, {}, list.counters(), list.weights(), least, one_in, again, true};
  if (auto const words = tree.known() ? list.zeros_of_nodes(exec, 2) : typename RegionList<Space>::Words();
      words.size() > 0) {
    look.opinion = {words.data(), words.data() + words.size() / 2};
    launch_look<typename Look::Across>(exec, "kubature::second_opinion::across", look, integral.f, list.size(),
                                       batches);
    list.maximum_over_ranks(exec, words);
    look.thorough = list.total() <= most || count_warned(exec, look.opinion.density, words.size() / 2) <= most;
  }
  launch_look<typename Look::Within>(exec, "kubature::second_opinion::within", look, integral.f, list.size(), batches);
}

/// The second opinions of a call.
template <class Space>
class SecondOpinions {
public:
  /// @param points  of the rule
  /// @param batches see look_again()
  SecondOpinions(Space const& exec, std::uint64_t points, Batches<Space>* batches = nullptr)
      : exec_(exec), points_(points), batches_(batches) {}

  /// Computes on another instance from now on.
  void use(Space const& exec) { exec_ = exec; }

  /// Takes second opinions while the estimates meet the tolerance without confirmation. As long as there are suspect
  /// regions, those around them are asked first, and all regions only if these find none. The regions of the first grid
  /// are of one size: they only look within.
  /// @param summarise summarises the list; returns its statistics
  /// @returns false if too few evaluations are left
  template <class Run, class Integral, class Summarise>
  bool ask(Run& run, Integral const& integral, RegionList<Space>& list, Summarise const& summarise) {
    bool const first = !std::exchange(refined_, true);
    for (bool const again : {true, false}) {
      if (!run.met(list))
        return true;
      if (again && !suspects_)
        continue;
      if (!affordable(run, list, first))
        return false;
      look(run, integral, list, again, summarise, first);
    }
    return true;
  }

  /// Whether enough evaluations are left for all regions to look.
  template <class Run>
  bool affordable(Run const& run, RegionList<Space> const& list, bool only_within = false) const {
    return run.affordable(1) >= evaluations(list, only_within);
  }

  /// Takes a second opinion on all regions, for which enough evaluations have to be left: see affordable().
  /// @param again only those that are new or warned others the last time look across their faces
  /// @returns whether any region is suspect
  template <class Run, class Integral, class Summarise>
  bool look(Run& run, Integral const& integral, RegionList<Space>& list, bool again, Summarise const& summarise,
            bool only_within = false) {
    auto const spare = run.affordable(1) - evaluations(list, only_within);
    look_again(exec_, integral, list, only_within ? 0 : one_in(list.total()), again, spare / points_, batches_);
    Counters const counters = summarise().counters;
    run.count(counters.second_evaluations - counters_.second_evaluations);
    suspects_ = counters.suspects > counters_.suspects;
    ever_ = ever_ || suspects_;
    counters_ = counters;
    return suspects_;
  }

private:
  /// Maximum number of evaluations if no region evaluates the rule's points again: those within each region, and three
  /// across each face.
  static std::uint64_t evaluations(RegionList<Space> const& list, bool only_within) {
    int const d = list.regions().dimension;
    return list.total() * (evaluations_behind_points(d) + (only_within ? 0 : 6 * static_cast<std::uint64_t>(d)));
  }

  /// Finding a neighbour costs as much as some tens of evaluations. In a long list without any suspect region so far,
  /// only a sample looks across faces, so that this takes a tenth of the time.
  unsigned one_in(std::uint64_t size) const {
    auto const& by = policy<CubaturePolicy>();
    return ever_ || size <= by.all_look ? 1u
                                        : static_cast<unsigned>(size <= by.many_look ? by.one_in_many : by.one_in_long);
  }

  Space exec_;
  std::uint64_t points_;
  Batches<Space>* batches_;
  Counters counters_;
  bool refined_ = false, suspects_ = false, ever_ = false;
};

} // namespace kubature::detail

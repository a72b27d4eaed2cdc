#pragma once

#include <kubature/detail/cubature/bisection_tree.hpp>
#include <kubature/detail/cubature/census.hpp>
#include <kubature/detail/cubature/evaluate_regions.hpp>
#include <kubature/detail/cubature/region_list.hpp>
#include <kubature/detail/cubature/regions.hpp>
#include <kubature/detail/policy.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace kubature::detail {

/// What regions are told by those around them, on the device, for each leaf of the tree: maxima, which do not depend on
/// who comes first.
struct Opinion {
  /// The largest |f| next to it, in units of what error is allowed for a unit of volume, with the axis along which it
  /// should be bisected to see it: the bits of floats, which are ordered as integers are, and in the lowest five the
  /// axis.
  std::uint32_t* density = nullptr;
  /// The largest integral that it may have missed, in units of the allowed error.
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

/// A grid that converges may have missed what lies between its points, and then says so with a small error: most of all
/// the tail of a peak in a region beside it that looks empty, and a discontinuity that runs along a face, nearer to it
/// than any point. So before a tolerance counts as met, two things are asked that the rule does not see.
///
/// Across each face of a region that matters: f is evaluated just behind it. A neighbour, no smaller, that knows of
/// much less than that lets expect of a region of this size is told, and where it is larger by a factor of four or
/// more, f is also evaluated in the region's mirror image. If the neighbour's own points have seen nothing of the size
/// that it is told, it is doubted: its error becomes a multiple of what it may have missed, and it will be bisected
/// towards the size of the region that told it. This comes to the 2:1 grading of adaptive meshes, but only where
/// something is at stake.
///
/// Within each region: f at the centres of its faces is compared with its values along the axes. Where it jumps in the
/// gap between the outermost points and the face, the gap times the jump is added to the error.
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
  /// A region matters whose value is more than this part of the allowed error.
  double least;
  /// Across the faces of which regions one looks: of one in so many, or only of those that are new or told others
  /// something the last time.
  unsigned one_in;
  bool again;
  /// Whether a region that is told may evaluate the rule's points again; if not, it is doubted at once.
  bool thorough;

  struct Across {};
  struct Within {};

  /// Looks across the faces of region i.
  KOKKOS_FUNCTION void operator()(Across, std::uint64_t i) const {
    if ((again ? regions.seen_again(i) && !regions.teller(i) : one_in > 1 && lot(i) % one_in != 0) ||
        !(regions.size(i, weights) > least))
      return;
    double const volume = integral.volume(regions, i);
    Place const place = integral.place(regions, i);
    bool told = false;
    std::uint64_t evaluations = 0;
    for (int k = 0; k < regions.dimension; ++k)
      for (int upper = 0; upper < 2; ++upper) {
        Interval const interval = regions.interval(k, i);
        auto const first = std::uint64_t{1} << interval.level();
        if (interval.code == (upper != 0 ? 2 * first - 1 : first))
          continue; // the end of the side
        auto const beyond = [&](Sample step) {
          auto x = place.centre;
          x[k] += (upper != 0 ? step : -step) * place.side[k];
          ++evaluations;
          return integral.magnitude(x, weights);
        };
        double density = beyond(Sample(0.5) + integral.close(place, k));
        if (!(density * volume > least))
          continue;
        Interval const next{upper != 0 ? interval.code + 1 : interval.code - 1};
        auto const leaf =
            tree.find([&](int axis) { return axis == k ? next : regions.interval(axis, i); }, k, 1 - upper);
        if (again && regions.seen_again(i) && tree.seen_again(leaf.node))
          continue;
        int coarser = 0, axis = k, most = 0; // the neighbour
        for (int a = 0; a < regions.dimension; ++a) {
          int const more = regions.interval(a, i).level() - leaf.levels[a];
          coarser += more;
          axis = more > most ? a : axis;
          most = more > most ? more : most;
        }
        double const known = tree.size(leaf.node) * unseen;
        if (coarser < 0 || known > density * volume)
          continue;
        if (coarser >= least_difference)
          density = Kokkos::fmax(density, Kokkos::fmax(beyond(Sample(0.75)), beyond(Sample(1))));
        tell(leaf.node, density, volume * Kokkos::exp2(static_cast<double>(coarser)), axis);
        told = true;
      }
    regions.mark_teller(i, told);
    if (evaluations > 0)
      Kokkos::atomic_add(&counters->second_evaluations, evaluations);
  }

  /// Whether a region has seen what its neighbours know of it, and whether it jumps at its faces.
  KOKKOS_FUNCTION void operator()(Within, std::uint64_t i) const {
    std::uint32_t const told = opinion.density != nullptr ? opinion.density[regions.nodes[i]] : 0;
    double const density = Opinion::number(told);
    bool const seen = regions.seen_again(i);
    if (seen && density == 0)
      return;
    std::uint64_t evaluations = 0;
    bool doubted = !seen && integral.doubt(regions, i, weights, least, evaluations);
    if (density > 0) {
      Place const place = integral.place(regions, i);
      double const largest = thorough ? integral.largest(place, weights, density / unseen, evaluations) : 0;
      if (largest < density / unseen) {
        for (int c = 0; c < components; ++c)
          regions.error(c, i) =
              Kokkos::fmax(regions.error(c, i), margin * Opinion::number(opinion.mass[regions.nodes[i]]) / weights[c]);
        if (integral.has_room(place, regions, i, Opinion::axis(told)))
          regions.set_axis(i, Opinion::axis(told));
        doubted = true;
      }
    }
    regions.mark_seen_again(i);
    if (evaluations > 0)
      Kokkos::atomic_add(&counters->second_evaluations, evaluations);
    if (doubted)
      Kokkos::atomic_inc(&counters->doubted);
  }

private:
  /// A number that is as good as random, from the region's place.
  KOKKOS_FUNCTION unsigned lot(std::uint64_t i) const {
    std::uint64_t mixed = 0;
    for (int k = 0; k < regions.dimension; ++k) {
      mixed = (mixed ^ regions.interval(k, i).code) * 0x9e3779b97f4a7c15u;
      mixed ^= mixed >> 29;
    }
    return static_cast<unsigned>(mixed >> 32);
  }

  /// A region is told of values next to it.
  KOKKOS_FUNCTION void tell(std::uint32_t leaf, double density, double volume, int axis) const {
    Kokkos::atomic_max(&opinion.density[leaf], Opinion::bits(density, axis));
    Kokkos::atomic_max(&opinion.mass[leaf],
                       Opinion::bits(density * volume * static_cast<double>(integral.rule.gap), 0));
  }

  /// Of bisections between neighbours: a factor of four in volume.
  static constexpr int least_difference = 2;
  /// A region has not seen its neighbour's values if its own are this much smaller, and is then taken to have missed so
  /// many times the integral of one neighbour.
  static constexpr double unseen = 8, margin = 4;
};

/// Asks for a second opinion on all regions of a list, after a survey; another one has to follow.
/// @param one_in look across the faces of one region in so many; 0: of none
/// @param thorough see SecondOpinion
/// @param again  look only across the faces of regions that are new or told others something the last time
template <class Space, class P, class F, int D>
void look_again(Space const& exec, RegionIntegral<P, F, D> const& integral, RegionList<Space>& list, unsigned one_in,
                bool again, bool thorough) {
  using Look = SecondOpinion<Space, P, F, D>;
  using Index = Kokkos::IndexType<std::uint64_t>;
  auto const size = list.size();
  // Small parts of the error that is allowed, so that all together they are small, too.
  double const least = 0.25 / static_cast<double>(std::max<std::uint64_t>(1, list.total()));
  auto const tree = one_in > 0 ? list.tree(exec) : BisectionTree();
  Look look{integral, list.regions(), tree, {}, list.counters(), list.weights(), least, one_in, again, thorough};
  if (auto const words = tree.halves != nullptr ? list.zeros_of_nodes(exec, 2) : typename RegionList<Space>::Words();
      words.size() > 0) {
    look.opinion = {words.data(), words.data() + words.size() / 2};
    Kokkos::parallel_for("kubature::second_opinion::across",
                         as_argument(Kokkos::RangePolicy<Space, typename Look::Across, Index>(exec, 0, size)), look);
    list.join_words(exec, words);
  }
  Kokkos::parallel_for("kubature::second_opinion::within",
                       as_argument(Kokkos::RangePolicy<Space, typename Look::Within, Index>(exec, 0, size)), look);
}

/// The second opinions of a call.
template <class Space>
class SecondOpinions {
public:
  /// @param points of the rule
  SecondOpinions(Space const& exec, std::uint64_t points) : exec_(exec), points_(points) {}

  /// Where the estimates meet the tolerance, sees whether they still do. While regions are doubted, those around them
  /// are asked first, and all only where these are content. The regions of the first grid are of one size: of these
  /// one looks only within.
  /// @param survey of the list; returns the census
  /// @returns false where the evaluations that are left do not suffice for that
  template <class Run, class Integral, class Survey>
  bool ask(Run& run, Integral const& integral, RegionList<Space>& list, Survey const& survey) {
    bool const first = !std::exchange(refined_, true);
    for (bool const again : {true, false}) {
      if (!run.met(list))
        return true;
      if (again && !doubts_)
        continue;
      if (!affordable(run, integral, list, 0, first))
        return false;
      look(run, integral, list, again, survey, first);
    }
    return true;
  }

  /// Whether the run can afford a look: three evaluations across each face of a region at most, besides those within.
  /// @param points for which each region may ask besides
  template <class Run, class Integral>
  bool affordable(Run const& run, Integral const&, RegionList<Space> const& list, std::uint64_t points = 0,
                  bool only_within = false) const {
    int const dimension = list.regions().dimension;
    auto const across = only_within ? 0 : 6 * static_cast<std::uint64_t>(dimension);
    return run.affordable(Integral::points_behind(dimension) + across + points) >= list.total();
  }

  /// Looks at all regions, or only at those around the ones that were doubted the last time; or only within regions.
  /// @returns whether any is doubted
  template <class Run, class Integral, class Survey>
  bool look(Run& run, Integral const& integral, RegionList<Space>& list, bool again, Survey const& survey,
            bool only_within = false) {
    look_again(exec_, integral, list, only_within ? 0 : one_in(list.total()), again,
               affordable(run, integral, list, points_));
    Counters const counters = survey().counters;
    run.count(counters.second_evaluations - counters_.second_evaluations);
    doubts_ = counters.doubted > counters_.doubted;
    ever_ = ever_ || doubts_;
    counters_ = counters;
    return doubts_;
  }

private:
  /// To find a neighbour takes as long as some tens of evaluations. A list that nothing speaks against is looked at in
  /// samples where it is long, so that this takes a tenth of the time.
  unsigned one_in(std::uint64_t size) const { return ever_ || size <= 1 << 13 ? 1 : size <= 1 << 15 ? 4 : 16; }

  Space exec_;
  std::uint64_t points_;
  Counters counters_;
  bool refined_ = false, doubts_ = false, ever_ = false;
};

} // namespace kubature::detail

#include <kubature/batched.hpp>
#include <kubature/detail/components/component_sums.hpp>
#include <kubature/detail/mixed_precision/sub_box_points.hpp>
#include <kubature/detail/quasi_monte_carlo/lattice.hpp>
#include <kubature/detail/quasi_monte_carlo/qmc_points.hpp>
#include <kubature/detail/sampling/moments.hpp>
#include <kubature/detail/sampling/protocols.hpp>
#include <kubature/detail/sampling/sample_in_batches.hpp>
#include <kubature/detail/sampling/uniform_points.hpp>
#include <kubature/detail/vegas/cube_points.hpp>
#include <kubature/detail/vegas_plus/stratum_points.hpp>
#include <kubature/expression.hpp>
#include <kubature/precision.hpp>

#include <gtest/gtest.h>

using namespace kubature;
using namespace kubature::detail;

namespace protocols_test {

using Space = Kokkos::DefaultExecutionSpace;

using Uniform = UniformPoints<Fp64, 3, 4>;
using Cubes = CubePoints<Space, Fp64, 3>;
using Strata = StratumPoints<Space, Fp32, dynamic>;
using Parts = SubBoxPoints<Space, Mix::doubles, float, 2, 1>;
using Lattices = QmcPoints<Space, Fp64, 2, 8, Lattice<2>, Placing::rotated>;

static_assert(PointSource<Uniform> && PointSource<Cubes> && PointSource<Strata> && PointSource<Parts> &&
              PointSource<Lattices>);
static_assert(StratifiedSource<Uniform> && StratifiedSource<Cubes> && StratifiedSource<Strata> &&
              StratifiedSource<Parts> && !StratifiedSource<Lattices>);
static_assert(RunsInStep<Cubes> && RunsInStep<Strata> && !RunsInStep<Uniform>);
static_assert(HasCommonJacobian<Uniform> && !HasCommonJacobian<Cubes>);
static_assert(FillsSomeSegments<Lattices> && !FillsSomeSegments<Cubes>);

static_assert(PointSequence<Lattice<2>, 8> && !PointSequence<Uniform, 8>);

static_assert(Accumulator<KeepMoments<double, 2, true>, Uniform> && Accumulator<KeepMoments<double, 1>, Lattices>);
static_assert(Accumulator<KeepCubes<double, 1>, Cubes> && Accumulator<KeepStrata<Space, Strata::Acc, 3>, Strata>);
static_assert(IsDriven<KeepCubes<double, 2>> && !IsDriven<KeepCubes<double, 1>> && !IsDriven<KeepMoments<double, 2>>);

/// A source of which one member is missing, or has another meaning.
struct WithoutDraw : Uniform {
  void draw() const;
};
struct WithoutStart : Uniform {
  static int start(Table const&, Partition const&, std::uint64_t);
};
struct WithoutSteps : Uniform {
  static std::uint64_t steps();
};
static_assert(!of_source::Draws<WithoutDraw> && !PointSource<WithoutDraw>);
static_assert(!of_source::Starts<WithoutStart> && !PointSource<WithoutStart>);
static_assert(!of_source::CountsSamples<WithoutSteps> && !PointSource<WithoutSteps>);
static_assert(!of_source::HasTypes<int> && !PointSource<int>);

/// An accumulator likewise.
struct WithoutClose : KeepMoments<double, 1> {
  void close() const;
};
struct WithoutSums {
  static constexpr int components = 1;
  static constexpr bool products = false;
};
static_assert(!Accumulator<WithoutClose, Uniform> && !Accumulator<WithoutSums, Uniform>);

struct Function {
  KOKKOS_FUNCTION double operator()(Point<double, 2> const& x) const { return x[0]; }
};
struct OfBatches {
  void operator()(Space const&, BatchPoints<Space> const&, BatchValues<Space> const&) const {}
};
struct ThreadSafe : OfBatches {
  static bool thread_safe() { return true; }
};
struct InThreads : ThreadSafe {
  void in_thread(BatchPoints<Space> const&, BatchValues<Space> const&) const {}
};

static_assert(evaluation_of<Function> == Evaluation::point);
static_assert(evaluation_of<DeviceExpression<Space::memory_space>> == Evaluation::formula);
static_assert(evaluation_of<Batched<OfBatches, 2>> == Evaluation::batch);
static_assert(evaluation_of<SummedComponents<Space, OfBatches>> == Evaluation::components);
static_assert(evaluation_of<StoredValues<Space, 1>> == Evaluation::stored);
static_assert(EvaluatesBatches<OfBatches, Space, BatchPoints<Space>, BatchValues<Space>> &&
              !EvaluatesBatches<Function, Space, BatchPoints<Space>, BatchValues<Space>>);
static_assert(EvaluatesInThreads<InThreads, BatchPoints<Space>, BatchValues<Space>> && AnswersForThreads<ThreadSafe> &&
              !EvaluatesInThreads<ThreadSafe, BatchPoints<Space>, BatchValues<Space>>);

TEST(Protocols, CountValuesOfAPoint) {
  EXPECT_EQ(values_of_point(Function()), 0);
  EXPECT_EQ(used_components<3>(Function()), 3);
  EXPECT_EQ(values_of_point(Batched<OfBatches, 2>()), 2);
  EXPECT_EQ(used_components<2>(Batched<OfBatches, 2>()), 2);
}

} // namespace protocols_test

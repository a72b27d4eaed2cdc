#include <kubature/detail/chunks.hpp>
#include <kubature/detail/spaces.hpp>
#include <kubature/detail/vegas_plus/stratification.hpp>
#include <kubature/tuning.hpp>

#include <algorithm>
#include <utility>

namespace kubature::detail {
namespace {

/// The shares of each block of cubes together: a block for a few lanes, so that neighbours read what lies side by side,
/// and a lane has several cubes to read at once (32 lanes take three times as long).
template <class Space>
struct SumBlocks {
  using Policy = Kokkos::TeamPolicy<Space>;
  static constexpr int blocks_per_team = 16, lanes = 8;
  Allotment<Space> allotment;
  Kokkos::View<std::uint64_t*, Space, Kokkos::MemoryUnmanaged> sums;

  void launch(Space const& exec) const {
    auto const teams = Chunks::ceil(allotment.blocks(), blocks_per_team);
    Kokkos::parallel_for(
        "kubature::vegas_plus::sum_blocks",
        Policy(exec, static_cast<int>(teams), Kokkos::AUTO, std::min(Policy::vector_length_max(), lanes)), *this);
  }

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    constexpr auto block = Allotment<Space>::block;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, blocks_per_team), [&](int k) {
      auto const n = static_cast<std::uint64_t>(team.league_rank()) * blocks_per_team + static_cast<std::uint64_t>(k);
      if (n >= allotment.blocks())
        return;
      std::uint64_t sum = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, static_cast<int>(block)),
          [&](int lane, std::uint64_t& part) { part += allotment.share(n * block + static_cast<std::uint64_t>(lane)); },
          sum);
      Kokkos::single(Kokkos::PerThread(team), [&] { sums(n) = sum; });
    });
  }
};

/// Makes running sums of these: each of the blocks before, and at the end of all.
template <class Space>
struct ScanBlocks {
  Kokkos::View<std::uint64_t*, Space, Kokkos::MemoryUnmanaged> sums;
  std::int64_t blocks;

  void launch(Space const& exec) const {
    Kokkos::parallel_scan("kubature::vegas_plus::scan_blocks",
                          Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(exec, 0, blocks + 1), *this);
  }

  KOKKOS_FUNCTION void operator()(std::int64_t n, std::uint64_t& sum, bool last) const {
    std::uint64_t const block = n < blocks ? sums(n) : 0;
    if (last)
      sums(n) = sum;
    sum += block;
  }
};

struct Sum {
  double value = 0;
  KOKKOS_FUNCTION void join(Sum const& other) { value += other.value; }
};

/// New cubes take the weight of the old cube that their centre lies in. A team sums the weights of a chunk.
template <class Space>
struct CarryOver {
  using Counts = typename Stratification<Space>::Counts;
  using Weights = typename Stratification<Space>::Weights;
  Weights from, to;
  Kokkos::View<Sum*, Space, Kokkos::MemoryUnmanaged> partials;
  Counts old_counts, counts;
  int dimension;
  std::uint64_t cubes, chunk;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Space>::member_type const& team) const {
    std::uint64_t const begin = static_cast<std::uint64_t>(team.league_rank()) * chunk;
    std::uint64_t const count = begin + chunk < cubes ? chunk : cubes - begin;
    Sum sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, static_cast<int>(count)),
        [&](int k, Sum& partial) {
          std::uint64_t rest = begin + static_cast<std::uint64_t>(k), old = 0, stride = 1;
          for (int i = 0; i < dimension; ++i) {
            auto const n = static_cast<std::uint64_t>(counts[i]), m = static_cast<std::uint64_t>(old_counts[i]);
            old += (2 * (rest % n) + 1) * m / (2 * n) * stride;
            rest /= n;
            stride *= m;
          }
          float const weight = from(old);
          to(begin + static_cast<std::uint64_t>(k)) = weight;
          partial.value += static_cast<double>(weight);
        },
        Join<Sum>(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { partials(team.league_rank()) = sum; });
  }
};

} // namespace

template <class Space>
void Stratification<Space>::cut(Space const& exec, int dimension, Counts const& counts) {
  std::uint64_t cubes = 1;
  bool same = dimension == dimension_;
  for (int i = 0; i < dimension; ++i) {
    cubes *= static_cast<std::uint64_t>(counts[i]);
    same = same && counts[i] == counts_[i];
  }
  if (same)
    return;
  if (known_ && dimension == dimension_) {
    auto const chunk = std::max<std::uint64_t>(1024, Chunks::ceil(cubes, Tuning<Space>::most_chunks));
    auto const chunks = Chunks::ceil(cubes, chunk);
    auto const partials = partials_.template as<Sum>(exec, chunks);
    Kokkos::parallel_for("kubature::vegas_plus::carry_over",
                         Kokkos::TeamPolicy<Space>(exec, static_cast<int>(chunks), Tuning<Space>::reduction_team),
                         CarryOver<Space>{weights_.template as<float>(exec, cubes_),
                                          next_.template as<float>(exec, cubes), partials, counts_, counts, dimension,
                                          cubes, chunk});
    accept(total_.join(exec, "kubature::vegas_plus::join", partials).value);
  } else {
    known_ = false;
  }
  dimension_ = dimension;
  counts_ = counts;
  cubes_ = cubes;
}

template <class Space>
Allotment<Space> Stratification<Space>::allot(Space const& exec, std::uint64_t least, std::uint64_t evaluations) {
  Allotment<Space> result;
  result.cubes = cubes_;
  result.least = least;
  std::uint64_t const rest = evaluations > least * cubes_ ? evaluations - least * cubes_ : 0;
  if (!known_ || !(sum_ > 0) || rest == 0) {
    // Where the rest is too large for units of 2^-16, whole samples will do.
    std::uint64_t const whole = rest / cubes_, part = ((rest % cubes_) << result.fraction_bits) / cubes_;
    result.even = (whole << result.fraction_bits) + part;
    return result;
  }
  // The sum of the weights is rounded, so a little less is dealt out.
  result.scale = static_cast<double>(rest) * (1 << Allotment<Space>::fraction_bits) / sum_ * (1 - 0x1p-40);
  result.weights = weights_.template as<float>(exec, cubes_);
  auto const sums = sums_.template as<std::uint64_t>(exec, result.blocks() + 1);
  SumBlocks<Space>{result, sums}.launch(exec);
  ScanBlocks<Space>{sums, static_cast<std::int64_t>(result.blocks())}.launch(exec);
  result.sums = sums;
  return result;
}

template <class Space>
void Stratification<Space>::accept(double sum) {
  std::swap(weights_, next_);
  sum_ = sum;
  known_ = true;
}

template <class Space>
std::vector<float> Stratification<Space>::weights(Space const& exec) {
  std::vector<float> result(known_ ? cubes_ : 0);
  Kokkos::View<float*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(result.data(), result.size());
  if (known_) {
    Kokkos::deep_copy(exec, host, weights_.template as<float>(exec, cubes_));
    exec.fence("kubature::vegas_plus::read_weights");
  }
  return result;
}

template <class Space>
void Stratification<Space>::restore(Space const& exec, int dimension, Counts const& counts, double sum,
                                    std::vector<float> const& weights) {
  reset();
  cut(exec, dimension, counts);
  if (weights.empty())
    return;
  Kokkos::View<float const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(weights.data(), weights.size());
  Kokkos::deep_copy(exec, next(exec), host);
  exec.fence("kubature::vegas_plus::write_weights");
  accept(sum);
}

#define KUBATURE_INSTANTIATE(Space) template class Stratification<Space>;
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail

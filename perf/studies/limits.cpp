// limits: what a machine can do at most, by bare loops: bandwidth, products and sums, random numbers, histograms, and
// samples a second of the integrands of the study `architecture`, by themselves, with the random numbers of their
// points, with a map of these, and with the histograms that train it. CMakeLists.txt compiles it for the processor at
// hand, with any order of sums, as a program for that machine alone would be.
#include "record.hpp"

#include <kubature/detail/sampling/stream.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstdio>
#include <string>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace {

using namespace kubature;
using perf::Json, perf::Space, perf::on_host;

struct Options {
  double seconds = 0.2;
};

/// Seconds of one call(n), of the least n that takes long enough, starting with `least`.
template <class Call>
double per_unit(double seconds, std::uint64_t least, Call const& call) {
  call(least);
  for (std::uint64_t n = least;; n *= 4) {
    Kokkos::fence();
    Kokkos::Timer const timer;
    call(n);
    Kokkos::fence();
    if (double const taken = timer.seconds(); taken > seconds || n > (std::uint64_t{1} << 50))
      return taken / static_cast<double>(n);
  }
}

using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
using Vector = Kokkos::View<double*, Space>;

struct Triad {
  Vector a, b, c;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { a(i) = b(i) + 3 * c(i); }
};

/// Bytes a second of a = b + 3 c, on vectors that no cache holds.
double bandwidth(Options const& options) {
  std::int64_t const n = std::int64_t{1} << (on_host ? 25 : 27);
  Triad const triad{Vector("kubature::limits::a", n), Vector("kubature::limits::b", n),
                    Vector("kubature::limits::c", n)};
  double const seconds = per_unit(options.seconds, 1, [&](std::uint64_t times) {
    for (std::uint64_t k = 0; k < times; ++k)
      Kokkos::parallel_for("kubature::limits::triad", Range(0, n), triad);
  });
  return 3 * sizeof(double) * static_cast<double>(n) / seconds;
}

/// Seconds of one of the kernel's indices, each of which adds something to a sum.
template <class Kernel>
double per_index(Options const& options, std::uint64_t least, Kernel const& kernel) {
  return per_unit(options.seconds, least, [&](std::uint64_t n) {
    double sum = 0;
    Kokkos::parallel_reduce("kubature::limits::sum", Range(0, static_cast<std::int64_t>(n)), kernel, sum);
  });
}

/// As many numbers as the widest vectors of hosts hold; one on a device.
#if defined(__CUDACC__) || defined(__HIPCC__) || !defined(__GNUC__)
constexpr int width = 1;
using Numbers = double;
using Words = std::uint64_t;
#else
#if defined(__AVX512F__)
constexpr int width = 8;
#elif defined(__AVX2__)
constexpr int width = 4;
#else
constexpr int width = 2;
#endif
using Numbers [[gnu::vector_size(8 * width)]] = double;
using Words [[gnu::vector_size(8 * width)]] = std::uint64_t;
#endif

/// The numbers of a vector.
KOKKOS_FORCEINLINE_FUNCTION double const* elements(Numbers const& v) { return reinterpret_cast<double const*>(&v); }
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t* elements(Words& v) { return reinterpret_cast<std::uint64_t*>(&v); }

struct Chains {
  static constexpr int chains = 8, steps = 4096;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& to) const {
    Numbers a[chains] = {};
    for (int k = 0; k < chains; ++k)
      a[k] += static_cast<double>(i + k);
    for (int step = 0; step < steps; ++step)
#pragma GCC unroll 8
      for (int k = 0; k < chains; ++k)
        a[k] = a[k] * 0.999 + 0.5;
    for (int k = 0; k < chains; ++k)
      to += elements(a[k])[0];
  }
};

/// Products and sums a second, each counted as one, in double precision.
double arithmetic(Options const& options) {
  return 2.0 * width * Chains::chains * Chains::steps /
         per_index(options, std::uint64_t{1} << (on_host ? 8 : 18), Chains{});
}

using Teams = Kokkos::TeamPolicy<Space>;

/// Histograms of a team, in its scratch.
struct Histograms {
  using Scratch = Kokkos::View<std::uint64_t*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr int level = on_host ? 1 : 0; // hosts have a cache for both
  std::uint64_t* bin;

  KOKKOS_FUNCTION Histograms(Teams::member_type const& team, int intervals)
      : bin(Scratch(team.team_scratch(int{level}), intervals).data()) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, intervals), [&](int k) { bin[k] = 0; });
    team.team_barrier();
  }
  KOKKOS_FUNCTION void add(std::uint32_t interval, std::uint64_t amount) const {
    KOKKOS_IF_ON_HOST((bin[interval] += amount;))
    KOKKOS_IF_ON_DEVICE((Kokkos::atomic_add(&bin[interval], amount);))
  }

  static Teams policy(std::uint64_t teams, int intervals) {
    return Teams(static_cast<int>(teams), Tuning<Space>::sampling_team)
        .set_scratch_size(level, Kokkos::PerTeam(static_cast<int>(Scratch::shmem_size(intervals))));
  }
};

struct Counts {
  static constexpr int intervals = 512, each = 4096;

  KOKKOS_FUNCTION void operator()(Teams::member_type const& team, std::uint64_t& to) const {
    Histograms const histogram(team, intervals);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, each), [&](int k) {
      auto const word = static_cast<std::uint32_t>(k + team.league_rank()) * 2654435761u;
      histogram.add(word >> 23, word);
    });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] { to += histogram.bin[team.league_rank() % intervals]; });
  }
};

/// Counts a second of random numbers in histograms of 512 intervals, one per team, in its scratch.
double histograms(Options const& options) {
  double const seconds = per_unit(options.seconds, on_host ? 64 : 4096, [&](std::uint64_t n) {
    std::uint64_t sum = 0;
    Kokkos::parallel_reduce("kubature::limits::histograms", Histograms::policy(n, Counts::intervals), Counts{}, sum);
  });
  return Counts::each / seconds;
}

/// Samples that a thread works on side by side, axis by axis, so that the compiler can vectorise.
constexpr int lanes = on_host ? 32 : 1, vectors = lanes / width;

/// The lower halves' products.
KOKKOS_FORCEINLINE_FUNCTION Words product(Words a, std::uint32_t b) {
#if defined(__AVX512F__)
  return reinterpret_cast<Words>(_mm512_mul_epu32(reinterpret_cast<__m512i>(a), _mm512_set1_epi64(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<Words>(_mm256_mul_epu32(reinterpret_cast<__m256i>(a), _mm256_set1_epi64x(b)));
#else
  return (a & 0xFFFFFFFFu) * b;
#endif
}

/// Philox4x32 with the rounds of the library's sampling: the words of a block of samples, in the lower halves.
KOKKOS_FORCEINLINE_FUNCTION void words(std::uint64_t first, std::uint32_t block, Words (&c)[4][vectors]) {
  for (int v = 0; v < vectors; ++v) {
    for (int w = 0; w < width; ++w)
      elements(c[0][v])[w] = first + static_cast<unsigned>(v * width + w);
    c[1][v] = c[0][v] >> 32;
    c[2][v] = Words{};
    c[3][v] = Words{} + block;
  }
  std::uint32_t k0 = 0, k1 = 0;
  for (int round = 0; round < detail::sampling_rounds; ++round) {
    for (int v = 0; v < vectors; ++v) {
      auto const p0 = product(c[0][v], 0xD2511F53u), p1 = product(c[2][v], 0xCD9E8D57u);
      c[0][v] = (p1 >> 32) ^ c[1][v] ^ k0;
      c[1][v] = p1;
      c[2][v] = (p0 >> 32) ^ c[3][v] ^ k1;
      c[3][v] = p0;
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

/// Intervals of a map on each axis.
constexpr int bins = 500;
using Edges = Kokkos::View<double const*, Space, Kokkos::MemoryTraits<Kokkos::RandomAccess>>; // [axis][bins + 1]

/// The points of some numbers.
enum class Points {
  for_nothing, ///< that cost nothing
  random,      ///< of random numbers
  mapped,      ///< of random numbers by a map that is linear in each interval, with its Jacobian
  recorded     ///< mapped, with the weights (J f)^2 counted in a histogram for each axis
};

#if defined(__AVX512F__)
using Places = __m256i;
KOKKOS_FORCEINLINE_FUNCTION Numbers looked_up(double const* table, Places at) {
  return reinterpret_cast<Numbers>(_mm512_i32gather_pd(at, table, 8));
}
KOKKOS_FORCEINLINE_FUNCTION Places whole(Numbers y) { return _mm512_cvttpd_epi32(reinterpret_cast<__m512d>(y)); }
KOKKOS_FORCEINLINE_FUNCTION Numbers as_numbers(Places k) { return reinterpret_cast<Numbers>(_mm512_cvtepi32_pd(k)); }
KOKKOS_FORCEINLINE_FUNCTION void store(int* to, Places k) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), k); }
#elif defined(__AVX2__)
using Places = __m128i;
KOKKOS_FORCEINLINE_FUNCTION Numbers looked_up(double const* table, Places at) {
  return reinterpret_cast<Numbers>(_mm256_i32gather_pd(table, at, 8));
}
KOKKOS_FORCEINLINE_FUNCTION Places whole(Numbers y) { return _mm256_cvttpd_epi32(reinterpret_cast<__m256d>(y)); }
KOKKOS_FORCEINLINE_FUNCTION Numbers as_numbers(Places k) { return reinterpret_cast<Numbers>(_mm256_cvtepi32_pd(k)); }
KOKKOS_FORCEINLINE_FUNCTION void store(int* to, Places k) { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), k); }
#else
struct Places {
  int k[width];
};
KOKKOS_FORCEINLINE_FUNCTION Places whole(Numbers y) {
  Places k{};
  for (int w = 0; w < width; ++w)
    k.k[w] = static_cast<int>(elements(y)[w]);
  return k;
}
KOKKOS_FORCEINLINE_FUNCTION Numbers as_numbers(Places const& k) {
  Numbers y{};
  for (int w = 0; w < width; ++w)
    reinterpret_cast<double*>(&y)[w] = k.k[w];
  return y;
}
KOKKOS_FORCEINLINE_FUNCTION void store(int* to, Places const& k) {
  for (int w = 0; w < width; ++w)
    to[w] = k.k[w];
}
KOKKOS_FORCEINLINE_FUNCTION Numbers looked_up(double const* table, Places const& at) {
  Numbers y{};
  for (int w = 0; w < width; ++w)
    reinterpret_cast<double*>(&y)[w] = table[at.k[w]];
  return y;
}
#endif

template <class F, int D, Points points>
struct Samples {
  static constexpr bool has_map = points == Points::mapped || points == Points::recorded;
  Edges edges;

  /// Moves the points of an axis, and multiplies their weights.
  KOKKOS_FUNCTION void map(double const* table, double (&x)[lanes], Numbers (&weight)[vectors],
                           [[maybe_unused]] int (&interval)[lanes]) const {
    for (int v = 0; v < vectors; ++v) {
      auto& at = reinterpret_cast<Numbers&>(x[v * width]);
      Numbers const y = at * static_cast<double>(bins);
      Places const k = whole(y);
      Numbers const left = looked_up(table, k), size = looked_up(table + 1, k) - left;
      at = left + (y - as_numbers(k)) * size;
      weight[v] *= size * static_cast<double>(bins);
      if constexpr (points == Points::recorded)
        store(interval + v * width, k);
    }
  }

  /// The sum of a block of samples.
  /// @param record record(weights, intervals) is called if these are recorded
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION double sum_of_block(std::int64_t i, Record const& record) const {
    alignas(64) double x[D][lanes];
    for (int block = 0; 4 * block < D; ++block) {
      Words c[4][vectors];
      if constexpr (points != Points::for_nothing)
        words(static_cast<std::uint64_t>(i) * lanes, static_cast<std::uint32_t>(block), c);
      else
        for (int j = 0; j < 4; ++j)
          for (int v = 0; v < vectors; ++v)
            c[j][v] = Words{} + static_cast<std::uint64_t>(i) * (0x9E3779B9u + 1000u * static_cast<unsigned>(j)) +
                      std::uint64_t{0xBB67AE85u} * static_cast<unsigned>(v);
      for (int j = 0; j < 4 && 4 * block + j < D; ++j)
        for (int v = 0; v < vectors; ++v)
          for (int w = 0; w < width; ++w)
            x[4 * block + j][v * width + w] =
                (static_cast<double>(static_cast<std::uint32_t>(elements(c[j][v])[w])) + 0.5) * 0x1p-32;
    }
    double value[lanes];
    [[maybe_unused]] int interval[D][lanes];
    if constexpr (has_map) {
      Numbers weight[vectors];
      for (auto& each : weight)
        each = Numbers{} + 1.0;
      for (int j = 0; j < D; ++j)
        map(edges.data() + j * (bins + 1), x[j], weight, interval[j]);
      for (int w = 0; w < lanes; ++w)
        value[w] = F::at(x, w) * elements(weight[w / width])[w % width];
    } else {
      for (int w = 0; w < lanes; ++w)
        value[w] = F::at(x, w);
    }
    double sum = 0;
    for (int w = 0; w < lanes; ++w)
      sum += value[w];
    if constexpr (points == Points::recorded)
      record(value, interval);
    return sum;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t i, double& to) const {
    to += sum_of_block(i, [](auto const&, auto const&) {});
  }
};

/// Samples that are recorded.
template <class F, int D>
struct RecordedSamples {
  /// Of a team: as many samples as a chunk of the library has.
  static constexpr int blocks = on_host ? 4096 / lanes : 64 * Tuning<Space>::sampling_team;

  Samples<F, D, Points::recorded> samples;

  KOKKOS_FUNCTION void operator()(Teams::member_type const& team, double& to) const {
    Histograms const histogram(team, D * bins);
    auto const record = [&](auto const& value, auto const& interval) {
      std::uint64_t amount[lanes];
      for (int w = 0; w < lanes; ++w) {
        double const weight = value[w] + 1e-9; // no subnormal squares, which take a hundred times as long
        amount[w] = static_cast<std::uint64_t>(static_cast<std::int64_t>(0x1p20 * weight * weight)) << 13 | 1;
      }
      for (int j = 0; j < D; ++j)
        for (int w = 0; w < lanes; ++w)
          histogram.add(static_cast<std::uint32_t>(j * bins + interval[j][w]), amount[w]);
    };
    auto const first = std::int64_t{team.league_rank()} * blocks;
    double sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, blocks),
        [&](int k, double& part) { part += samples.sum_of_block(first + k, record); }, sum);
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team),
                   [&] { to += sum + static_cast<double>(histogram.bin[team.league_rank() % (D * bins)]); });
  }
};

/// Equal intervals on each axis.
template <int D>
Edges equal_intervals() {
  Kokkos::View<double*, Space> const edges("kubature::limits::edges", D * (bins + 1));
  auto const host = Kokkos::create_mirror_view(edges);
  for (int k = 0; k < D * (bins + 1); ++k)
    host(k) = static_cast<double>(k % (bins + 1)) / bins;
  Kokkos::deep_copy(edges, host);
  return edges;
}

/// Seconds of one sample: F at these points.
template <class F, int D, Points points>
double of_sample(Options const& options) {
  Samples<F, D, points> const samples{equal_intervals<D>()};
  if constexpr (points != Points::recorded)
    return per_index(options, std::uint64_t{1} << (on_host ? 8 : 22), samples) / lanes;
  else
    return per_unit(options.seconds, on_host ? 16 : 4096,
                    [&](std::uint64_t n) {
                      double sum = 0;
                      Kokkos::parallel_reduce("kubature::limits::recorded", Histograms::policy(n, D * bins),
                                              RecordedSamples<F, D>{samples}, sum);
                    }) /
           (RecordedSamples<F, D>::blocks * lanes);
}

// The integrands, written for a compiler: coordinate i of sample w is x[i][w].

struct One {
  template <int D>
  KOKKOS_FORCEINLINE_FUNCTION static double at(double const (&x)[D][lanes], int w) {
    double sum = 0; // so that all coordinates are needed
    for (int i = 0; i < D; ++i)
      sum += x[i][w];
    return sum;
  }
};

struct Squares { // f4
  template <int D>
  KOKKOS_FORCEINLINE_FUNCTION static double at(double const (&x)[D][lanes], int w) {
    double sum = 0;
    for (int i = 0; i < D; ++i)
      sum += (x[i][w] - 0.5) * (x[i][w] - 0.5);
    return Kokkos::exp(-625 * sum);
  }
};

struct Distances { // f5
  template <int D>
  KOKKOS_FORCEINLINE_FUNCTION static double at(double const (&x)[D][lanes], int w) {
    double sum = 0;
    for (int i = 0; i < D; ++i)
      sum += Kokkos::abs(x[i][w] - 0.5);
    return Kokkos::exp(-10 * sum);
  }
};

void measure(Options const& options, Json& record) {
  auto& limits = record["limits"];
  auto const add = [&](std::string const& name, double value, std::string const& unit) {
    std::fprintf(stderr, "%-28s %10.3g %s\n", name.c_str(), value, unit.c_str());
    limits[name] = value;
  };
  add("bandwidth", 1e-9 * bandwidth(options), "GB/s");
  add("arithmetic", 1e-9 * arithmetic(options), "Gflop/s, FP64");
  add("random_numbers", 4e-9 / of_sample<One, 4, Points::random>(options), "G/s");
  add("histogram", 1e-9 * histograms(options), "G/s");
  auto& rows = record["samples"];
  auto const each = [&]<class F, int D>(std::string const& work) {
    double const drawn = 1e-9 / of_sample<F, D, Points::random>(options),
                 mapped = 1e-9 / of_sample<F, D, Points::mapped>(options),
                 recorded = 1e-9 / of_sample<F, D, Points::recorded>(options),
                 alone = 1e-9 / of_sample<F, D, Points::for_nothing>(options);
    std::fprintf(stderr, "%-28s %10.3g Geval/s with random numbers, %.3g with a map, %.3g recorded, %.3g alone\n",
                 work.c_str(), drawn, mapped, recorded, alone);
    rows.push_back({{"work", work},
                    {"with_random_numbers", drawn},
                    {"with_map", mapped},
                    {"recorded", recorded},
                    {"alone", alone}});
  };
  each.template operator()<One, 5>("constant-5d");
  each.template operator()<Squares, 5>("f4-5d");
  each.template operator()<Distances, 8>("f5-8d");
  each.template operator()<One, 10>("linear-10d");
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("What a machine can do at most");
  app.add_option("--seconds", options.seconds, "At least, for each number")->check(CLI::PositiveNumber);
  return perf::study("limits", app, argc, argv, [&](Json& record) { measure(options, record); });
}

// The functions of drawn_lanes.hpp, implemented with vectors V of 64-bit numbers, once for each instruction set in its
// own namespace, which has V. No header guard: drawn_lanes.cpp includes this file where the compiler targets the
// instruction set.

constexpr int lanes = DrawnLanes::lanes, vectors = lanes / V::size;

/// Philox's words for coordinates 4 block ... 4 block + 3, each in the lower half of 64 bits: products use lower
/// halves, so what remains in the upper ones does no harm.
template <class Lanes>
[[gnu::always_inline]] inline void random_words(Lanes const& to, std::uint32_t block, V::Integers (&c)[4][vectors]) {
  for (int v = 0; v < vectors; ++v) {
    c[0][v] = V::load(to.sample + v * V::size);
    c[1][v] = V::upper(c[0][v]);
    c[2][v] = V::all(to.stream.iteration());
    c[3][v] = V::all(block);
  }
  auto const first = V::all(0xD2511F53u), second = V::all(0xCD9E8D57u);
  for (int round = 0; round < sampling_rounds; ++round) {
    auto const k0 = V::all(to.stream.keys()[round][0]), k1 = V::all(to.stream.keys()[round][1]);
    for (int v = 0; v < vectors; ++v) {
      auto const p0 = V::product(c[0][v], first), p1 = V::product(c[2][v], second);
      c[0][v] = V::exclusive(V::upper(p1), c[1][v], k0);
      c[1][v] = p1;
      c[2][v] = V::exclusive(V::upper(p0), c[3][v], k1);
      c[3][v] = p0;
    }
  }
}

/// Stores numbers of a vector at every `next`-th place.
[[gnu::always_inline]] inline void store_apart(double* to, std::ptrdiff_t next, V::Numbers x) {
  if (next == 1)
    return V::store(to, x);
  double each[V::size];
  V::store(each, x);
  for (int w = 0; w < V::size; ++w)
    to[w * next] = each[w];
}

/// Coordinate i of all lanes, with the lanes of a vector side by side.
[[gnu::always_inline]] inline void draw_axis(DrawnLanes const& to, int i, V::Integers const (&words)[vectors],
                                             V::Numbers (&jacobian)[vectors]) {
  auto const upper = V::all(to.step[i] >> 32), lower = V::all(to.step[i]);
  int const bits = to.fraction_bits;
  int* const interval = to.interval + i * to.next_interval;
  V::Integers position[vectors];
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) {
    auto within = V::product(words[v], upper);
    if (to.dimension < 3) // see MappedPoints::within_cube
      within = V::sum(within, V::right(V::product(words[v], lower), 32));
    position[v] = V::sum(V::load(to.corner + i * lanes + v * V::size), within);
    V::store_halves(interval + v * V::size, V::right(position[v], bits));
  }
  double const* const edge = to.edges + static_cast<std::ptrdiff_t>(i) * to.stride;
  double* const x = to.x + i * to.next_axis;
  auto const next = to.next_lane;
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) {
    V::Numbers left, right;
    V::load_pairs(edge, interval + v * V::size, left, right);
    auto const width = V::minus(right, left);
    jacobian[v] = V::times(jacobian[v], width);
    auto const part = V::upper(V::left(position[v], 64 - bits));
    auto const fraction = V::minus(V::as_numbers(V::halves_of(V::all(std::uint64_t{0x41300000} << 32), part)),
                                   V::all_numbers(0x1p20 - 0x1p-33));
    store_apart(x + v * V::size * next, next, V::plus(left, V::times(fraction, width)));
  }
}

void draw_lanes(DrawnLanes const& to) {
  V::Numbers jacobian[vectors];
  for (int v = 0; v < vectors; ++v)
    jacobian[v] = V::all_numbers(to.boxes);
  for (int block = 0; 4 * block < to.dimension; ++block) {
    V::Integers words[4][vectors];
    random_words(to, static_cast<std::uint32_t>(block), words);
    for (int j = 0; j < 4 && 4 * block + j < to.dimension; ++j)
      draw_axis(to, 4 * block + j, words[j], jacobian);
  }
  for (int v = 0; v < vectors; ++v)
    V::store(to.jacobian + v * V::size, jacobian[v]);
}

void draw_uniform_lanes(UniformLanes const& to) {
  for (int block = 0; 4 * block < to.dimension; ++block) {
    V::Integers words[4][vectors];
    random_words(to, static_cast<std::uint32_t>(block), words);
    for (int j = 0; j < 4 && 4 * block + j < to.dimension; ++j) {
      int const i = 4 * block + j;
      auto const origin = V::all_numbers(to.origin[i]), length = V::all_numbers(to.length[i]);
      auto const exponent = V::all(std::uint64_t{0x43300000} << 32); // of 2^52
      for (int v = 0; v < vectors; ++v) {
        auto const whole = V::minus(V::as_numbers(V::halves_of(exponent, words[j][v])), V::all_numbers(0x1p52));
        auto const u = V::times(V::plus(whole, V::all_numbers(0.5)), V::all_numbers(0x1p-32));
        store_apart(to.x + v * V::size * to.next_lane + i * to.next_axis, to.next_lane,
                    V::plus(origin, V::times(length, u)));
      }
    }
  }
}

void pack_lanes(double const* values, double scale, std::uint64_t* packed, double& largest) {
  auto const infinite = V::all_numbers(std::numeric_limits<double>::infinity()), none = V::all_numbers(0);
  auto const most = V::all_numbers(FixedPoint::most), scales = V::all_numbers(scale);
  auto const one = V::all_numbers(1), whole = V::all_numbers(0x1p52); // from 2^52 on, numbers are whole
  auto seen = V::all_numbers(largest);
  for (int v = 0; v < vectors; ++v) {
    auto const size = V::magnitude(V::load_numbers(values + v * V::size));
    auto const magnitude = V::where_less(size, infinite, size);
    seen = V::larger(seen, magnitude);
    auto const scaled = V::times(magnitude, scales);
    auto const units = V::whole(V::smaller(V::plus(V::times(scaled, scaled), one), most));
    auto const bits = V::as_integers(V::plus(V::where_less(none, magnitude, units), whole));
    auto const weight = V::exclusive(bits, V::as_integers(whole), V::all(0));
    V::store(packed + v * V::size, V::either(V::left(weight, FixedPoint::count_bits), V::all(1)));
  }
  double each[V::size];
  V::store(each, seen);
  for (double const one_of_them : each)
    largest = largest < one_of_them ? one_of_them : largest;
}

bool weigh_lanes(double const* of_f, double const* jacobian, std::uint32_t live, double* values) {
  auto const infinite = V::all_numbers(std::numeric_limits<double>::infinity()), none = V::all_numbers(0);
  std::uint32_t finite = 0;
  for (int v = 0; v < vectors; ++v) {
    auto const f = V::load_numbers(of_f + v * V::size);
    auto const weighed = V::times(f, V::load_numbers(jacobian + v * V::size));
    V::store(values + v * V::size, V::select(V::mask(live >> v * V::size), weighed, none));
    finite |= V::bits_less(V::magnitude(f), infinite) << v * V::size;
  }
  return (live & ~finite) == 0;
}

void add_lanes(double const* values, LaneBits at, double* shift, double* s1, double* s2) {
  for (int v = 0; v < vectors; ++v) {
    int const w = v * V::size;
    auto const live = V::mask(at.live >> w);
    auto const value = V::load_numbers(values + w);
    auto const from = V::select(V::mask(at.first >> w), value, V::load_numbers(shift + w));
    auto const deviation = V::minus(value, from);
    auto const sum = V::load_numbers(s1 + w), squares = V::load_numbers(s2 + w);
    V::store(shift + w, from);
    V::store(s1 + w, V::select(live, V::plus(sum, deviation), sum));
    V::store(s2 + w, V::select(live, V::plus(squares, V::times(deviation, deviation)), squares));
  }
}

std::uint32_t count_down(std::uint32_t* left) {
  std::uint32_t ended = 0;
  for (int w = 0; w < lanes; ++w)
    --left[w];
  for (int w = 0; w < lanes; w += V::halves)
    ended |= V::zero_halves(left + w) << w;
  return ended;
}

void place_edges(double const* from, int n, double origin, double length, double* to) {
  auto const begin = V::all_numbers(origin), side = V::all_numbers(length);
  int k = 0;
  for (; k + V::size <= n; k += V::size)
    V::store(to + k, V::plus(begin, V::times(side, V::load_numbers(from + k))));
  for (; k < n; ++k)
    to[k] = origin + length * from[k];
}

void unpack_records(std::uint64_t const* packed, std::size_t n, std::uint64_t* weights, std::uint64_t* counts) {
  auto const most = V::all(FixedPoint::most_records);
  std::size_t k = 0;
  for (; k + V::size <= n; k += V::size) {
    auto const records = V::load(packed + k);
    V::store(weights + k, V::sum(V::load(weights + k), V::right(records, FixedPoint::count_bits)));
    V::store(counts + k, V::sum(V::load(counts + k), V::both(records, most)));
  }
  for (; k < n; ++k) {
    weights[k] += FixedPoint::weight(packed[k]);
    counts[k] += FixedPoint::count(packed[k]);
  }
}

constexpr LaneFunctions functions{draw_lanes, draw_uniform_lanes, pack_lanes,  weigh_lanes,
                                  add_lanes,  count_down,         place_edges, unpack_records};

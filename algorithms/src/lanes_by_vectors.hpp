// What drawn_lanes.hpp declares, implemented with vectors V of 64-bit numbers, once for each instruction set in a
// namespace of its own, which has V. No header guard: drawn_lanes.cpp includes this file where the compiler has been
// told the instruction set.

constexpr int lanes = DrawnLanes::lanes, vectors = lanes / V::size;

/// Philox's words for coordinates 4 block ... 4 block + 3, each in the lower half of 64 bits: products use lower
/// halves, so what remains in the upper ones does no harm.
[[gnu::always_inline]] inline void random_words(DrawnLanes const& to, std::uint32_t block,
                                                V::Integers (&c)[4][vectors]) {
  for (int v = 0; v < vectors; ++v) {
    c[0][v] = V::load(to.sample + v * V::size);
    c[1][v] = V::right(c[0][v], 32);
    c[2][v] = V::all(to.stream.iteration());
    c[3][v] = V::all(block);
  }
  auto const first = V::all(0xD2511F53u), second = V::all(0xCD9E8D57u);
  for (int round = 0; round < sampling_rounds; ++round) {
    auto const k0 = V::all(to.stream.keys()[round][0]), k1 = V::all(to.stream.keys()[round][1]);
    for (int v = 0; v < vectors; ++v) {
      auto const p0 = V::product(c[0][v], first), p1 = V::product(c[2][v], second);
      c[0][v] = V::exclusive(V::right(p1, 32), c[1][v], k0);
      c[1][v] = p1;
      c[2][v] = V::exclusive(V::right(p0, 32), c[3][v], k1);
      c[3][v] = p0;
    }
  }
}

[[gnu::always_inline]] inline void store_apart(double* to, std::ptrdiff_t next, V::Numbers x) {
  double each[V::size];
  V::store(each, x);
  for (int w = 0; w < V::size; ++w)
    to[w * next] = each[w];
}

/// Coordinate i of all lanes, with the lanes of a vector side by side.
[[gnu::always_inline]] inline void draw_axis(DrawnLanes const& to, int i, V::Integers const (&words)[vectors],
                                             V::Numbers (&jacobian)[vectors]) {
  double const* const edge = to.edges + static_cast<std::ptrdiff_t>(i) * to.stride;
  auto const upper = V::all(to.step[i] >> 32), lower = V::all(to.step[i]);
  for (int v = 0; v < vectors; ++v) {
    auto within = V::product(words[v], upper);
    if (to.dimension < 3) // see MappedPoints::within_cube
      within = V::sum(within, V::right(V::product(words[v], lower), 32));
    auto const position = V::sum(V::load(to.corner + i * lanes + v * V::size), within);
    auto const k = V::right(position, to.fraction_bits);
    V::store_halves(to.interval + i * to.next_interval + v * V::size, k);
    auto const left = V::gather(edge, k), width = V::minus(V::gather(edge + 1, k), left);
    jacobian[v] = V::times(jacobian[v], width);
    auto const part = V::right(V::left(position, 64 - to.fraction_bits), 32);
    auto const fraction = V::minus(V::as_numbers(V::either(part, V::all(std::uint64_t{0x41300000} << 32))),
                                   V::all_numbers(0x1p20 - 0x1p-33));
    auto const x = V::plus(left, V::times(fraction, width));
    double* const there = to.x + i * to.next_axis + v * V::size * to.next_lane;
    if (to.next_lane == 1)
      V::store(there, x);
    else
      store_apart(there, to.next_lane, x);
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

constexpr LaneFunctions functions{draw_lanes, pack_lanes};

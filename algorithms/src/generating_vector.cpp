#include <kubature/detail/quasi_monte_carlo/generating_vector.hpp>

#include <cmath>

namespace kubature::detail {

// perf/generating_vector.py --weights "0.3 / j**0.3" --merits 24
std::array<std::uint64_t, max_dimension> const GeneratingVector::components{
    0xf7cde48b93f00001, 0x5aef054aa19bad95, 0x93d823b0633af4f9, 0xc2bb4ab1bf4840a9,
    0xbe80ff35caace861, 0x7d1779e1c1226a95, 0x44cd17b9b49c0cf5, 0x19310728eb24296d,
    0xb00a9347e8a73959, 0x74c857cc098ea23d, 0xf0bb765cc8df0809, 0x0a6b59fe729abe21,
    0x30eb452a65274019, 0xdaa1cf8b542a9791, 0xb4907ee465184725, 0xc0307f6830bcd591,
    0x3a07e85a08226969, 0xa6958882d5731d05, 0x92139d90955763cd, 0xde4a024ff7beda15};

double GeneratingVector::weight(int j) { return 0.3 / std::pow(j, 0.3); }

std::span<double const> GeneratingVector::merits() {
  static constexpr double all[] = {4.937815e+00, 2.454309e+00, 1.221399e+00, 6.009229e-01, 2.962094e-01, 1.458954e-01, 7.146299e-02, 3.482739e-02, 1.684666e-02, 8.148152e-03, 3.964699e-03};
  return all;
}

} // namespace kubature::detail

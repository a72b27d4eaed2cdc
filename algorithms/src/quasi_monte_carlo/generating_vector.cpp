#include <kubature/detail/quasi_monte_carlo/generating_vector.hpp>

#include <cmath>

namespace kubature::detail {

// perf/generating_vector.py --weights "0.3 / j**0.3" --merits 24
std::array<std::uint64_t, max_dimension> const GeneratingVector::components{
    0x48b93fa3a6000001, 0x54aa1964b2146e21, 0x3b0633f38281ec61, 0xab1bf4693662fa5d, 0xf35caa5c13c1d449,
    0x9e1c129cf14a7cbd, 0x7b9b49618173f949, 0x728eb20000938d8d, 0x347e8a17efee3bfd, 0x7cc0980755b52579,
    0x65cc8d1c0c40bd35, 0x9fe7292891177df9, 0x52a6521c00af44b9, 0xf8b54212cb698e1d, 0xee46511949c3be51,
    0xf6830b1d8a269ae1, 0x85a0820e7c1aa9dd, 0x882d5703767dec09, 0xd909550b9ecb1f9d, 0x24ff7b0f384b7655};

double GeneratingVector::weight(int j) { return 0.3 / std::pow(j, 0.3); }

std::span<double const> GeneratingVector::merits() {
  static constexpr double all[] = {4.963898e+00, 2.465731e+00, 1.231372e+00, 6.126163e-01, 3.012336e-01,
                                   1.486955e-01, 7.257018e-02, 3.555392e-02, 1.718909e-02, 8.278005e-03,
                                   4.035387e-03, 1.939829e-03, 9.232105e-04, 4.397436e-04, 2.113323e-04};
  return all;
}

} // namespace kubature::detail

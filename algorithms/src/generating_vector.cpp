#include <kubature/detail/quasi_monte_carlo/generating_vector.hpp>

#include <cmath>

namespace kubature::detail {

// perf/generating_vector.py --weights "0.3 / j**0.3" --merits 24
std::array<std::uint64_t, max_dimension> const GeneratingVector::components{
    0x37922e4fee000001, 0xbc152a867d146e21, 0x608ec18ce281ec61, 0xed2ac6fd3062fa5d, 0x03fcd72aa2c1d449,
    0x5de78704964a7cbd, 0x345ee6d27673f949, 0xc41ca3aca8938d8d, 0x2a4d1fa2abee3bfd, 0x215f302603b52579,
    0xedd973236a40bd35, 0xad67f9ca62177df9, 0xad14a99495af44b9, 0x873e2d5087698e1d, 0x41fb919446c3be51,
    0xc1fda0c2e3269ae1, 0x1fa16820a41aa9dd, 0x56220b55fe7dec09, 0x4e7642557fcb1f9d, 0x28093fded24b7655};

double GeneratingVector::weight(int j) { return 0.3 / std::pow(j, 0.3); }

std::span<double const> GeneratingVector::merits() {
  static constexpr double all[] = {4.963898e+00, 2.465731e+00, 1.231372e+00, 6.126163e-01, 3.012336e-01,
                                   1.486955e-01, 7.257018e-02, 3.555392e-02, 1.718909e-02, 8.278005e-03,
                                   4.035387e-03, 1.939829e-03, 9.232105e-04, 4.397436e-04, 2.113323e-04};
  return all;
}

} // namespace kubature::detail

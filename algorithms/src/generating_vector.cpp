#include <kubature/detail/quasi_monte_carlo/generating_vector.hpp>

#include <cmath>

namespace kubature::detail {

// perf/generating_vector.py --weights "0.3 / j**0.3" --merits 24
std::array<std::uint64_t, max_dimension> const GeneratingVector::components{
    0x48b93f18ec000001, 0x54aa19b0f3146e21, 0x3b06338fd681ec61, 0xab1bf4cc6562fa5d, 0xf35caa29ecc1d449,
    0x9e1c12283b4a7cbd, 0x7b9b49fe5173f949, 0x728eb20000938d8d, 0x347e8a3550ee3bfd, 0x7cc0983bd1b52579,
    0x65cc8d7f2240bd35, 0x9fe7296673177df9, 0x52a6523e9aaf44b9, 0xf8b5421156698e1d, 0xee46510a32c3be51,
    0xf6830b1e75269ae1, 0x85a082154c1aa9dd, 0x882d5700197dec09, 0xd909553984cb1f9d, 0x24ff7b13144b7655};

double GeneratingVector::weight(int j) { return 0.3 / std::pow(j, 0.3); }

std::span<double const> GeneratingVector::merits() {
  static constexpr double all[] = {4.963898e+00, 2.465731e+00, 1.231372e+00, 6.126163e-01, 3.012336e-01,
                                   1.486955e-01, 7.257018e-02, 3.555392e-02, 1.718909e-02, 8.278005e-03,
                                   4.035387e-03, 1.939829e-03, 9.232105e-04, 4.397436e-04, 2.113323e-04};
  return all;
}

} // namespace kubature::detail

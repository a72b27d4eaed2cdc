#include "call/agreement.hpp"

#include <cmath>
#include <cstddef>

namespace kubature::detail {

bool agree(SeveralResult const& a, SeveralResult const& b, double errors) {
  for (std::size_t c = 0; c < a.value.size(); ++c)
    if (std::abs(a.value[c] - b.value[c]) > errors * std::hypot(a.error[c], b.error[c]))
      return false;
  return true;
}

} // namespace kubature::detail

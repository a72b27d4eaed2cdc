#include <kubature/detail/many/many_record.hpp>

#include <limits>

namespace kubature::detail {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

} // namespace

ManyRecord::ManyRecord(std::size_t count, int components, std::string_view method_name) {
  value.assign(count, std::vector<double>(static_cast<std::size_t>(components), unknown));
  error = value;
  non_finite.assign(count, 0);
  status.assign(count, Status::memory_exhausted);
  method = method_name;
}

void ManyRecord::end(std::span<std::uint32_t const> which, Status why) {
  for (auto const i : which)
    status[i] = why;
}

Progress ManyRecord::progress(std::size_t ended, double seconds_so_far) const {
  return {method, static_cast<int>(ended), evaluations, unknown, unknown, seconds_so_far};
}

} // namespace kubature::detail

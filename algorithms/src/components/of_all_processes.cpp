#include <kubature/detail/components/of_all_processes.hpp>

#include "memory/gather_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubature::detail {
namespace {

/// Words gathered at a time.
constexpr std::size_t most_words = std::size_t{1} << 22;

} // namespace

void add_chunks_of_all(Communicator const& ranks, Partition const& chunks, std::span<ComponentSum const> own,
                       std::span<ComponentSum> totals) {
  constexpr std::size_t each = sizeof(ComponentSum) / sizeof(std::uint64_t);
  auto const count = static_cast<std::size_t>(chunks.count), mine = static_cast<std::size_t>(chunks.mine);
  std::size_t const at_once = std::max<std::size_t>(1, most_words / (each * std::max<std::size_t>(1, count)));
  std::vector<std::uint64_t> words;
  for (std::size_t first = 0; first < totals.size(); first += at_once) {
    std::size_t const some = std::min(at_once, totals.size() - first);
    words.resize(each * count * some);
    std::vector<std::size_t> begins;
    for (int r = 0; r <= ranks.size(); ++r)
      begins.push_back(each * some * static_cast<std::size_t>(chunks.begin(r, ranks.size())));
    auto* to = words.data() + begins[static_cast<std::size_t>(ranks.rank())];
    for (ComponentSum const& sum : own.subspan(first * mine, some * mine)) {
      *to++ = std::bit_cast<std::uint64_t>(sum.mean);
      *to++ = std::bit_cast<std::uint64_t>(sum.spread);
      *to++ = std::bit_cast<std::uint64_t>(sum.magnitude);
    }
    ranks.gather(words, begins);
    for (std::size_t c = 0; c < some; ++c) {
      ComponentSum total;
      for (std::size_t r = 0; r + 1 < begins.size(); ++r) {
        std::size_t const of_component = (begins[r + 1] - begins[r]) / some;
        auto const* from = words.data() + begins[r] + c * of_component;
        for (std::size_t k = 0; k < of_component; k += each)
          total.join(
              {std::bit_cast<double>(from[k]), std::bit_cast<double>(from[k + 1]), std::bit_cast<double>(from[k + 2])});
      }
      totals[first + c] = total;
    }
  }
}

void add_of_all(Communicator const& ranks, std::span<double> numbers) {
  auto const size = static_cast<std::size_t>(ranks.size());
  std::size_t const at_once = std::max<std::size_t>(1, most_words / size);
  for (std::size_t first = 0; first < numbers.size(); first += at_once) {
    auto const some = numbers.subspan(first, std::min(at_once, numbers.size() - first));
    std::vector<std::uint64_t> own;
    for (double const number : some)
      own.push_back(std::bit_cast<std::uint64_t>(number));
    auto const all = gather_rows(ranks, own);
    for (std::size_t k = 0; k < some.size(); ++k) {
      some[k] = 0;
      for (std::size_t r = 0; r < size; ++r)
        some[k] += std::bit_cast<double>(all[r * some.size() + k]);
    }
  }
}

} // namespace kubature::detail

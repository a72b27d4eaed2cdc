#include <kubature/detail/many/by_ranks.hpp>

#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace kubature::detail {
namespace {

constexpr std::uint64_t most_rounds = 32;

/// The results as words, in which ranks exchange them: the values, errors and status of each integral, and its number
/// of values that are not finite.
class Words {
public:
  explicit Words(ManyRecord const& record)
      : row_(record.size() > 0 ? 2 * record.value[0].size() + 2 : 0), words_(record.size() * row_) {}

  void keep(std::uint64_t first, ManyRecord const& record) {
    auto* word = words_.data() + first * row_;
    for (std::size_t i = 0; i < record.size(); ++i) {
      for (auto const* of : {&record.value[i], &record.error[i]})
        for (double const x : *of)
          *word++ = std::bit_cast<std::uint64_t>(x);
      *word++ = static_cast<std::uint64_t>(record.status[i]);
      *word++ = record.non_finite[i];
    }
  }
  void exchange(Communicator const& ranks) { ranks.sum(words_); }
  void read(ManyRecord& record, std::uint64_t count) const {
    auto const* word = words_.data();
    for (std::size_t i = 0; i < count; ++i) {
      for (auto* of : {&record.value[i], &record.error[i]})
        for (double& x : *of)
          x = std::bit_cast<double>(*word++);
      record.status[i] = static_cast<Status>(*word++);
      record.non_finite[i] = *word++;
    }
  }

private:
  std::size_t row_;
  std::vector<std::uint64_t> words_;
};

} // namespace

ManyRecord by_ranks(Communicator const& ranks, ManyRecord all, Request const& request, std::uint64_t at_once,
                    std::function<ManyRecord(ManyRows const& rows, Limits const& left)> const& compute) {
  Kokkos::Timer const timer;
  auto const& [tolerance, limits, callback, where] = request;
  auto const count = static_cast<std::uint64_t>(all.size()), size = static_cast<std::uint64_t>(ranks.size()),
             rank = static_cast<std::uint64_t>(ranks.rank());
  std::uint64_t const rounds = std::clamp<std::uint64_t>(count / (size * ranks.least(at_once)), 1, most_rounds),
                      needed = ranks.any(callback || limits.seconds < Limits{}.seconds) ? rounds : 1;
  Words words(all);
  std::uint64_t done = 0, own_evaluations = 0;
  // Whether any rank ends the call, and why.
  auto const vote = [&] {
    all.evaluations = own_evaluations;
    ranks.sum({&all.evaluations, 1});
    double const seconds = timer.seconds();
    if (ranks.any(callback && !callback(all.progress(done, seconds))))
      return Status::stopped;
    return ranks.any(seconds >= limits.seconds) ? Status::time_limit : Status::completed;
  };
  auto ended = Status::completed;
  for (std::uint64_t round = 0; round < needed && ended == Status::completed; ++round) {
    std::uint64_t const next = count * (round + 1) / needed;
    std::uint64_t const first = done + (next - done) * rank / size, end = done + (next - done) * (rank + 1) / size;
    if (end > first) {
      auto left = limits;
      left.seconds -= timer.seconds();
      auto const part = compute({first, end - first, count}, left);
      words.keep(first, part);
      own_evaluations += part.evaluations;
    }
    done = next;
    ended = vote();
  }
  words.exchange(ranks);
  words.read(all, done);
  std::fill(all.status.begin() + static_cast<std::ptrdiff_t>(done), all.status.end(), ended);
  all.seconds = timer.seconds();
  return all;
}

} // namespace kubature::detail

#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/many/course.hpp>
#include <kubature/integrand.hpp>
#include <kubature/many_results.hpp>
#include <kubature/progress.hpp>
#include <kubature/result.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kubature::detail {

/// Many integrals by several ranks: each computes a part by itself, and all receive all results.
///
/// If the callback or the time limit may end the call early, the integrals are divided into rounds; after each, all
/// processes vote.
template <class Value>
class ManyByRanks {
  using Traits = ValueTraits<Value>;
  static constexpr auto components = static_cast<std::size_t>(Traits::components);

public:
  /// @param unknown results of which nothing is known yet
  ManyByRanks(Communicator const& ranks, ManyResults<Value> unknown, Limits limits, Callback const& callback)
      : ranks_(ranks), results_(std::move(unknown)), limits_(limits), callback_(callback),
        words_(results_.size() * row) {}

  /// @param at_once how many integrals a process computes side by side
  /// @param compute  compute(rows, limits) gives the results of these integrals
  template <class Compute>
  ManyResults<Value> compute(std::uint64_t at_once, Compute const& compute) {
    auto const all = static_cast<std::uint64_t>(results_.size()), processes = static_cast<std::uint64_t>(ranks_.size()),
               rank = static_cast<std::uint64_t>(ranks_.rank());
    std::uint64_t const rounds = std::clamp<std::uint64_t>(all / (processes * ranks_.least(at_once)), 1, most_rounds),
                        needed = ranks_.any(callback_ || limits_.seconds < Limits{}.seconds) ? rounds : 1;
    std::uint64_t done = 0;
    auto ended = Status::completed;
    for (std::uint64_t round = 0; round < needed && ended == Status::completed; ++round) {
      std::uint64_t const next = all * (round + 1) / needed;
      std::uint64_t const first = done + (next - done) * rank / processes,
                          end = done + (next - done) * (rank + 1) / processes;
      if (end > first) {
        auto left = limits_;
        left.seconds -= timer_.seconds();
        keep(first, compute(ManyRows{first, end - first, all}, left));
      }
      done = next;
      ended = vote(done);
    }
    ranks_.sum(words_);
    read(done);
    std::fill(results_.status.begin() + static_cast<std::ptrdiff_t>(done), results_.status.end(), ended);
    results_.seconds = timer_.seconds();
    return std::move(results_);
  }

private:
  static constexpr std::uint64_t most_rounds = 32;
  /// Words per integral: values, errors, status, and the number of values that are not finite.
  static constexpr std::size_t row = 2 * components + 2;

  void keep(std::uint64_t first, ManyResults<Value> const& results) {
    auto* word = words_.data() + first * row;
    for (std::size_t i = 0; i < results.size(); ++i) {
      for (auto const* of : {&results.value[i], &results.error[i]})
        for (int c = 0; c < Traits::components; ++c)
          *word++ = Kokkos::bit_cast<std::uint64_t>(Traits::get(*of, c));
      *word++ = static_cast<std::uint64_t>(results.status[i]);
      *word++ = results.non_finite[i];
    }
    evaluations_ += results.evaluations;
  }

  void read(std::uint64_t done) {
    auto const* word = words_.data();
    for (std::size_t i = 0; i < done; ++i) {
      for (auto* of : {&results_.value[i], &results_.error[i]})
        for (int c = 0; c < Traits::components; ++c)
          Traits::get(*of, c) = Kokkos::bit_cast<double>(*word++);
      results_.status[i] = static_cast<Status>(*word++);
      results_.non_finite[i] = *word++;
    }
  }

  /// Whether any process ends the call, and why.
  Status vote(std::uint64_t done) {
    results_.evaluations = evaluations_;
    ranks_.sum({&results_.evaluations, 1});
    double const seconds = timer_.seconds();
    bool const stop = callback_ && !callback_(progress(results_, done, seconds));
    if (ranks_.any(stop))
      return Status::stopped;
    return ranks_.any(seconds >= limits_.seconds) ? Status::time_limit : Status::completed;
  }

  Communicator ranks_;
  ManyResults<Value> results_;
  Limits limits_;
  Callback const& callback_;
  std::vector<std::uint64_t> words_;
  std::uint64_t evaluations_ = 0; ///< of this process
  Kokkos::Timer timer_;
};

/// The elements for these integrals, from a list with one for each or one for all.
template <class T>
std::vector<T> rows_of(std::vector<T> const& list, ManyRows const& rows) {
  if (list.size() == 1)
    return list;
  auto const first = list.begin() + static_cast<std::ptrdiff_t>(rows.first);
  return {first, first + static_cast<std::ptrdiff_t>(rows.size)};
}

} // namespace kubature::detail

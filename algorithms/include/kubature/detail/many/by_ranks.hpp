#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/call/request.hpp>
#include <kubature/detail/many/many_record.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace kubature::detail {

/// Many integrals by several ranks: each computes a part by itself, and all receive all results. If the callback or the
/// time limit may end the call early, the integrals are divided into rounds; after each, all ranks vote.
/// @param all     results, all still unknown
/// @param at_once number of integrals that a rank computes side by side
/// @param compute compute(rows, limits) returns the results of these integrals
ManyRecord by_ranks(Communicator const& ranks, ManyRecord all, Request const& request, std::uint64_t at_once,
                    std::function<ManyRecord(ManyRows const& rows, Limits const& left)> const& compute);

/// The elements for these integrals, from a list with one for each or one for all.
template <class T>
std::vector<T> rows_of(std::vector<T> const& list, ManyRows const& rows) {
  if (list.size() == 1)
    return list;
  auto const first = list.begin() + static_cast<std::ptrdiff_t>(rows.first);
  return {first, first + static_cast<std::ptrdiff_t>(rows.size)};
}

} // namespace kubature::detail

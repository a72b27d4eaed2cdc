#include "jobs.hpp"

#include <kubature/precision.hpp>
#include <kubature/suite/suite.hpp>

#include <algorithm>

namespace kubature::app {

template <class P>
std::vector<Job> all_compiled_jobs() {
  std::vector<std::string_view> order;
  suite::for_each<suite::All>([&](suite::Entry const& entry, auto&&...) { order.push_back(entry.name); });
  auto const place = [&](Job const& job) { return std::ranges::find(order, job.entry.name); };
  std::vector<Job> all;
  for (auto const& some :
       {compiled_jobs<P, 2, 3>(), compiled_jobs<P, 4, 4>(), compiled_jobs<P, 5, 5>(), compiled_jobs<P, 6, 7>(),
        compiled_jobs<P, 8, 8>(), compiled_jobs<P, 9, 9>(), compiled_jobs<P, 10, 10>()})
    all.insert(all.end(), some.begin(), some.end());
  std::ranges::sort(all, {}, place);
  return all;
}

template std::vector<Job> all_compiled_jobs<Fp64>();
#ifndef KUBATURE_FP64_ONLY
template std::vector<Job> all_compiled_jobs<Fp32>();
#endif

} // namespace kubature::app

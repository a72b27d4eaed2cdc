#include "jobs.hpp"

#include <kubature/suite/suite.hpp>

#include <algorithm>

namespace kubature::app {

std::vector<Job> all_compiled_jobs() {
  std::vector<std::string_view> order;
  suite::for_each<suite::All>([&](suite::Entry const& entry, auto&&...) { order.push_back(entry.name); });
  auto const place = [&](Job const& job) { return std::ranges::find(order, job.entry.name); };
  std::vector<Job> all;
  for (auto const& some : {compiled_jobs<2, 3>(), compiled_jobs<4, 4>(), compiled_jobs<5, 5>(), compiled_jobs<6, 7>(),
                           compiled_jobs<8, 8>(), compiled_jobs<9, 9>(), compiled_jobs<10, 10>()})
    all.insert(all.end(), some.begin(), some.end());
  std::ranges::sort(all, {}, place);
  return all;
}

} // namespace kubature::app

#include "calls_job.hpp"

#include <kubature/suite/cuvegas.hpp>

#include <string_view>
#include <vector>

namespace kubature::perf {
namespace {

template <int D, class... Methods>
app::Job sum(std::string_view name) {
  return job<D, Methods...>(
      {.name = name, .formula = "sum x_i", .value = D / 2.0, .source = "cuVegas table 3", .suites = {}},
      suite::Linear<D>{});
}

} // namespace

std::vector<app::Job> jobs_of_sums() {
  return {sum<2, VegasPlus<>>("sum-2d"),  sum<4, VegasPlus<>>("sum-4d"),           sum<5, MCubes<>>("sum-5d"),
          sum<6, MCubes<>>("sum-6d"),     sum<8, VegasPlus<>, MCubes<>>("sum-8d"), sum<16, VegasPlus<>>("sum-16d"),
          sum<32, VegasPlus<>>("sum-32d")};
}

} // namespace kubature::perf

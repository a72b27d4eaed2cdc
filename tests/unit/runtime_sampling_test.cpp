#include "runtime_by_name.hpp"

#include <kubature/integrate.hpp>

namespace runtime_sampling_test {
namespace {

using namespace kubature;
using namespace runtime_by_name;

TEST(Runtime, SamplingByNameGivesTheBitsOfTheTemplates) {
  expect_same(sampling("vegas+").set("beta", 0.5).set("bins", 50),
              VegasPlus{.evaluations = 20'000, .iterations = 6, .skip = 2, .bins = 50, .beta = 0.5, .seed = 3});
  expect_same(sampling("mcubes").set("alpha", 1),
              MCubes{.evaluations = 20'000, .iterations = 6, .skip = 2, .alpha = 1, .seed = 3});
  expect_same(sampling("mcubes-1d"),
              MCubes{.evaluations = 20'000, .iterations = 6, .skip = 2, .one_map = true, .seed = 3}, {}, cube);
}

} // namespace
} // namespace runtime_sampling_test

#include "runtime_by_name.hpp"

#include <kubature/automatic.hpp>

namespace runtime_auto_test {
namespace {

using namespace kubature;
using namespace runtime_by_name;

TEST(Runtime, AutoByNameGivesTheBitsOfTheTemplates) {
  expect_same(Settings("auto").set("relative", 1e-5).set("seed", 5), Auto{.seed = 5}, {.relative = 1e-5});
}

} // namespace
} // namespace runtime_auto_test

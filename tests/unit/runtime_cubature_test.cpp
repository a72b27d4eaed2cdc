#include "runtime_by_name.hpp"

#include <kubature/integrate.hpp>

namespace runtime_cubature_test {
namespace {

using namespace kubature;
using namespace runtime_by_name;

TEST(Runtime, CubatureByNameGivesTheBitsOfTheTemplates) {
  // How closely a call looks depends on the clock.
  expect_same(Settings("pagani")
                  .set("relative", 1e-7)
                  .set("rule", "9")
                  .set("relative_filter", false)
                  .set("close_look", false)
                  .set("error_norm", "l2"),
              Pagani{.rule = Rule::degree_9, .relative_filter = false, .close_look = false},
              {.relative = 1e-7, .norm = ErrorNorm::l2});
  expect_same(Settings("two-phase").set("relative", 1e-6).set("regions", 64).set("close_look", false),
              TwoPhase{.regions = 64, .close_look = false}, {.relative = 1e-6});
}

} // namespace
} // namespace runtime_cubature_test

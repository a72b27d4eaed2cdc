#include "unit/spaces.hpp"

#include <kubature/version.hpp>

#include <algorithm>
#include <regex>
#include <sstream>

namespace version_test {
namespace {

using namespace kubature;

TEST(Version, IsThatOfTheHeaders) {
  std::istringstream parts(version().number);
  int major = -1, minor = -1, patch = -1;
  char dot = 0;
  parts >> major >> dot >> minor >> dot >> patch;
  EXPECT_EQ(major * 10000 + minor * 100 + patch, KUBATURE_VERSION);
  EXPECT_EQ(major, KUBATURE_VERSION_MAJOR);
}

TEST(Version, NamesCommitKokkosAndCompiler) {
  auto const build = version();
  EXPECT_TRUE(std::regex_match(build.commit, std::regex("unknown|[0-9a-f]{12,}"))) << build.commit;
  EXPECT_TRUE(std::regex_match(build.kokkos, std::regex("[0-9]+\\.[0-9]+\\.[0-9]+"))) << build.kokkos;
  EXPECT_TRUE(build.kokkos.starts_with(std::to_string(KOKKOS_VERSION / 10000) + '.')) << build.kokkos;
  EXPECT_FALSE(build.compiler.empty());
}

template <class Space>
class VersionOfSpaces : public testing::Test {};
TYPED_TEST_SUITE(VersionOfSpaces, spaces::All, spaces::Names);

TYPED_TEST(VersionOfSpaces, NamesEachOnceAndTheDefaultFirst) {
  auto const names = version().backends;
  EXPECT_EQ(std::count(names.begin(), names.end(), TypeParam::name()), 1);
  EXPECT_EQ(names.front(), Kokkos::DefaultExecutionSpace::name());
}

TEST(Version, IsWrittenInOneLine) {
  std::ostringstream line;
  line << Version{"1.2.3", "abc", "5.2.2", "GCC 16.1.0", {"OpenMP", "Serial"}, {"MPI"}};
  EXPECT_EQ(line.str(), "1.2.3, commit abc, Kokkos 5.2.2 (OpenMP, Serial), MPI, GCC 16.1.0");
}

} // namespace
} // namespace version_test

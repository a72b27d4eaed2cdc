#include "refused.hpp"
#include "temporary.hpp"

#include <kubature/detail/checkpoint/archive.hpp>
#include <kubature/detail/checkpoint/file.hpp>
#include <kubature/detail/host_memory.hpp>
#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <source_location>
#include <string>
#include <string_view>

namespace files_test {
namespace {

using namespace kubature;

/// Checkpoints of a small call, as docs/files.md describes them.
class Checkpoints : public ::testing::Test {
protected:
  static constexpr std::string_view heading = "kubature-checkpoint 2 vegas+\n";
  static constexpr std::size_t begin = heading.size() + 12; ///< of the part that the checksum covers

  /// The checkpoint of a call that was stopped after three iterations.
  std::string good() {
    run([](Progress const& progress) { return progress.iteration < 3; });
    auto const text = folder.read("state");
    std::filesystem::remove(folder.path("state"));
    return text;
  }

  Result<> run(Callback const& callback = {}) {
    bool const often = static_cast<bool>(callback);
    VegasPlus const method{.evaluations = 200,
                           .iterations = 6,
                           .skip = 1,
                           .bins = 4,
                           .checkpoint = {.file = folder.path("state"), .seconds = often ? 0.0 : 1e9}};
    return integrate(method, suite::F4<2>{}, Box<2>{}, {}, {.evaluations = 20'000}, callback);
  }

  /// What a call that finds this file throws; empty if it accepts the file.
  std::string problem_with(std::string const& text) {
    folder.write("state", text);
    try {
      auto const result = run();
      EXPECT_TRUE(result.status == Status::completed || result.status == Status::evaluation_limit) << result;
      EXPECT_GE(result.evaluations, 200u);
      return "";
    } catch (InvalidArgument const& error) {
      EXPECT_EQ(folder.read("state"), text); // it stays
      return error.problem();
    }
  }

  static std::string number(std::uint64_t value, std::size_t bytes = 8) {
    std::string text;
    for (std::size_t k = 0; k < bytes; ++k)
      text += static_cast<char>(value >> (8 * k) & 0xff);
    return text;
  }
  static std::string body(std::string const& text) { return text.substr(begin, text.size() - begin - 8); }

  /// A file that anyone can make: its length and its checksum are right.
  static std::string with(std::string const& body) {
    std::uint64_t sum = 0xcbf29ce484222325u;
    for (std::size_t at = 0; at < body.size(); at += 8) {
      std::uint64_t word = 0;
      for (std::size_t k = 0; k < std::min<std::size_t>(8, body.size() - at); ++k)
        word |= static_cast<std::uint64_t>(static_cast<unsigned char>(body[at + k])) << (8 * k);
      sum = (sum ^ word) * 0x100000001b3u;
    }
    return std::string(heading) + "\1\2\3\4" + number(body.size()) + body + number(sum);
  }

  TemporaryFolder folder;
};

TEST_F(Checkpoints, HaveTheLayoutThatIsWrittenDown) {
  auto const text = good();
  EXPECT_EQ(with(body(text)), text);
  std::string const about =
      "evaluations 200 adapt 2147483647 skip 1 bins 4 alpha automatic beta 0.75 redistribute automatic "
      "one_map 0 seed 0 precision fp64 components 1 box 0:1 0:1";
  auto const all = body(text);
  auto const start = number(4) + "fp64" + number(about.size()) + about + number(200) + "\1" + number(4, 4);
  EXPECT_EQ(all.substr(0, start.size()), start); // precision, call, evaluations, fresh, streams
  // The samples that set the scale, estimates, map, and 5 x 5 strata, without gaps.
  std::size_t const estimates = 8 + 3 * (8 + 8 + 8 + 1 + 1 + 8 + 8), map = 4 + 4 + 8 + 4 + 2 * 5 * 8,
                    strata = 4 + 2 * 4 + 8 + 5 * 5 * 4;
  EXPECT_EQ(all.size(), start.size() + 8 + estimates + map + strata);
  EXPECT_EQ(problem_with(text), "");
}

/// Equal within each of an even number of strata.
struct Halves {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 1> const& x) const {
    return x[0] < Real(0.5) ? Real(1) : Real(2);
  }
};

TEST_F(Checkpoints, RememberThatThereWasNoVariance) {
  VegasPlus method{.evaluations = 256, .iterations = 5, .skip = 0, .alpha = 0, .beta = 0};
  auto const whole = integrate(method, Halves{}, Box<1>{});
  ASSERT_EQ(whole.status, Status::no_variance) << whole;
  method.checkpoint = {.file = folder.path("state")};
  integrate(method, Halves{}, Box<1>{}, {}, {}, [](Progress const& progress) { return progress.iteration < 5; });
  EXPECT_TRUE(folder.has("state"));
  auto const resumed = integrate(method, Halves{}, Box<1>{}); // by what is in the file alone
  EXPECT_EQ(resumed.status, whole.status);
  EXPECT_EQ(resumed.remarks, whole.remarks);
}

TEST_F(Checkpoints, AreRefusedWhereTheyAreCutOff) {
  auto const text = good(), all = body(text);
  for (std::size_t size = 0; size < text.size(); size += size < begin + 10 ? 1 : 7)
    EXPECT_NE(problem_with(text.substr(0, size)), "") << size;
  for (std::size_t size = 0; size < all.size(); ++size)
    EXPECT_NE(problem_with(with(all.substr(0, size))), "") << size;
  EXPECT_NE(problem_with(text + '\0'), "");
  EXPECT_NE(problem_with(with(all + '\0')), "");
}

TEST_F(Checkpoints, AreRefusedWhereAByteIsDamaged) {
  auto const text = good();
  for (std::size_t at = 0; at < text.size(); at += 5) {
    auto damaged = text;
    damaged[at] ^= 0x10;
    EXPECT_NE(problem_with(damaged), "") << at;
  }
}

TEST_F(Checkpoints, OfAnyContentsAreRefusedOrServe) {
  auto const all = body(good());
  int refused = 0;
  auto const look_at = [&](std::string const& body) { refused += problem_with(with(body)) != ""; };
  for (std::size_t at = 0; at < all.size(); ++at) {
    auto hostile = all;
    hostile[at] = static_cast<char>(hostile[at] ^ (at % 2 == 0 ? 0x81 : 0xff));
    look_at(hostile);
    std::uint64_t const counts[] = {std::uint64_t{1} << 60, std::uint64_t{0x7ff8} << 48, ~std::uint64_t{0}};
    if (at + 8 <= all.size())
      look_at(std::string(all).replace(at, 8, number(counts[at % 3])));
  }
  EXPECT_GT(refused, static_cast<int>(all.size()));
}

TEST_F(Checkpoints, OfOtherKindsAreRefusedByName) {
  auto const text = good();
  auto const replaced = [&](std::size_t at, std::string const& by) {
    return problem_with(std::string(text).replace(at, by.size(), by));
  };
  EXPECT_EQ(replaced(heading.find('2'), "1"), "its layout has version 1, but only version 2 is known");
  EXPECT_EQ(replaced(heading.find('2'), "9"), "its layout has version 9, but only version 2 is known");
  EXPECT_EQ(replaced(heading.find("vegas+"), "mcubes"), "it is not a checkpoint of vegas+");
  EXPECT_EQ(replaced(heading.size(), "\4\3\2\1"), "the file is damaged: its byte order is wrong");
  EXPECT_EQ(problem_with("something else"), "this is not a checkpoint of kubature");
}

/// No file may grow beyond a page: as on a disk that is full.
TEST_F(Checkpoints, KeepTheOldFileWhereTheNewOneDoesNotFit) {
  auto const old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  folder.write("state", "old");
  rlimit const page{4096, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &page);
  std::string problem;
  try {
    detail::write_file(folder.path("state"), std::string(10'000, 'n'), std::source_location::current());
  } catch (InvalidArgument const& error) {
    problem = error.problem();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(problem, std::string("cannot be written: ") + std::strerror(EFBIG));
  EXPECT_EQ(folder.read("state"), "old");
  EXPECT_FALSE(folder.has("state.new"));
}

/// A text file of a map.
class MapFiles : public ::testing::Test {
protected:
  std::string problem_with(std::string const& text) {
    folder.write("map", text);
    return problem_with_file(folder.path("map"));
  }
  static std::string problem_with_file(std::string const& file) {
    try {
      VegasMap::load(file);
      return "";
    } catch (InvalidArgument const& error) {
      return error.problem();
    }
  }
  TemporaryFolder folder;
};

TEST_F(MapFiles, AreRefusedWhereTheyAreCutOffOrDamaged) {
  VegasMap(2, 3, {0, 0.1234567890123456, 0.5, 1, 0, 0.25, 0.75, 1}).save(folder.path("good"));
  auto const text = folder.read("good");
  for (std::size_t size = 0; size + 1 < text.size(); ++size)
    EXPECT_NE(problem_with(text.substr(0, size)), "") << size;
  EXPECT_NE(problem_with(text + "1"), "");
  for (std::size_t at = 0; at < text.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      auto damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
      problem_with(damaged); // a map, or none
    }
}

TEST_F(MapFiles, TakeNoMemoryForEdgesThatAreNotThere) {
  EXPECT_EQ(problem_with("kubature-vegas-map 1\n20 1048576\n0 1\n"), "edges are missing");
  EXPECT_NE(problem_with("kubature-vegas-map 1\n20 1152921504606846976\n0 1\n"), "");
  EXPECT_NE(problem_with("kubature-vegas-map 1\n1 2\n0 nan 1\n"), "");
  EXPECT_NE(problem_with("kubature-vegas-map 1\n1 2\n0 1e999 1\n"), "");
}

TEST_F(MapFiles, AreReadOnlyWhereTheyAreFiles) {
  EXPECT_EQ(problem_with_file("/dev/zero"), "cannot be read: this is not a regular file");
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(problem_with_file(folder.path("pipe")),
            "cannot be read: this is not a regular file"); // nobody writes to it
  folder.write("large", "kubature-vegas-map 1\n");
  std::filesystem::resize_file(folder.path("large"), detail::free_host_memory()); // a hole
  EXPECT_EQ(problem_with_file(folder.path("large")), "cannot be read: it is larger than the free memory");
}

} // namespace
} // namespace files_test

// peaks: how many peaks of random sums of Gaussians a search finds (within a width), beside as many uniform points
// (five of them within three widths), by the number of evaluations; and its time, the median of all calls.
#include "record.hpp"

#include <kubature/peaks.hpp>
#include <kubature/suite/random_gaussians.hpp>

#include <cstdint>
#include <vector>

namespace {

using namespace kubature;
using perf::Json, perf::Space;

struct Options {
  int sums = 24;
  std::vector<std::uint64_t> evaluations{75'000, 300'000, 1'200'000, 4'800'000};
};

class Study {
public:
  explicit Study(Options const& options) : options_(options) {}

  void run(Json& record) {
    for (auto const evaluations : options_.evaluations) {
      variables<2>(evaluations);
      variables<4>(evaluations);
      variables<6>(evaluations);
      variables<10>(evaluations);
    }
    record["columns"] = "variables,evaluations,sums,peaks,found,too many,by uniform points,milliseconds";
    record["rows"] = rows_;
  }

private:
  template <int D>
  void variables(std::uint64_t evaluations) {
    int peaks = 0, found = 0, too_many = 0, by_points = 0;
    std::vector<double> seconds;
    for (int k = 0; k < options_.sums; ++k) {
      auto const f = suite::random_gaussians<D>(1000 * D + static_cast<std::uint64_t>(k));
      Kokkos::Timer const timer;
      auto const result = find_peaks(Space(), f, Box<D>{}, {.evaluations = evaluations});
      seconds.push_back(timer.seconds());
      std::vector<std::vector<double>> places;
      for (auto const& peak : result)
        places.push_back(peak.at);
      int const seen = f.seen(places, 1);
      peaks += f.count;
      found += seen;
      too_many += static_cast<int>(result.size()) - seen;
      by_points += seen_by_points(f, evaluations);
    }
    rows_.push_back({D, evaluations, options_.sums, peaks, found, too_many, by_points, 1e3 * perf::median(seconds)});
  }

  template <int D>
  static int seen_by_points(suite::Gaussians<D> const& f, std::uint64_t evaluations) {
    std::mt19937_64 random(1);
    std::vector<int> near(static_cast<std::size_t>(f.count));
    std::vector<double> x(D);
    for (std::uint64_t n = 0; n < evaluations; ++n) {
      for (double& coordinate : x)
        coordinate = static_cast<double>(random() >> 11) * 0x1p-53;
      for (int k = 0; k < f.count; ++k)
        near[static_cast<std::size_t>(k)] += f.distance(k, x) < 3;
    }
    int seen = 0;
    for (int const count : near)
      seen += count >= 5;
    return seen;
  }

  Options options_;
  Json rows_ = Json::array();
};

} // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Peaks that a search finds");
  app.add_option("--sums", options.sums, "Random sums of each number of variables")->check(CLI::PositiveNumber);
  app.add_option("--evaluations", options.evaluations, "Evaluations of a search")->check(CLI::Range(1e3, 1e13));
  return perf::study("peaks", app, argc, argv, [&](Json& record) { Study(options).run(record); });
}

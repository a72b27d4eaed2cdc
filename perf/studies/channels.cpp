// channels: Auto without its second look and with it. Of random sums of narrow Gaussians to a tolerance: how many
// converged values are wrong, by more than five errors and twice the tolerance; how often the value is that of the
// channels; and the time of a call. Of Genz's families, random and up to ten times as difficult as usual: how many
// values change, and by how much calls of a millisecond and more take longer.
#include "record.hpp"

#include <kubature/automatic.hpp>
#include <kubature/detail/policies/policy.hpp>
#include <kubature/suite/random_gaussians.hpp>
#include <kubature/suite/random_genz.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

using namespace kubature;
using perf::Json, perf::Space;

struct Options {
  int sums = 96, genz = 144;
  double tolerance = 1e-3;
};

class Study {
public:
  explicit Study(Options const& options) : options_(options) {}

  void run(Json& record) {
    variables<2>();
    variables<3>();
    variables<4>();
    variables<5>();
    variables<6>();
    record["columns"] = "variables,tolerance,sums,wrong without,wrong,not converged,by channels,milliseconds without,"
                        "milliseconds,longest";
    record["rows"] = rows_;
    for (double const tolerance : {1e-3, 1e-6})
      genz(tolerance);
    record["genz columns"] =
        "tolerance,calls,changed,of a millisecond,median ratio,largest ratio,seconds without,seconds";
    record["genz"] = genz_;
  }

private:
  struct Calls {
    int wrong = 0, unfinished = 0, by_channels = 0;
    std::vector<double> seconds;
  };

  template <int D>
  void variables() {
    auto const with = calls<D>();
    auto const without = without_look([&] { return calls<D>(); });
    rows_.push_back({D, options_.tolerance, options_.sums, without.wrong, with.wrong, with.unfinished, with.by_channels,
                     1e3 * perf::median(without.seconds), 1e3 * perf::median(with.seconds),
                     1e3 * *std::ranges::max_element(with.seconds)});
  }

  /// A search of one chain, whose mode is taken for an oscillation.
  template <class Call>
  static auto without_look(Call const& call) {
    detail::set_policies("peaks.share=0,peaks.least_searched=1,peaks.most_modes=1");
    auto result = call();
    detail::restore_policies();
    return result;
  }

  void genz(double tolerance) {
    int changed = 0;
    double all = 0, all_without = 0;
    std::vector<double> ratios{1};
    for (int k = 0; k < options_.genz; ++k) {
      auto const f = suite::RandomGenz(2026, static_cast<std::uint64_t>(k)).f;
      Box<dynamic> const box(std::vector<Side>(1), f.dimension);
      auto const call = [&] {
        return integrate(Space(), Auto{}, f, box, {.relative = tolerance}, {.evaluations = 3'000'000});
      };
      auto const without = without_look(call), with = call();
      changed += with.value != without.value;
      all += with.seconds;
      all_without += without.seconds;
      if (without.seconds > 1e-3)
        ratios.push_back(with.seconds / without.seconds);
    }
    genz_.push_back({tolerance, options_.genz, changed, ratios.size() - 1, perf::median(ratios),
                     *std::ranges::max_element(ratios), all_without, all});
  }

  template <int D>
  Calls calls() {
    Calls all;
    for (int k = 0; k < options_.sums; ++k) {
      auto const f = suite::random_gaussians<D>(5000 * D + static_cast<std::uint64_t>(k));
      auto const result = integrate(Space(), Auto{}, f, Box<D>{}, {.relative = options_.tolerance});
      double const off = std::abs(result.value - f.integral());
      bool const converged = result.status == Status::converged;
      all.wrong += converged && off > std::max(5 * result.error, 2 * options_.tolerance * f.integral());
      all.unfinished += !converged;
      for (auto const& remark : result.remarks)
        all.by_channels += remark.find("integrated one by one") != remark.npos;
      all.seconds.push_back(result.seconds);
    }
    return all;
  }

  Options options_;
  Json rows_ = Json::array(), genz_ = Json::array();
};

} // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Auto on integrals with several narrow peaks");
  app.add_option("--sums", options.sums, "Random sums of each number of variables")->check(CLI::PositiveNumber);
  app.add_option("--genz", options.genz, "Random functions of Genz")->check(CLI::PositiveNumber);
  app.add_option("--tolerance", options.tolerance, "Relative tolerance")->check(CLI::Range(1e-9, 0.1));
  return perf::study("channels", app, argc, argv, [&](Json& record) { Study(options).run(record); });
}

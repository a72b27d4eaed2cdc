// channels: methods without channels, with a second look, and by channels from the start. Of random sums of narrow
// Gaussians to a tolerance: how many converged values are wrong, by more than five errors and twice the tolerance; how
// often the value is that of the channels; the root mean square of the other pulls; and the time of a call. Of Genz's
// families, random and up to ten times as difficult as usual, by Auto: how many values change with the second look, and
// by how much calls of a millisecond and more take longer.
#include "record.hpp"

#include <kubature/automatic.hpp>
#include <kubature/channel_use.hpp>
#include <kubature/pagani.hpp>
#include <kubature/quasi_monte_carlo.hpp>
#include <kubature/suite/random_gaussians.hpp>
#include <kubature/suite/random_genz.hpp>
#include <kubature/vegas_plus.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
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
    sums<2>("auto", Auto{});
    sums<3>("auto", Auto{});
    sums<4>("auto", Auto{});
    sums<5>("auto", Auto{});
    sums<6>("auto", Auto{});
    VegasPlus const vegas{.evaluations = 100'000};
    sums<4>("vegas+", vegas);
    sums<6>("vegas+", vegas);
    QuasiMonteCarlo const lattices{.evaluations = 1 << 16};
    sums<4>("qmc", lattices);
    sums<6>("qmc", lattices);
    sums<3>("pagani", Pagani{});
    sums<4>("pagani", Pagani{});
    record["columns"] = "method,channels,variables,sums,wrong,not converged,by channels,pull,milliseconds,longest";
    record["rows"] = rows_;
    for (double const tolerance : {1e-3, 1e-6})
      genz(tolerance);
    record["genz columns"] =
        "tolerance,calls,changed,of a millisecond,median ratio,largest ratio,seconds without,seconds";
    record["genz"] = genz_;
  }

private:
  void genz(double tolerance) {
    int changed = 0;
    double all = 0, all_without = 0;
    std::vector<double> ratios{1};
    for (int k = 0; k < options_.genz; ++k) {
      auto const f = suite::RandomGenz(2026, static_cast<std::uint64_t>(k)).f;
      Box<dynamic> const box(std::vector<Side>(1), f.dimension);
      auto const call = [&](Channels channels) {
        return integrate(Space(), Auto{.channels = channels}, f, box, {.relative = tolerance},
                         {.evaluations = 3'000'000});
      };
      auto const without = call(Channels::never), with = call(Channels::automatic);
      changed += with.value != without.value;
      all += with.seconds;
      all_without += without.seconds;
      if (without.seconds > 1e-3)
        ratios.push_back(with.seconds / without.seconds);
    }
    genz_.push_back({tolerance, options_.genz, changed, ratios.size() - 1, perf::median(ratios),
                     *std::ranges::max_element(ratios), all_without, all});
  }

  template <int D, class Method>
  void sums(std::string const& name, Method method) {
    for (auto const& [channels, word] :
         {std::pair{Channels::never, "never"}, {Channels::automatic, "automatic"}, {Channels::always, "always"}}) {
      method.channels = channels;
      int wrong = 0, unfinished = 0, by_channels = 0;
      double squares = 0;
      std::vector<double> seconds;
      for (int k = 0; k < options_.sums; ++k) {
        auto const f = suite::random_gaussians<D>(5000 * D + static_cast<std::uint64_t>(k));
        if constexpr (requires { method.seed; })
          method.seed = static_cast<std::uint64_t>(k);
        auto const result =
            integrate(Space(), method, f, Box<D>{}, {.relative = options_.tolerance}, {.evaluations = 20'000'000});
        double const off = std::abs(result.value - f.integral());
        bool const converged = result.status == Status::converged,
                   bad = off > std::max(5 * result.error, 2 * options_.tolerance * f.integral());
        wrong += converged && bad;
        unfinished += !converged;
        squares += converged && !bad ? std::pow(off / result.error, 2) : 0;
        for (auto const& remark : result.remarks)
          by_channels += remark.find("one by one") != remark.npos || remark.find("by channels") != remark.npos;
        seconds.push_back(1e3 * result.seconds);
      }
      rows_.push_back({name, word, D, options_.sums, wrong, unfinished, by_channels,
                       std::sqrt(squares / std::max(1, options_.sums - wrong - unfinished)), perf::median(seconds),
                       *std::ranges::max_element(seconds)});
    }
  }

  Options options_;
  Json rows_ = Json::array(), genz_ = Json::array();
};

} // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Integrals with several narrow peaks");
  app.add_option("--sums", options.sums, "Random sums of each number of variables")->check(CLI::PositiveNumber);
  app.add_option("--genz", options.genz, "Random functions of Genz")->check(CLI::PositiveNumber);
  app.add_option("--tolerance", options.tolerance, "Relative tolerance")->check(CLI::Range(1e-9, 0.1));
  return perf::study("channels", app, argc, argv, [&](Json& record) { Study(options).run(record); });
}

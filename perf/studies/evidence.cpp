// evidence: log_evidence() on logarithms of sums of two to four narrow Gaussians, and of normal variables with a common
// correlation. Of each: how many values are off by more than five errors, the root mean square of the other pulls, the
// largest shape of the tail of the weights, the mean share of the effective in all samples, and milliseconds of a call.
#include "record.hpp"

#include <kubature/evidence.hpp>
#include <kubature/suite/log_densities.hpp>
#include <kubature/suite/random_gaussians.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace kubature;
using perf::Json, perf::Space;

class Study {
public:
  Study(int calls, std::uint64_t search) : calls_(calls), search_(search) {}

  void run(Json& record) {
    sums<2>();
    sums<4>();
    sums<6>();
    sums<8>();
    sums<10>();
    correlated<10>(0.9, 0.01);
    correlated<10>(0.99, 0.01);
    correlated<20>(0.5, 0.01);
    record["columns"] = "integrand,variables,calls,wrong,pull,largest k,effective share,milliseconds";
    record["rows"] = rows_;
  }

private:
  template <int D>
  void sums() {
    measure<D>(
        "sums",
        [](std::uint64_t seed) { return suite::LogGaussians<D>{suite::random_gaussians<D>(5000 * D + seed), 0}; },
        [](auto const& f) { return std::log(f.f.integral()); });
  }
  template <int D>
  void correlated(double r, double width) {
    measure<D>(
        "r = " + std::to_string(r).substr(0, 4),
        [&](std::uint64_t) { return suite::LogCorrelatedNormal<D>{0, 0.5, width, r}; },
        [](auto const& f) { return f.log_integral(); });
  }

  template <int D, class Make, class Truth>
  void measure(std::string const& name, Make const& make, Truth const& truth) {
    int wrong = 0;
    double squares = 0, tail = -1, share = 0;
    std::vector<double> seconds;
    for (int k = 0; k < calls_; ++k) {
      auto const seed = static_cast<std::uint64_t>(k);
      auto const f = make(seed);
      EvidenceOptions const options{.search = search_, .seed = seed, .keep = true};
      auto const found = log_evidence(Space(), f, Box<D>{}, options);
      double const pull = (found.log_evidence - truth(f)) / found.error;
      bool const off = !(std::abs(pull) < 5);
      wrong += off;
      squares += off ? 0 : pull * pull;
      tail = std::max(tail, found.k_hat);
      share += found.effective / static_cast<double>(found.log_weights.size()) / calls_;
      seconds.push_back(found.seconds);
    }
    rows_.push_back({name, D, calls_, wrong, std::sqrt(squares / std::max(1, calls_ - wrong)), tail, share,
                     1e3 * perf::median(seconds)});
  }

  int calls_;
  std::uint64_t search_;
  Json rows_ = Json::array();
};

} // namespace

int main(int argc, char** argv) {
  int calls = 48;
  std::uint64_t search = EvidenceOptions().search;
  CLI::App app("log_evidence() on several narrow peaks and on correlated variables");
  app.add_option("--calls", calls, "Calls of each kind")->check(CLI::PositiveNumber);
  app.add_option("--search", search, "Evaluations of the search for peaks")->check(CLI::Range(1000.0, 1e12));
  return perf::study("evidence", app, argc, argv, [&](Json& record) { Study(calls, search).run(record); });
}

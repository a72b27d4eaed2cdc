// calibration: whether reported errors are as large as true ones. Computes the pulls (value - truth) / error over many
// seeds, for each sampling method and precision, from small iterations to large ones, on the reference integrals, on
// random Genz integrands of the usual difficulty, on cuts along no axis, and on correlated Gaussian peaks. All
// iterations are done, without a tolerance.
#include "record.hpp"

#include <kubature/integrate.hpp>
#include <kubature/suite/correlated.hpp>
#include <kubature/suite/cuts.hpp>
#include <kubature/suite/suite.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace kubature;
using perf::Json, perf::Space, perf::on_host;

struct Options {
  std::vector<std::string> methods, precisions, groups;
  std::vector<std::uint64_t> samples = on_host
                                           ? std::vector<std::uint64_t>{1'000, 20'000}
                                           : std::vector<std::uint64_t>{1'000, 20'000, 200'000, 2'000'000, 10'000'000};
  int seeds = 100;
  double work = on_host ? 2e7 : 4e9;
};

bool chosen(std::vector<std::string> const& of, std::string_view name) {
  return of.empty() || std::find(of.begin(), of.end(), name) != of.end();
}

template <class Function, int D>
struct In {
  using type = Function;
  static constexpr int dimension = D;
};

/// The reference integrals of the study: one of each kind, except those that take long.
using References =
    std::tuple<In<suite::F1<5>, 5>, In<suite::F2<6>, 6>, In<suite::F3<8>, 8>, In<suite::F4<5>, 5>, In<suite::F5<8>, 8>,
               In<suite::F6<6>, 6>, In<suite::F7<8>, 8>, In<suite::FA<6>, 6>, In<suite::FB<9>, 9>,
               In<suite::SineExponential, 2>, In<suite::Linear<10>, 10>, In<suite::Cosine<10>, 10>,
               In<suite::Exponential<10>, 10>, In<suite::RoosArnold<10>, 10>, In<suite::MorokoffCaflisch<8>, 8>,
               In<suite::Gaussian<4>, 4>, In<suite::FeynmanPath<8>, 8>, In<suite::TwoPhaseF1<5>, 5>,
               In<suite::TwoPhaseF2<5>, 5>, In<suite::TwoPhaseF3<3>, 3>, In<suite::TwoPhaseF4<6>, 6>,
               In<suite::MixedEq9, 2>, In<suite::MixedEq11, 4>, In<decltype(suite::mixed_eq12()), 8>>;
constexpr int references = std::tuple_size_v<References>;

/// The position of an integrand among them; -1 if it is not one of them.
template <class F, int k = 0>
constexpr int number_of() {
  if constexpr (k == references)
    return -1;
  else if constexpr (std::is_same_v<F, typename std::tuple_element_t<k, References>::type>)
    return k;
  else
    return number_of<F, k + 1>();
}

/// Any integrand of the study, chosen at run time, so that each method is compiled once for all of them.
struct AnyOf {
  static constexpr int genz = -1, cut = -2, correlated = -3;

  int which = genz;
  suite::GenzFunction random = {};
  suite::CutFunction within = {};
  suite::CorrelatedGaussian peak = {};

  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, dynamic> const& x) const {
    return which == genz ? random(x) : which == cut ? within(x) : which == correlated ? peak(x) : reference<0>(x);
  }

private:
  template <int k, class Real>
  KOKKOS_FUNCTION Real reference(Point<Real, dynamic> const& x) const {
    if constexpr (k < references) {
      using Entry = std::tuple_element_t<k, References>;
      if (which != k)
        return reference<k + 1>(x);
      Point<Real, Entry::dimension> fixed;
      for (int i = 0; i < Entry::dimension; ++i)
        fixed[i] = x[i];
      return typename Entry::type()(fixed);
    } else {
      return Real(0);
    }
  }
};

struct Subject {
  std::string group, name;
  AnyOf f;
  Box<> box;
  double truth;
};

std::vector<Subject> subjects(Options const& options) {
  std::vector<Subject> result;
  Side const side;
  if (chosen(options.groups, "reference"))
    suite::for_each<suite::All>([&]<class F, int D>(suite::Entry const& entry, F const&, Box<D> const& box) {
      if (constexpr int number = number_of<F>(); number >= 0)
        result.push_back(
            {"reference", std::string(entry.name), {.which = number}, Box<>(std::span(&box[0], 1), D), entry.value});
    });
  if (chosen(options.groups, "genz"))
    for (int family = 0; family < suite::genz_families; ++family)
      for (int const d : {2, 4, 6, 8}) {
        auto const f = suite::random_genz(static_cast<suite::GenzFamily>(family), d, 1, 2, static_cast<unsigned>(d));
        result.push_back(
            {"genz", std::string(to_string(f.family)), {.random = f}, Box<>(std::span(&side, 1), d), f.value()});
      }
  if (chosen(options.groups, "cuts"))
    for (int shape = 0; shape < suite::cut_shapes; ++shape)
      for (int const d : {2, 3, 4, 6})
        for (unsigned k = 0; k < 2; ++k) {
          auto const f = suite::random_cut(static_cast<suite::CutShape>(shape), d, 2, k);
          result.push_back({"cuts",
                            std::string(to_string(f.shape)),
                            {.which = AnyOf::cut, .within = f},
                            Box<>(std::span(&side, 1), d),
                            f.value()});
        }
  if (chosen(options.groups, "correlated"))
    for (int shape = 0; shape < suite::correlated_shapes; ++shape)
      for (int const d : {2, 4, 6, 8})
        for (unsigned k = 0; k < 2; ++k) {
          auto const s = static_cast<suite::CorrelatedShape>(shape);
          auto const f = suite::random_correlated(s, d, 1, k);
          result.push_back({"correlated",
                            std::string(to_string(s)),
                            {.which = AnyOf::correlated, .peak = f},
                            Box<>(std::span(&side, 1), d),
                            f.value()});
        }
  return result;
}

/// The pulls of a method on an integrand.
class Pulls {
public:
  void add(Result<> const& result, double truth) {
    if (result.status == Status::non_finite)
      ++non_finite_;
    else if (!(result.error > 0))
      ++no_error_;
    else {
      double const pull = (result.value - truth) / result.error;
      pulls_.push_back(pull);
      mean_ += pull;
      squares_ += pull * pull;
      for (int k = 0; k < 3; ++k)
        within_[k] += std::abs(pull) <= k + 1;
      largest_ = std::max(largest_, std::abs(pull));
      chi2_ += std::isnan(result.chi2_per_dof) ? 0 : result.chi2_per_dof; // quasi-Monte Carlo has none
      if (result.q_value < 1e-3)                                          // the result says so, and does not converge
        ++disagree_;
      else
        agreeing_squares_ += pull * pull;
      errors_.push_back(result.error / std::abs(truth));
    }
  }

  static constexpr char const* columns =
      "seeds,mean,rms,within_1,within_2,within_3,largest,chi2_per_dof,disagree,rms_of_agreeing,relative_error,no_error,"
      "non_finite";

  int count() const { return static_cast<int>(pulls_.size()); }
  double rms() const { return std::sqrt(squares_ / count()); }

  std::string row() const {
    char text[200];
    int const n = count();
    if (n == 0)
      std::snprintf(text, sizeof text, "0,,,,,,,,,,,%d,%d", no_error_, non_finite_);
    else
      std::snprintf(text, sizeof text, "%d,%.3g,%.4g,%.3g,%.3g,%.3g,%.3g,%.3g,%d,%.4g,%.2g,%d,%d", n, mean_ / n, rms(),
                    within_[0] / n, within_[1] / n, within_[2] / n, largest_, chi2_ / n, disagree_,
                    disagree_ < n ? std::sqrt(agreeing_squares_ / (n - disagree_)) : 0.0, perf::median(errors_),
                    no_error_, non_finite_);
    return text;
  }

private:
  std::vector<double> pulls_, errors_;
  double mean_ = 0, squares_ = 0, within_[3] = {}, largest_ = 0, chi2_ = 0, agreeing_squares_ = 0;
  int disagree_ = 0, no_error_ = 0, non_finite_ = 0;
};

class Study {
public:
  explicit Study(Options const& options) : options_(options), subjects_(subjects(options)) {}

  void run(Json& record) {
    record["columns"] = std::string("method,precision,group,integrand,dimension,samples,") + Pulls::columns;
    in_precisions<PlainMonteCarlo>("mc");
    in_precisions<QuasiMonteCarlo>("qmc");
    in_precisions<MCubes>("mcubes");
    in_precisions<VegasPlus>("vegas+");
    if (chosen(options_.methods, "mixed"))
      measure("mixed", "adaptive", MixedPrecision<>{.strategy = Strategy::region});
    record["rows"] = rows_;
  }

private:
  template <template <class> class Method>
  void in_precisions(std::string const& name) {
    if (!chosen(options_.methods, name))
      return;
    if (chosen(options_.precisions, "fp64"))
      measure(name, "fp64", Method<Fp64>{});
    if (chosen(options_.precisions, "fp32"))
      measure(name, "fp32", Method<Fp32>{});
    if constexpr (Tuning<Space>::half_in_hardware)
      if (chosen(options_.precisions, "fp16"))
        measure(name, "fp16", Method<Fp16>{});
  }

  template <class Method>
  void measure(std::string const& name, std::string const& precision, Method method) {
    for (std::uint64_t const samples : options_.samples) {
      Kokkos::Timer timer;
      method.evaluations = samples;
      double largest = 0;
      std::string worst;
      for (auto const& subject : subjects_) {
        Pulls pulls;
        double evaluations = 0;
        for (int seed = 1; seed <= options_.seeds && (seed <= least_seeds || evaluations < options_.work); ++seed) {
          method.seed = static_cast<std::uint64_t>(seed);
          auto const result = integrate(method, subject.f, subject.box);
          evaluations += static_cast<double>(result.evaluations);
          pulls.add(result, subject.truth);
        }
        std::string const what =
            subject.name + ',' + std::to_string(subject.box.dimension()) + ',' + std::to_string(samples);
        rows_.push_back(name + ',' + precision + ',' + subject.group + ',' + what + ',' + pulls.row());
        if (pulls.count() > 0 && pulls.rms() > largest) {
          largest = pulls.rms();
          worst = what;
        }
      }
      std::fprintf(stderr, "%-7s %-8s %9llu samples: rms at most %7.3g (%s), %.1f s\n", name.c_str(), precision.c_str(),
                   static_cast<unsigned long long>(samples), largest, worst.c_str(), timer.seconds());
    }
  }

  static constexpr int least_seeds = 10;

  Options options_;
  std::vector<Subject> subjects_;
  std::vector<std::string> rows_;
};

} // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Whether the errors that sampling methods report are as large as the true ones");
  app.add_option("--method", options.methods, "mc, qmc, mcubes, vegas+, mixed; by default all");
  app.add_option("--precision", options.precisions, "fp64, fp32, and fp16 where the backend has it; by default all");
  app.add_option("--group", options.groups, "reference, genz, cuts, correlated; by default all");
  app.add_option("--samples", options.samples, "Samples per iteration")->check(CLI::Range(2.0, 1e12));
  app.add_option("--seeds", options.seeds, "Seeds at most")->check(CLI::PositiveNumber);
  app.add_option("--work", options.work, "Evaluations from which on an integrand gets no more seeds, but at least 10")
      ->check(CLI::PositiveNumber);
  return perf::study("calibration", app, argc, argv, [&](Json& record) { Study(options).run(record); });
}

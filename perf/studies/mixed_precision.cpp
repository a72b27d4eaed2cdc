#include "algorithm_1.hpp"
#include "record.hpp"

#include <kubature/expression.hpp>
#include <kubature/mixed_precision.hpp>
#include <kubature/plain_monte_carlo.hpp>
#include <kubature/precision_selection.hpp>
#include <kubature/suite/mixed.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

/// Studies of the paper on mixed precision: how well formats are chosen, and what is gained.

namespace {

using namespace kubature;
using perf::Json;
using perf::on_host;
using perf::Space;

struct Study {
  double scale = on_host ? 0.01 : 1;
  std::string section = "all";

  std::uint64_t evaluations(double number) const {
    return static_cast<std::uint64_t>(std::max(1000.0, std::round(number * scale)));
  }
};

/// The paper's assumption: an operation takes half the time in half the width.
constexpr std::array<double, format_count> cheaper_by_half = {1, 2, 4};

// ---- table 1: the choice of a format in 210 cases ------------------------------------------------------------

constexpr char const* functions[] = {"sin(x*y)", "cos(x+y)",  "exp(-0.1*x*y)", "log(x+1)",      "sqrt(x^2+y^2)",
                                     "x^3+y^2",  "atan(x/y)", "1/(x^2+y^2+1)", "sin(x)*cos(y)", "exp(-x^2-y^2)"};

struct Domain {
  Side x, y;
};
constexpr Domain domains[] = {{{0, 1}, {0, 1}},       {{-1, 1}, {-1, 1}},         {{0, 10}, {0, 10}},
                              {{-5, 5}, {-5, 5}},     {{0, 0.1}, {0, 0.1}},       {{0, 100}, {0, 100}},
                              {{-10, 10}, {-10, 10}}, {{0, 1}, {0.01, 1}},        {{-2, 2}, {-2, 2}},
                              {{0, 5}, {0.5, 5}},     {{-1, 1}, {0.1, 1}},        {{0, 20}, {0, 20}},
                              {{-3, 3}, {-3, 3}},     {{0, 0.5}, {0, 0.5}},       {{-100, 100}, {-100, 100}},
                              {{0, 2}, {0, 2}},       {{-0.5, 0.5}, {-0.5, 0.5}}, {{0, 50}, {0, 50}},
                              {{-20, 20}, {-20, 20}}, {{0, 0.01}, {0.01, 0.1}},   {{-8, 8}, {-8, 8}}};

/// The errors of all formats, from points in each cell of a grid over the domain: far more than a choice uses.
struct Truth {
  std::array<double, format_count> pointwise{}, average{};
  double undefined = 0; ///< the undefined fraction of the domain

  Truth(Expression const& expression, Box<dynamic> const& box, double scale) {
    constexpr int parts = 8;
    std::vector<detail::SubBox> cells;
    for (int i = 0; i < parts * parts; ++i) {
      detail::SubBox cell;
      cell.length[0] = cell.length[1] = 1.0 / parts;
      cell.origin[0] = static_cast<double>(i % parts) / parts;
      cell.origin[1] = static_cast<double>(i / parts) / parts;
      cells.push_back(cell);
    }
    int const points = std::max(16, static_cast<int>(16384 * std::min(1.0, scale)));
    Space const exec;
    detail::Prober<Space> prober(points, 1);
    auto const f = expression.on(exec);
    using Parts = detail::ComponentsOfIntegrand<std::remove_const_t<decltype(f)>, 1>;
    using Lowest = detail::half_if<Tuning<Space>::half_in_hardware>;
    auto const seen = prober.probe<Lowest>(exec, Parts{f}, box, cells);
    detail::Probed all;
    for (auto const& cell : seen)
      all.join(cell);
    auto const choice = all.describe(1);
    pointwise = choice.observed;
    for (int p = 0; p < format_count; ++p)
      average[p] = std::abs(choice.bias[p]);
    undefined = static_cast<double>(all.non_finite) / static_cast<double>(all.points + all.non_finite);
  }
};

/// The cheapest format whose error is within the tolerance.
Format needed(std::array<double, format_count> const& errors, double tolerance) {
  for (Format const format : {Format::binary16, Format::binary32})
    if (errors[static_cast<int>(format)] <= tolerance)
      return format;
  return Format::binary64;
}

/// Choices compared with what was needed.
struct Outcome {
  int low = 0, right = 0, high = 0;
  void count(Format chosen, Format need) { ++(chosen < need ? low : chosen > need ? high : right); }
  Json json() const { return {{"too_low", low}, {"right", right}, {"too_high", high}}; }
};

void selection(Study const& study, Json& rows) {
  std::vector<std::pair<Expression, Box<dynamic>>> cases;
  std::vector<Truth> truths;
  for (auto const* function : functions)
    for (auto const& domain : domains) {
      cases.emplace_back(Expression::parse(function, {"x", "y"}), Box<dynamic>{domain.x, domain.y});
      truths.emplace_back(cases.back().first, cases.back().second, study.scale);
    }
  for (double const tolerance : {1e-3, 1e-4, 1e-5, 1e-6}) {
    Outcome ours, prediction, ours_by_average, prediction_by_average;
    int undefined = 0, reported = 0;
    std::map<std::string, int> formats;
    Json wrong = Json::array();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      auto const& [expression, box] = cases[i];
      auto const choice = select_precision(Space(), expression, box, tolerance, {.costs = cheaper_by_half});
      Format const need = needed(truths[i].pointwise, tolerance);
      Format predicted = predicted_format(choice, tolerance);
      if (!Tuning<Space>::half_in_hardware)
        predicted = std::max(predicted, Format::binary32);
      ours.count(choice.format, need);
      prediction.count(predicted, need);
      ours_by_average.count(choice.format, needed(truths[i].average, tolerance));
      prediction_by_average.count(predicted, needed(truths[i].average, tolerance));
      ++formats[std::string(to_string(choice.format))];
      undefined += truths[i].undefined > 0;
      reported += truths[i].undefined > 0 && choice.non_finite > 0;
      if (choice.format != need)
        wrong.push_back({{"function", expression.text()},
                         {"domain", {box[0].lower, box[0].upper, box[1].lower, box[1].upper}},
                         {"chosen", to_string(choice.format)},
                         {"needed", to_string(need)},
                         {"fp16", truths[i].pointwise[0]},
                         {"fp32", truths[i].pointwise[1]}});
    }
    std::fprintf(
        stderr,
        "%7.0e  observed: %3d too low %3d right %3d too high   predicted: %3d %3d %3d   undefined %d, told %d\n",
        tolerance, ours.low, ours.right, ours.high, prediction.low, prediction.right, prediction.high, undefined,
        reported);
    rows.push_back({{"tolerance", tolerance},
                    {"cases", cases.size()},
                    {"chosen", formats},
                    {"observed", ours.json()},
                    {"predicted", prediction.json()},
                    {"observed_by_average", ours_by_average.json()},
                    {"predicted_by_average", prediction_by_average.json()},
                    {"undefined", undefined},
                    {"undefined_reported", reported},
                    {"wrong", wrong}});
  }
}

/// Algorithm 1 of the paper, with FP32 and FP64 to choose from: P predicts a format, and the absolute error of the
/// integral computed in it decides whether that was acceptable.
void algorithm_1(Study const& study, Json& rows) {
  int const points = std::max(4096, static_cast<int>(1e5 * std::min(1.0, study.scale)));
  struct Case {
    PrecisionChoice seen;
    double single, twice; ///< the errors of the integral
  };
  std::vector<Case> cases;
  for (int k = 0; k < static_cast<int>(std::size(functions)); ++k)
    for (auto const& [x, y] : domains) {
      auto const seen = select_precision(Space(), Expression::parse(functions[k], {"x", "y"}), Box<dynamic>{x, y}, 1);
      auto const [single, twice, extended] = perf::integrals_by_format(k, x, y, points);
      auto const error = [&, exact = extended](long double of) { return static_cast<double>(std::abs(of - exact)); };
      cases.push_back({seen, error(single), error(twice)});
    }
  for (double const tolerance : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
    int low = 0, high = 0, singles = 0;
    for (auto const& [seen, single, twice] : cases) {
      bool const in_single = predicted_format(seen, tolerance) < Format::binary64;
      singles += in_single;
      low += (in_single ? single : twice) > tolerance;
      high += !in_single && single <= tolerance;
    }
    auto const count = static_cast<int>(cases.size());
    std::fprintf(stderr, "%7.0e  %3d in fp32: %3d acceptable, %3d too low; %3d too high\n", tolerance, singles,
                 count - low, low, high);
    rows.push_back({{"tolerance", tolerance},
                    {"points", points},
                    {"cases", count},
                    {"fp32", singles},
                    {"acceptable", count - low},
                    {"too_low", low},
                    {"too_high", high}});
  }
}

// ---- the equations of the paper, by strategy -----------------------------------------------------------------

/// A way to integrate: plain Monte Carlo in one precision, or a strategy.
struct Way {
  std::string name;
  std::optional<Strategy> strategy = {};
};
std::vector<Way> const ways{{"fp64"},
                            {"fp32"},
                            {"fp32_pure"}, // as the paper's fp32, with sums in single precision
                            {"fp16"},
                            {"term", Strategy::term},
                            {"region", Strategy::region},
                            {"hybrid", Strategy::hybrid},
                            {"automatic", Strategy::automatic}};

struct Timed {
  Result<> result;
  double milliseconds = 0;
};

/// The shortest of three calls of an integrator that has already allocated its memory.
template <class Method, class F, int D>
Timed timed(Method const& method, F const& f, Box<D> const& box, Tolerance tolerance) {
  Integrator<Method, Space> integrator(Space(), method);
  auto const first = integrator.integrate(f, box, tolerance);
  Timed best{first, 1e300};
  for (int i = 0; i < 3; ++i) {
    Kokkos::fence();
    Kokkos::Timer const timer;
    integrator.integrate(f, box, tolerance);
    best.milliseconds = std::min(best.milliseconds, 1e3 * timer.seconds());
  }
  return best;
}

/// Calls use(method), where the method makes one iteration in this way.
template <class Use>
auto with_method(Way const& way, std::uint64_t evaluations, std::uint64_t seed, Use const& use) {
  auto const plain = [&](auto precision) {
    return use(PlainMonteCarlo{.evaluations = evaluations,
                               .iterations = 1,
                               .seed = seed,
                               .precision = precision,
                               .non_finite = NonFinite::discard});
  };
  if (way.strategy)
    return use(MixedPrecision{.evaluations = evaluations, .iterations = 1, .strategy = *way.strategy, .seed = seed});
  return way.name == "fp64"        ? plain(fp64)
         : way.name == "fp32"      ? plain(fp32)
         : way.name == "fp32_pure" ? plain(fp32_pure)
                                   : plain(fp16);
}

template <class F, int D>
Timed timed(Way const& way, std::uint64_t evaluations, F const& f, Box<D> const& box) {
  return with_method(way, evaluations, 0, [&](auto const& method) { return timed(method, f, box, {}); });
}

/// Calls use(name, integrand, box, value) for equations 9 to 12 as sums of terms, and for 12 also as an expression.
template <class Use>
void each_equation(Use const& use) {
  suite::for_each<suite::Mixed>([&]<class F, int D>(suite::Entry const& entry, F const& f, Box<D> const& box) {
    use(std::string(entry.name), f, box, entry.value);
    if (entry.name == "mixed-eq12")
      use(std::string(entry.name) + " expression",
          Expression::parse(std::string(entry.formula), {"a", "b", "c", "d", "x", "y", "z", "v"}),
          Box<dynamic>(std::vector<Side>{Side{0, 1}}, 8), entry.value);
  });
}

void strategies(Study const& study, Json& rows) {
  each_equation([&](std::string const& name, auto const& f, auto const& box, double value) {
    double error64 = 0;
    for (auto const& way : ways) {
      auto const [result, milliseconds] = timed(way, study.evaluations(1e9), f, box);
      if (way.name == "fp64")
        error64 = result.error;
      double const pull = (result.value - value) / result.error;
      // The time is proportional to the inverse square of the error.
      double const equal = milliseconds * std::pow(result.error / error64, 2);
      std::fprintf(stderr, "%-22s %-7s %14.9f +- %8.2e  pull %+7.2f  %9.2f ms  at fp64's error %9.2f ms  %s\n",
                   name.c_str(), way.name.c_str(), result.value, result.error, pull, milliseconds, equal,
                   result.precision.c_str());
      rows.push_back({{"integrand", name},
                      {"way", way.name},
                      {"evaluations", result.evaluations},
                      {"value", result.value},
                      {"error", result.error},
                      {"true_value", value},
                      {"pull", pull},
                      {"milliseconds", milliseconds},
                      {"milliseconds_at_fp64_error", equal},
                      {"precision", result.precision},
                      {"remarks", result.remarks}});
    }
  });
}

/// Table 5: the error against the number of samples, as the root mean square over seeds.
void error_against_samples(Study const& study, Json& rows) {
  each_equation([&](std::string const& name, auto const& f, auto const& box, double value) {
    if (name.ends_with("expression"))
      return;
    for (double n = 1e3; n <= 1e9 * std::max(study.scale, 1e-4); n *= 10)
      for (auto const& way : ways) {
        int const seeds = n > 1e7 ? 4 : 16;
        double squares = 0, reported = 0;
        for (int seed = 0; seed < seeds; ++seed) {
          auto const result = with_method(way, static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(seed),
                                          [&](auto const& method) { return integrate(Space(), method, f, box); });
          squares += std::pow(result.value - value, 2);
          reported += result.error / seeds;
        }
        rows.push_back({{"integrand", name},
                        {"way", way.name},
                        {"evaluations", n},
                        {"seeds", seeds},
                        {"true_error", std::sqrt(squares / seeds)},
                        {"error", reported}});
      }
  });
}

/// Figure 2: the time against the number of samples, for eq. 11 as in the paper, and for eq. 12.
void time_against_samples(Study const& study, Json& rows) {
  auto const measure = [&](std::string const& name, auto const& f, auto const& box) {
    for (double n = 1e4; n <= 1e10 * study.scale; n *= 10)
      for (auto const& way : ways) {
        auto const [result, milliseconds] = timed(way, static_cast<std::uint64_t>(n), f, box);
        rows.push_back({{"integrand", name}, {"way", way.name}, {"evaluations", n}, {"milliseconds", milliseconds}});
      }
  };
  measure("mixed-eq11", suite::MixedEq11{}, Box<4>{});
  measure("mixed-eq12", suite::mixed_eq12(), Box<8>{});
}

// ---- figure 1: regions by format -----------------------------------------------------------------------------

void regions(Study const&, Json& rows) {
  auto const draw = [&](std::string const& text, Side side, double absolute) {
    Integrator integrator(Space(), MixedPrecision{.evaluations = 1'000'000,
                                                  .iterations = 1,
                                                  .strategy = Strategy::region,
                                                  .costs = cheaper_by_half});
    auto const result =
        integrator.integrate(Expression::parse(text, {"x", "y"}), Box<dynamic>{side, side}, {.absolute = absolute});
    Json list = Json::array();
    for (auto const& choice : integrator.choices())
      list.push_back({{"region", choice.name}, {"format", to_string(choice.format)}});
    std::fprintf(stderr, "%s: %s\n", text.c_str(), result.precision.c_str());
    rows.push_back({{"integrand", text}, {"absolute", absolute}, {"precision", result.precision}, {"regions", list}});
  };
  draw("sin(x+y)-log(x)+x^4/y+5", {1, 2}, 2e-2);
  draw("1/(0.01+(x-0.3)^2+(y-0.6)^2)", {0, 1}, 1e-1);
}

/// The cost of formats: times of plain Monte Carlo, relative to fp64.
void costs(Study const& study, Json& rows) {
  each_equation([&](std::string const& name, auto const& f, auto const& box, double) {
    std::map<std::string, double> milliseconds;
    for (std::string const way : {"fp64", "fp32", "fp16"})
      milliseconds[way] = timed(Way{way}, study.evaluations(1e8), f, box).milliseconds;
    std::fprintf(stderr, "%-22s fp32 %.3f fp16 %.3f of fp64\n", name.c_str(),
                 milliseconds["fp32"] / milliseconds["fp64"], milliseconds["fp16"] / milliseconds["fp64"]);
    rows.push_back({{"integrand", name},
                    {"fp32", milliseconds["fp32"] / milliseconds["fp64"]},
                    {"fp16", milliseconds["fp16"] / milliseconds["fp64"]}});
  });
}

struct Section {
  std::string name;
  void (*measure)(Study const&, Json&);
};
std::vector<Section> const all_sections{{"selection", selection},
                                        {"algorithm_1", algorithm_1},
                                        {"strategies", strategies},
                                        {"error_against_samples", error_against_samples},
                                        {"time_against_samples", time_against_samples},
                                        {"regions", regions},
                                        {"costs", costs}};

void measure(Study& study, Json& record) {
  record["scale"] = study.scale;
  record["half_in_hardware"] = Tuning<Space>::half_in_hardware;
  for (auto const& section : all_sections)
    if (study.section == "all" || study.section == section.name) {
      std::fprintf(stderr, "\n%s\n", section.name.c_str());
      Kokkos::Timer const timer;
      section.measure(study, record[section.name]);
      std::fprintf(stderr, "%s: %.1f s\n", section.name.c_str(), timer.seconds());
    }
}

} // namespace

int main(int argc, char** argv) {
  Study study;
  CLI::App app("Mixed precision: the choice of formats, and what they gain");
  std::vector<std::string> names{"all"};
  for (auto const& section : all_sections)
    names.push_back(section.name);
  app.add_option("--section", study.section, "A part of the record; by default all")->check(CLI::IsMember(names));
  app.add_option("--scale", study.scale, "Multiplies evaluations")->check(CLI::PositiveNumber);
  return perf::study("mixed-precision", app, argc, argv, [&](Json& record) { measure(study, record); });
}

// components: samples per second of VEGAS+ against the number of components, with the error of each alone and with full
// covariance, and the share of the time that the matrix products of a full covariance take. The integrand is a peak in
// four variables times Chebyshev polynomials of the first, two operations per component, so that the library's own work
// is what is measured.
#include "iteration_times.hpp"
#include "record.hpp"

#include <kubature/batched.hpp>
#include <kubature/detail/components/matrix_products.hpp>
#include <kubature/integrate.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

namespace {

using namespace kubature;
using perf::Json, perf::IterationTimes, perf::Space, perf::on_host;

struct Options {
  double values = on_host ? 8e6 : 4e9; ///< of all components, per iteration
  int most = 1000;                     ///< largest number of components
  int iterations = 6;
};

/// Calls write(c, value) with component c, T_c(2 x_0 - 1) exp(-10 |x - 1/2|^2).
struct Polynomials {
  static constexpr int dimension = 4;

  template <class Write>
  KOKKOS_FUNCTION static void evaluate(Point<double, dimension> const& x, int components, Write const& write) {
    double square = 0;
    for (int i = 0; i < dimension; ++i)
      square += (x[i] - 0.5) * (x[i] - 0.5);
    double const peak = Kokkos::exp(-10 * square), t = 2 * x[0] - 1;
    double before = t * peak, now = peak;
    for (int c = 0; c < components; ++c) {
      write(c, now);
      double const next = 2 * t * now - before;
      before = now;
      now = next;
    }
  }
};

/// With the number of components known at compile time.
template <int C>
struct Known {
  KOKKOS_FUNCTION Kokkos::Array<double, C> operator()(Point<double, Polynomials::dimension> const& x) const {
    Kokkos::Array<double, C> result;
    Polynomials::evaluate(x, C, [&](int c, double value) { result[c] = value; });
    return result;
  }
};

/// With the number of components known at run time, for batched().
struct InBatches {
  struct Kernel {
    BatchPoints<Space> points;
    BatchValues<Space> values;

    KOKKOS_FUNCTION void operator()(std::int64_t k) const {
      Point<double, Polynomials::dimension> x;
      for (int i = 0; i < Polynomials::dimension; ++i)
        x[i] = points(k, i);
      Polynomials::evaluate(x, static_cast<int>(values.extent(1)), [&](int c, double value) { values(k, c) = value; });
    }
  };

  void operator()(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    Kokkos::parallel_for("kubature::study::components",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                             exec, 0, static_cast<std::int64_t>(points.extent(0))),
                         Kernel{points, values});
  }
};

/// The seconds spent on matrix products, each of which is waited for.
struct Products {
  inline static double seconds = 0;
  inline static int depth = 0, begun = 0; ///< of the open regions, and where that of the products began
  inline static Kokkos::Timer timer;

  static void push(char const* name) {
    ++depth;
    if (std::string(name) != "kubature::components::products")
      return;
    Space().fence("kubature::study::begin");
    begun = depth;
    timer.reset();
  }
  static void pop() {
    if (depth-- != begun)
      return;
    Space().fence("kubature::study::end");
    begun = 0;
    seconds += timer.seconds();
  }

  explicit Products() {
    seconds = 0;
    Kokkos::Tools::Experimental::set_push_region_callback(push);
    Kokkos::Tools::Experimental::set_pop_region_callback(pop);
  }
  ~Products() {
    Kokkos::Tools::Experimental::set_push_region_callback(nullptr);
    Kokkos::Tools::Experimental::set_pop_region_callback(nullptr);
  }
};

class Study {
public:
  Study(Options const& options, Json& rows) : options_(options), rows_(rows) {}

  template <class F>
  void measure(F const& f, int components, bool at_run_time, Covariance covariance) {
    if (components > options_.most || (covariance == Covariance::full && components == 1))
      return;
    VegasPlus method{.evaluations = samples(components), .iterations = options_.iterations, .skip = 1};
    method.covariance = covariance;
    Box<Polynomials::dimension> const box;
    IterationTimes times;
    auto const result = integrate(method, f, box, {}, {}, times.callback());
    Json share;
    if (at_run_time && covariance == Covariance::full) {
      Products const watch;
      double const seconds = integrate(method, f, box).seconds;
      share = Products::seconds / seconds;
    }
    double const samples = static_cast<double>(result.iterations.back().evaluations),
                 rate = 1e-6 * samples / times.median();
    rows_.push_back({{"components", components},
                     {"known", at_run_time ? "at run time" : "at compile time"},
                     {"covariance", covariance == Covariance::full ? "full" : "diagonal"},
                     {"samples", samples},
                     {"milliseconds", 1e3 * times.median()},
                     {"million_samples_per_second", rate},
                     {"million_values_per_second", rate * components},
                     {"share_of_products", share}});
    std::fprintf(stderr, "%5d components %-15s %-8s %8.1e samples %10.3f ms %10.3f Msamples/s %10.2f Mvalues/s  %s\n",
                 components, at_run_time ? "at run time" : "at compile time",
                 covariance == Covariance::full ? "full" : "diagonal", samples, 1e3 * times.median(), rate,
                 rate * components, share.dump().c_str());
  }

  template <int... C>
  void at_compile_time(Covariance covariance) {
    (measure(Known<C>(), C, false, covariance), ...);
  }
  void at_run_time(Covariance covariance) {
    if (covariance == Covariance::full && !detail::has_matrix_products())
      return;
    for (int const c : {1, 4, 32, 100, 316, 1000})
      measure(batched(InBatches(), c), c, true, covariance);
  }

private:
  std::uint64_t samples(int components) const {
    double const least = on_host ? 4096 : 1 << 17, most = on_host ? 1e6 : 1e8;
    return static_cast<std::uint64_t>(std::clamp(options_.values / components, std::min(least, options_.values), most));
  }

  Options options_;
  Json& rows_;
};

} // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Samples a second of VEGAS+ against the number of components, and the share of matrix products");
  app.add_option("--values", options.values, "Values an iteration, of all components")->check(CLI::Range(1e3, 1e12));
  app.add_option("--most", options.most, "Components at most")->check(CLI::PositiveNumber);
  app.add_option("--iterations", options.iterations, "Of each")->check(CLI::Range(3, 1000));
  return perf::study("components", app, argc, argv, [&](Json& record) {
    record["kokkos_kernels"] = detail::has_matrix_products();
    Study study(options, record["throughput"] = Json::array());
    for (auto const covariance : {Covariance::diagonal, Covariance::full}) {
      study.at_compile_time<1, 4, 32>(covariance);
      study.at_run_time(covariance);
    }
  });
}

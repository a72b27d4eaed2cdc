#include <kubature/runtime/peaks.hpp>

#include "search_box.hpp"
#include "several.hpp"

#include <kubature/backend.hpp>
#include <kubature/batched.hpp>
#include <kubature/detail/policies/peaks_policy.hpp>
#include <kubature/error.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <string>

namespace kubature::runtime {
namespace {

using Space = Kokkos::DefaultExecutionSpace;

/// The sum of the magnitudes of several components, as a function of one: kernels are compiled for that alone.
class Magnitude {
public:
  Magnitude(BatchFunction const& f, int components) : f_(f), components_(static_cast<std::size_t>(components)) {}

  void operator()(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& sums) {
    auto const n = points.extent(0), components = components_;
    if (memory_.size() < n * components) {
      exec.fence("kubature::peaks::components");
      memory_ =
          Memory(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "kubature::peaks::components"), n * components);
    }
    double* const values = memory_.data();
    f_(exec, points, BatchValues<Space>(values, n, components));
    double* const sum = sums.data();
    Kokkos::parallel_for(
        "kubature::peaks::magnitude", Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(exec, 0, n),
        KOKKOS_LAMBDA(std::size_t k) {
          sum[k] = 0;
          for (std::size_t c = 0; c < components; ++c)
            sum[k] += Kokkos::abs(values[c * n + k]);
        });
  }

private:
  using Memory = Kokkos::View<double*, Space>;

  BatchFunction f_;
  std::size_t components_;
  Memory memory_; ///< [component][point]
};

/// Throws InvalidArgument if all ascents at once need more memory than there is. On a host, their ends are sorted, too.
void check_memory(Space const& exec, PeakOptions const& search, int dimension, int components,
                  std::source_location where) {
  auto const chains = static_cast<double>(search.evaluations) /
                      static_cast<double>(kubature::detail::policy<kubature::detail::PeaksPolicy>().steps);
  double const bytes = chains * (64.0 * dimension + 8.0 * components + 256);
  auto const free = static_cast<double>(free_memory(exec));
  constexpr double gibibyte = 1 << 30;
  require(bytes <= free, "evaluations", search.evaluations,
          "the ascents would take about " + std::to_string(std::llround(bytes / gibibyte)) + " GiB of memory, and " +
              std::to_string(std::llround(free / gibibyte)) + " GiB are free",
          where);
}

} // namespace

std::vector<Peak> find_peaks(BatchFunction const& integrand, int components, Box<dynamic_many> const& box,
                             PeakOptions search, std::source_location where) {
  kubature::detail::check_kokkos(where);
  require(static_cast<bool>(integrand), "integrand", "empty", "give a function", where);
  require(components >= 1, "components", components, "an integrand has at least one component", where);
  require(box.dimension() <= max_dimension, "number of variables", box.dimension(),
          "peaks are searched for in up to 20 variables", where);
  detail::check_lengths(box, where);
  check_memory(Space(), search, box.dimension(), components, where);
  auto const find = [&](BatchFunction const& f) {
    return kubature::find_peaks(Space(), batched(f), Box<dynamic>(box), search, where);
  };
  if (components == 1)
    return find(integrand);
  Magnitude magnitude(integrand, components);
  return find([&](Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) {
    magnitude(exec, points, values);
  });
}

std::vector<Peak> find_peaks(Expressions const& integrand, Box<dynamic_many> const& box, PeakOptions search,
                             std::source_location where) {
  kubature::detail::check_kokkos(where);
  int const d = integrand.dimension();
  detail::check_dimension(d, box, where);
  require(d <= max_dimension, "number of variables", d, "peaks are searched for in up to 20 variables", where);
  return find_peaks(detail::in_batches(integrand), integrand.size(), box, search, where);
}

std::vector<Peak> find_peaks(Expressions const& integrand, FormulaDomain const& domain, PeakOptions search,
                             std::source_location where) {
  auto const& sides = detail::sides_of(domain, where);
  return find_peaks(domain.on(integrand, where), sides, search, where);
}

std::vector<Peak> find_peaks(BatchFunction const& integrand, int components, FormulaDomain const& domain,
                             PeakOptions search, std::source_location where) {
  return find_peaks(integrand, components, detail::sides_of(domain, where), search, where);
}

} // namespace kubature::runtime

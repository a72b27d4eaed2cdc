#include "handles.hpp"

#include <kubature/runtime/many.hpp>

#include <algorithm>
#include <ranges>

using namespace kubature;
using namespace kubature::c;

int kubature_integrate_many(kubature_integrator* integrator, char const* formula, char const* variables,
                            char const* parameters, int64_t count, double const* values, int64_t boxes,
                            double const* lower, double const* upper, double* value, double* error,
                            kubature_status* status, int64_t* evaluations) {
  return guarded([&] {
    auto& with = given(integrator, "integrator");
    auto const text = given_text(formula, "formula");
    auto named = names(given_text(variables, "variables"));
    auto const d = named.size();
    auto const more = parameters ? names(parameters) : std::vector<std::string>();
    named.insert(named.end(), more.begin(), more.end());
    require(count >= 1, "count", count, "at least one integral is needed");
    require(boxes == 1 || boxes == count, "boxes", boxes,
            "one box is needed, or one for each of " + std::to_string(count) + " integrals");
    given(lower, "lower");
    given(upper, "upper");
    if (!more.empty())
      given(values, "values");

    std::vector<std::vector<double>> rows;
    for (auto const* row = values; rows.size() < static_cast<std::size_t>(count); row += more.size())
      rows.emplace_back(row, row + more.size());
    std::vector<Box<dynamic>> over;
    for (std::size_t k = 0; k < static_cast<std::size_t>(boxes); ++k) {
      std::vector<Side> sides;
      for (auto i = k * d; i < (k + 1) * d; ++i)
        sides.push_back({lower[i], upper[i]});
      over.emplace_back(sides, static_cast<int>(d));
    }
    auto const integrand = Expression::parse(text, named);
    check_process();
    begin_kokkos(with.ranks);
    Computing const computing;
    auto const found =
        runtime::integrate_many(with.ranks, with.settings, integrand, static_cast<int>(d), over, rows, with.callback);
    if (value)
      std::ranges::copy(found.value, value);
    if (error)
      std::ranges::copy(found.error, error);
    if (status)
      std::ranges::transform(found.status, status, [](Status each) { return static_cast<kubature_status>(each); });
    if (evaluations)
      *evaluations = static_cast<int64_t>(found.evaluations);
  });
}

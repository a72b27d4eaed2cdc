#include <kubature/runtime/integrator.hpp>

#include "any_integrator.hpp"
#include "counted.hpp"
#include "find.hpp"
#include "renamed.hpp"
#include "several.hpp"

#include <kubature/detail/call/solver.hpp>
#include <kubature/expressions.hpp>
#include <kubature/precision.hpp>
#include <kubature/runtime/detail/methods.hpp>
#include <kubature/substitution.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace kubature::runtime {
namespace {

using Space = Kokkos::DefaultExecutionSpace;

template <class P>
std::unique_ptr<detail::AnyIntegrator> make_in(Space const& exec, Communicator const& ranks, Settings const& settings,
                                               std::source_location where) {
  std::unique_ptr<detail::AnyIntegrator> made;
  detail::visit_method<P>(settings,
                          [&](auto const& method) { made = detail::compiled<P>(exec, ranks, method, where); });
  return made;
}

std::unique_ptr<detail::AnyIntegrator> make(Space const& exec, Communicator const& ranks, Settings const& settings,
                                            std::source_location where) {
  constexpr std::pair<std::string_view, decltype(&make_in<Fp64>)> makers[] = {
#ifndef KUBATURE_FP64_ONLY
      {"fp32", &make_in<Fp32>},
      {"fp32_pure", &make_in<Fp32Pure>},
      {"fp16", &make_in<Fp16>},
      {adaptive_name, &make_in<Adaptive>},
#endif
      {"fp64", &make_in<Fp64>}};
  for (auto const& [precision, maker] : makers)
    if (precision == settings.precision().name)
      return by_name([&, make_it = maker] { return make_it(exec, ranks, settings, where); });
  return {};
}

Space default_instance(std::source_location where) {
  kubature::detail::check_kokkos(where);
  return {};
}

void need_map(MethodInfo const& method, std::source_location where) {
  need(method, &MethodInfo::maps, "it does not train a map", where);
}

void need_batches(Settings const& settings, std::source_location where) {
  need(settings.method(), &MethodInfo::batches, "it does not integrate functions that evaluate batches", where);
  require(settings.precision().name == "fp64", "precision", settings.precision().name,
          "functions that evaluate batches are integrated in fp64", where);
}

void need_batches(Settings const& settings, BatchFunction const& integrand, std::source_location where) {
  need_batches(settings, where);
  require(static_cast<bool>(integrand), "integrand", "empty", "give a function", where);
}

/// Throws InvalidArgument if the method does not integrate several of these over that number of variables.
void need_several(Settings const& settings, std::string const& of_these, int dimension, std::source_location where) {
  settings.check_dimension(dimension, where);
  bool const many = dimension > max_dimension;
  need(settings.method(), many ? &MethodInfo::several_of_many : &MethodInfo::several,
       "it does not integrate several " + of_these +
           (many ? " over " + std::to_string(dimension) + " variables" : " at once"),
       where);
}

/// Whether a formula calls functions that kernels of this backend evaluate in batches alone.
bool needs_batches(auto const& integrand) {
  using Memory = Kokkos::DefaultExecutionSpace::memory_space;
  return !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible && integrand.calls_special_functions();
}

/// The result, with a remark if it ended by a limit that nobody set.
template <class AnyResult>
AnyResult explained(AnyResult result, Settings const& settings, Limits const& limits) {
  if (settings.own_tolerance() && result.status == Status::time_limit && limits.seconds == auto_seconds)
    result.remarks.push_back("without a tolerance and a limit, a call ends after 10 s: give relative or absolute, or "
                             "seconds or max_evaluations");
  return result;
}

/// Evaluates a formula in batches where kernels of this backend do that alone.
Result<> integrate_formula(detail::AnyIntegrator& integrator, Expression const& formula, Box<dynamic_many> const& box,
                           kubature::detail::Request const& request) {
  if (!needs_batches(formula))
    return integrator.integrate(formula, box, request);
  return integrator.integrate(
      detail::in_batches(Expressions::parse(formula.text(), formula.variables(), request.where)), box, request);
}

/// Counts evaluations of the formula, of which each evaluation of the substituted integrand needs several.
Result<> integrate_substituted(detail::AnyIntegrator& integrator, Substitution const& other, Tolerance tolerance,
                               Limits limits, Callback const& callback, std::source_location where) {
  auto result = counted(other.pieces, limits, callback, [&](Limits const& left, Callback const& report) {
    return by_name(
        [&] { return integrate_formula(integrator, other.integrand, other.box, {tolerance, left, report, where}); });
  });
  locate(result, [&](auto const& v) { return other.original(v); });
  result.remarks.push_back("auto: poles were removed by a change of variables, over " + std::to_string(other.pieces) +
                           (other.pieces == 1 ? " piece" : " pieces") + " of the box");
  return result;
}

} // namespace

Integrator::Integrator(Settings const& settings, std::source_location where)
    : Integrator(default_instance(where), Communicator(), settings, where) {}

Integrator::Integrator(Space const& exec, Communicator const& ranks, Settings const& settings,
                       std::source_location where)
    : settings_(settings), integrator_(make(exec, ranks, settings, where)) {}

Integrator::Integrator(Integrator&&) noexcept = default;
Integrator& Integrator::operator=(Integrator&&) noexcept = default;
Integrator::~Integrator() = default;

Result<> Integrator::integrate(Expression const& integrand, Box<dynamic_many> const& box, Callback const& callback,
                               std::source_location where) {
  return integrate(integrand, box, settings_.tolerance(), settings_.limits(), callback, where);
}

Result<> Integrator::integrate(Expression const& integrand, Box<dynamic_many> const& box, Tolerance tolerance,
                               Limits limits, Callback const& callback, std::source_location where) {
  settings_.check_dimension(box.dimension(), where);
  if (needs_batches(integrand))
    need_batches(settings_, where);
  if (settings_.method().name == "auto" && box.dimension() <= max_dimension)
    if (auto const other = without_poles(integrand, Box<dynamic>(box)))
      return explained(integrate_substituted(*integrator_, *other, tolerance, limits, callback, where), settings_,
                       limits);
  return explained(
      by_name([&] { return integrate_formula(*integrator_, integrand, box, {tolerance, limits, callback, where}); }),
      settings_, limits);
}

Result<> Integrator::integrate(BatchFunction const& integrand, Box<dynamic_many> const& box, Callback const& callback,
                               std::source_location where) {
  return integrate(integrand, box, settings_.tolerance(), settings_.limits(), callback, where);
}

Result<> Integrator::integrate(BatchFunction const& integrand, Box<dynamic_many> const& box, Tolerance tolerance,
                               Limits limits, Callback const& callback, std::source_location where) {
  need_batches(settings_, integrand, where);
  settings_.check_dimension(box.dimension(), where);
  return explained(
      by_name([&] { return integrator_->integrate(integrand, box, {tolerance, limits, callback, where}); }), settings_,
      limits);
}

SeveralResult Integrator::integrate(Expressions const& integrand, Box<dynamic_many> const& box,
                                    Callback const& callback, std::source_location where) {
  return integrate(integrand, box, settings_.tolerance(), settings_.limits(), callback, where);
}

SeveralResult Integrator::integrate(Expressions const& integrand, Box<dynamic_many> const& box, Tolerance tolerance,
                                    Limits limits, Callback const& callback, std::source_location where) {
  need_several(settings_, "expressions", box.dimension(), where);
  require(settings_.precision().name == "fp64", "precision", settings_.precision().name,
          "several expressions are integrated in fp64", where);
  if (needs_batches(integrand))
    return integrate(detail::in_batches(integrand), integrand.size(), box, tolerance, limits, callback, where);
  return explained(
      by_name([&] { return integrator_->integrate(integrand, box, {tolerance, limits, callback, where}); }), settings_,
      limits);
}

SeveralResult Integrator::integrate(BatchFunction const& integrand, int components, Box<dynamic_many> const& box,
                                    Callback const& callback, std::source_location where) {
  return integrate(integrand, components, box, settings_.tolerance(), settings_.limits(), callback, where);
}

SeveralResult Integrator::integrate(BatchFunction const& integrand, int components, Box<dynamic_many> const& box,
                                    Tolerance tolerance, Limits limits, Callback const& callback,
                                    std::source_location where) {
  need_batches(settings_, integrand, where);
  require(components >= 1, "components", components, "an integrand has at least one component", where);
  need_several(settings_, "components", box.dimension(), where);
  return explained(
      by_name([&] { return integrator_->integrate(integrand, components, box, {tolerance, limits, callback, where}); }),
      settings_, limits);
}

VegasMap Integrator::map(std::source_location where) const {
  need_map(settings_.method(), where);
  return integrator_->map();
}

void Integrator::use(VegasMap const& map, std::source_location where) {
  need_map(settings_.method(), where);
  integrator_->use(map);
}

std::vector<PrecisionChoice> Integrator::choices() const { return integrator_->choices(); }

Box<dynamic_many> box(std::span<double const> lower, std::span<double const> upper, std::source_location where) {
  return Box<dynamic_many>(lower, upper, where);
}

} // namespace kubature::runtime

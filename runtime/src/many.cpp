#include <kubature/runtime/many.hpp>

#include <kubature/formula_parameters.hpp>
#include <kubature/integrate_many.hpp>
#include <kubature/runtime/detail/methods.hpp>
#include <kubature/runtime/integrator.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

namespace kubature::runtime {
namespace {

using Space = Kokkos::DefaultExecutionSpace;

/// The values of the variables that are not integrated over.
struct Parameters {
  double value[max_dimension];
};

/// An expression with the other variables fixed.
class AtValues {
public:
  AtValues(DeviceExpression<Space::memory_space> const& expression, int variables)
      : expression_(expression), variables_(variables) {}

  KOKKOS_FUNCTION double operator()(Point<double, dynamic> const& x, Parameters const& parameters) const {
    return expression_(with(x, parameters));
  }

  template <int W>
  KOKKOS_FUNCTION void batch(Point<double, dynamic> const (&x)[W], Parameters const& parameters,
                             double (&value)[W]) const {
    Point<double, dynamic> at[W];
    for (int w = 0; w < W; ++w)
      at[w] = with(x[w], parameters);
    expression_.batch(at, value);
  }

private:
  KOKKOS_FUNCTION Point<double, dynamic> with(Point<double, dynamic> const& x, Parameters const& parameters) const {
    Point<double, dynamic> at = {};
    at.set_size(expression_.dimension());
    for (int i = 0; i < expression_.dimension(); ++i)
      at[i] = i < variables_ ? x[i] : parameters.value[i - variables_];
    return at;
  }

  DeviceExpression<Space::memory_space> expression_;
  int variables_;
};

/// Whether another method may do what cubature in one team did not.
bool worth_another_try(Status status) {
  return status == Status::memory_exhausted || status == Status::non_finite || status == Status::iteration_limit;
}

/// Integrates one by one, by `auto`, what cubature has not finished.
void finish(ManyResults<>& results, Communicator const& ranks, Settings const& settings, Expression const& integrand,
            int variables, std::vector<Box<dynamic>> const& boxes, std::vector<std::vector<double>> const& parameters,
            Callback const& callback, std::source_location where) {
  Kokkos::Timer const timer;
  auto const limits = settings.limits();
  auto const& names = integrand.variables();
  std::optional<Integrator> one;
  for (std::size_t k = 0; k < results.size(); ++k) {
    auto const& values = parameters[parameters.size() == 1 ? 0 : k];
    bool const finite = std::ranges::all_of(values, [](double each) { return std::isfinite(each); });
    if (!worth_another_try(results.status[k]) || !finite)
      continue;
    auto left = limits;
    left.evaluations -= std::min(limits.evaluations, results.evaluations);
    left.seconds -= results.seconds + timer.seconds();
    if (!std::isfinite(limits.seconds) && limits.evaluations == Limits{}.evaluations)
      left.seconds = auto_seconds;
    // All ranks have the same numbers, but not the same clock.
    if (left.evaluations == 0 || ranks.any(!(left.seconds > 0)))
      break;
    std::vector<FormulaParameter> numbers;
    for (auto const value : values)
      numbers.push_back({names[static_cast<std::size_t>(variables) + numbers.size()], value});
    auto const formula = with_parameters(integrand.text(), {names.begin(), names.begin() + variables}, numbers, where);
    Callback const report = [&](Progress progress) {
      progress.iteration = static_cast<int>(k);
      progress.evaluations += results.evaluations;
      return callback(progress);
    };
    if (!one)
      one.emplace(Space(), ranks, settings, where);
    auto const found =
        one->integrate(Expression::parse(formula.text(), formula.variables(), where), boxes[boxes.size() == 1 ? 0 : k],
                       settings.tolerance(), left, callback ? report : callback, where);
    results.value[k] = found.value;
    results.error[k] = found.error;
    results.status[k] = found.status;
    results.non_finite[k] = found.non_finite;
    results.evaluations += found.evaluations;
    results.method = Described<Auto<>>::name;
    if (found.status == Status::stopped)
      break;
  }
  results.seconds += timer.seconds();
}

} // namespace

ManyResults<> integrate_many(Settings const& settings, Expression const& integrand, int variables,
                             std::vector<Box<dynamic>> const& boxes, std::vector<std::vector<double>> const& parameters,
                             Callback const& callback, std::source_location where) {
  return integrate_many(Communicator(), settings, integrand, variables, boxes, parameters, callback, where);
}

ManyResults<> integrate_many(Communicator const& ranks, Settings const& settings, Expression const& integrand,
                             int variables, std::vector<Box<dynamic>> const& boxes,
                             std::vector<std::vector<double>> const& parameters, Callback const& callback,
                             std::source_location where) {
  require(settings.precision().name == precision_name(fp64), "precision", settings.precision().name,
          "many integrals are computed in fp64", where);
  int const all = integrand.dimension();
  require(all <= max_dimension, "number of variables", all,
          "expressions of many integrals have up to 20, parameters included", where);
  require(variables >= 1 && variables <= all, "number of variables", variables,
          "the expression has " + std::to_string(all), where);
  std::vector<Parameters> rows;
  for (auto const& row : parameters) {
    require(static_cast<int>(row.size()) == all - variables, "number of parameters", row.size(),
            "the expression has " + std::to_string(all - variables), where);
    rows.emplace_back();
    std::copy(row.begin(), row.end(), rows.back().value);
  }
  for (auto const& box : boxes)
    require(box.dimension() == variables, "dimension of the box", box.dimension(),
            "the integral is over " + std::to_string(variables) + (variables == 1 ? " variable" : " variables"), where);
  Space const exec;
  ManyResults<> results;
  auto const compute = [&](auto const& method) {
    results = kubature::integrate_many(exec, ranks, method, AtValues(integrand.on(exec), variables), boxes, rows,
                                       settings.tolerance(), settings.limits(), callback, where);
  };
  detail::visit_method<Fp64>(settings, [&]<class M>(M const& method) {
    if constexpr (std::is_same_v<M, Pagani<>> || std::is_same_v<M, VegasPlus<>>) {
      compute(method);
    } else if constexpr (std::is_same_v<M, Auto<>>) {
      compute(Pagani<>{.non_finite = method.non_finite});
      finish(results, ranks, settings, integrand, variables, boxes, parameters, callback, where);
    } else {
      throw InvalidArgument("method", std::string(settings.method().name),
                            "many integrals are computed by auto, pagani or vegas+", where);
    }
  });
  return results;
}

} // namespace kubature::runtime

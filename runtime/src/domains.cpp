#include "counted.hpp"

#include <kubature/expressions_in_batches.hpp>
#include <kubature/formula_domain.hpp>
#include <kubature/runtime/integrator.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace kubature::runtime {
namespace {

using Space = Kokkos::DefaultExecutionSpace;

/// A function of batches in the new variables of a domain.
class OnDomain {
public:
  OnDomain(BatchFunction const& f, FormulaDomain const& domain) : f_(f), dimension_(domain.dimension()) {
    for (int piece = 0; piece < domain.pieces(); ++piece)
      maps_.emplace_back(Space(), domain.map(piece));
  }

  void operator()(Space const& exec, BatchPoints<Space> const& v, BatchValues<Space> const& sums) {
    auto const n = v.extent(0), d = static_cast<std::size_t>(dimension_), components = sums.extent(1);
    auto const mapped = room(exec, memory_, n * (d + 1)), values = room(exec, values_, n * components);
    for (auto const& map : maps_) {
      bool const first = &map == &maps_.front();
      map(exec, v, BatchValues<Space>(mapped, n, d + 1));
      f_(exec, BatchPoints<Space>(mapped, n, d), BatchValues<Space>(values, n, components));
      double const* const jacobian = mapped + n * d;
      double* const sum = sums.data();
      Kokkos::parallel_for(
          "kubature::domain::sum", Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(exec, 0, n * components),
          KOKKOS_LAMBDA(std::size_t i) {
            double const here = values[i] * jacobian[i % n];
            sum[i] = first ? here : sum[i] + here;
          });
    }
  }

private:
  using Memory = Kokkos::View<double*, Space>;

  static double* room(Space const& exec, Memory& memory, std::size_t size) {
    if (memory.size() < size) {
      exec.fence("kubature::domain::room");
      memory = Memory(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "kubature::domain::points"), size);
    }
    return memory.data();
  }

  BatchFunction f_;
  int dimension_;
  std::vector<ExpressionsInBatches<Space>> maps_;
  Memory memory_, values_; ///< the points and Jacobians, and what f gives there
};

BatchFunction on(FormulaDomain const& domain, BatchFunction const& f) {
  if (domain.is_box())
    return f;
  auto const mapped = std::make_shared<OnDomain>(f, domain);
  return [mapped](Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) {
    (*mapped)(exec, points, values);
  };
}

/// Integrates over the box of the new variables; the point in the result is one of the domain.
template <class Integrate>
auto over(FormulaDomain const& domain, Limits const& limits, Callback const& callback, Integrate const& integrate) {
  auto result = counted(domain.pieces(), limits, callback, integrate);
  if (!domain.is_box())
    locate(result, [&](auto const& v) { return domain.original(v); });
  return result;
}

} // namespace

Result<> Integrator::integrate(Expression const& integrand, FormulaDomain const& domain, Callback const& callback,
                               std::source_location where) {
  return integrate(integrand, domain, settings_.tolerance(), settings_.limits(), callback, where);
}

Result<> Integrator::integrate(Expression const& integrand, FormulaDomain const& domain, Tolerance tolerance,
                               Limits limits, Callback const& callback, std::source_location where) {
  auto const f = domain.on(integrand, where);
  return over(domain, limits, callback, [&](Limits const& left, Callback const& report) {
    return integrate(f, domain.sides(), tolerance, left, report, where);
  });
}

SeveralResult Integrator::integrate(Expressions const& integrand, FormulaDomain const& domain, Callback const& callback,
                                    std::source_location where) {
  return integrate(integrand, domain, settings_.tolerance(), settings_.limits(), callback, where);
}

SeveralResult Integrator::integrate(Expressions const& integrand, FormulaDomain const& domain, Tolerance tolerance,
                                    Limits limits, Callback const& callback, std::source_location where) {
  auto const f = domain.on(integrand, where);
  return over(domain, limits, callback, [&](Limits const& left, Callback const& report) {
    return integrate(f, domain.sides(), tolerance, left, report, where);
  });
}

Result<> Integrator::integrate(BatchFunction const& integrand, FormulaDomain const& domain, Callback const& callback,
                               std::source_location where) {
  return integrate(integrand, domain, settings_.tolerance(), settings_.limits(), callback, where);
}

Result<> Integrator::integrate(BatchFunction const& integrand, FormulaDomain const& domain, Tolerance tolerance,
                               Limits limits, Callback const& callback, std::source_location where) {
  auto const f = on(domain, integrand);
  return over(domain, limits, callback, [&](Limits const& left, Callback const& report) {
    return integrate(f, domain.sides(), tolerance, left, report, where);
  });
}

SeveralResult Integrator::integrate(BatchFunction const& integrand, int components, FormulaDomain const& domain,
                                    Callback const& callback, std::source_location where) {
  return integrate(integrand, components, domain, settings_.tolerance(), settings_.limits(), callback, where);
}

SeveralResult Integrator::integrate(BatchFunction const& integrand, int components, FormulaDomain const& domain,
                                    Tolerance tolerance, Limits limits, Callback const& callback,
                                    std::source_location where) {
  auto const f = on(domain, integrand);
  return over(domain, limits, callback, [&](Limits const& left, Callback const& report) {
    return integrate(f, components, domain.sides(), tolerance, left, report, where);
  });
}

} // namespace kubature::runtime

#include "any_integrator.hpp"
#include "several.hpp"

#include <kubature/runtime/detail/methods.hpp>

#include <stdexcept>

namespace kubature::runtime::detail {
#ifndef KUBATURE_COMPILED // once if several of these files are compiled as one
#define KUBATURE_COMPILED
namespace {

template <class P, class M>
class Compiled final : public AnyIntegrator {
public:
  explicit Compiled(kubature::Integrator<M> integrator) : integrator_(std::move(integrator)) {}

  Result<> integrate(Expression const& integrand, Box<dynamic> const& box, Tolerance tolerance, Limits limits,
                     Callback const& callback, std::source_location where) override {
    return integrator_.integrate(integrand, box, tolerance, limits, callback, where);
  }
  Result<> integrate([[maybe_unused]] BatchFunction const& integrand, [[maybe_unused]] Box<dynamic> const& box,
                     [[maybe_unused]] Tolerance tolerance, [[maybe_unused]] Limits limits,
                     [[maybe_unused]] Callback const& callback, [[maybe_unused]] std::source_location where) override {
    if constexpr (serves_batches<P, M>)
      return integrator_.integrate(batched(integrand), box, tolerance, limits, callback, where);
    else
      throw std::logic_error("batches were given to a method that does not serve them");
  }
  SeveralResult integrate([[maybe_unused]] Expressions const& integrand, [[maybe_unused]] Box<dynamic> const& box,
                          [[maybe_unused]] Tolerance tolerance, [[maybe_unused]] Limits limits,
                          [[maybe_unused]] Callback const& callback,
                          [[maybe_unused]] std::source_location where) override {
    if constexpr (serves_several<P, M>)
      return integrate_several(integrator_, integrand, box, tolerance, limits, callback, where);
    else
      throw std::logic_error("several expressions were given to a method that does not serve them");
  }
  SeveralResult integrate([[maybe_unused]] BatchFunction const& integrand, [[maybe_unused]] int components,
                          [[maybe_unused]] Box<dynamic> const& box, [[maybe_unused]] Tolerance tolerance,
                          [[maybe_unused]] Limits limits, [[maybe_unused]] Callback const& callback,
                          [[maybe_unused]] std::source_location where) override {
    if constexpr (serves_several<P, M> && serves_batches<P, M>)
      return integrate_several(integrator_, integrand, components, box, tolerance, limits, callback, where);
    else
      throw std::logic_error("batches of several components were given to a method that does not serve them");
  }
  VegasMap map() const override {
    if constexpr (requires { integrator_.map(); })
      return integrator_.map();
    else
      throw std::logic_error("a map was requested from a method without one");
  }
  void use(VegasMap const& map) override {
    if constexpr (requires { integrator_.use(map); })
      integrator_.use(map);
  }
  std::vector<PrecisionChoice> choices() const override {
    if constexpr (requires { integrator_.choices(); })
      return integrator_.choices();
    else
      return {};
  }

private:
  kubature::Integrator<M> integrator_;
};

} // namespace

template <class P>
std::unique_ptr<AnyIntegrator> make_integrator(Kokkos::DefaultExecutionSpace const& exec, Communicator const& ranks,
                                               Settings const& settings, std::source_location where) {
  std::unique_ptr<AnyIntegrator> made;
  visit_method<P>(settings, [&]<class M>(M const& method) {
    made = std::make_unique<Compiled<P, M>>(integrator(exec, ranks, method, where));
  });
  return made;
}
#endif

template std::unique_ptr<AnyIntegrator> make_integrator<@precision@>(Kokkos::DefaultExecutionSpace const&,
                                                                     Communicator const&, Settings const&,
                                                                     std::source_location);

} // namespace kubature::runtime::detail

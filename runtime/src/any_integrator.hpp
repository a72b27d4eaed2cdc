#pragma once

#include <kubature/detail/call/request.hpp>
#include <kubature/runtime/integrator.hpp>

namespace kubature::runtime::detail {

using kubature::detail::Request;

/// kubature::Integrator for any method and precision.
class AnyIntegrator {
public:
  virtual ~AnyIntegrator() = default;
  /// Call with more than 20 variables only if the method supports them in this precision.
  virtual Result<> integrate(Expression const& integrand, Box<dynamic_many> const& box, Request const& request) = 0;
  /// Call only if the method supports batches in this precision, and likewise.
  virtual Result<> integrate(BatchFunction const& integrand, Box<dynamic_many> const& box, Request const& request) = 0;
  virtual SeveralResult integrate(Expressions const& integrand, Box<dynamic_many> const& box,
                                  Request const& request) = 0;
  /// Call only if the method supports batches and several components in this precision.
  virtual SeveralResult integrate(BatchFunction const& integrand, int components, Box<dynamic_many> const& box,
                                  Request const& request) = 0;
  /// Call only if the method has a map.
  virtual VegasMap map() const = 0;
  virtual void use(VegasMap const& map) = 0;
  virtual std::vector<PrecisionChoice> choices() const = 0;
};

/// A method in a precision. Compiled for each of them, in files of their own.
template <class P, class M>
std::unique_ptr<AnyIntegrator> compiled(Kokkos::DefaultExecutionSpace const& exec, Communicator const& ranks,
                                        M const& method, std::source_location where);

} // namespace kubature::runtime::detail

#pragma once

#include <kubature.h>

#include <memory>

namespace kubature::drop_in {

/// Objects of kubature.h, destroyed with their variable.
template <auto Destroy>
struct Destroyer {
  void operator()(auto* object) const { Destroy(object); }
};
using Box = std::unique_ptr<kubature_box, Destroyer<kubature_box_destroy>>;
using Integrand = std::unique_ptr<kubature_integrand, Destroyer<kubature_integrand_destroy>>;
using Integrator = std::unique_ptr<kubature_integrator, Destroyer<kubature_integrator_destroy>>;
using Result = std::unique_ptr<kubature_result, Destroyer<kubature_result_destroy>>;
using Map = std::unique_ptr<kubature_map, Destroyer<kubature_map_destroy>>;

/// Calls create(arguments..., &object). Throws what it returns unless that is 0.
template <class Handle, class... Parameters, class... Arguments>
Handle make(int (*create)(Parameters...), Arguments... arguments) {
  typename Handle::pointer object = nullptr;
  if (int const code = create(arguments..., &object))
    throw code;
  return Handle(object);
}

} // namespace kubature::drop_in

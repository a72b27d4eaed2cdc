#include "handles.hpp"

#include <string_view>
#include <vector>

using namespace kubature;
using namespace kubature::c;

namespace {

/// "x, y" as {"x", "y"}; Expression refuses invalid names.
std::vector<std::string> names(std::string_view text) {
  std::vector<std::string> result;
  for (;;) {
    auto const end = std::min(text.find(','), text.size());
    auto name = text.substr(0, end);
    while (!name.empty() && name.front() == ' ')
      name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ')
      name.remove_suffix(1);
    result.emplace_back(name);
    if (end == text.size())
      return result;
    text.remove_prefix(end + 1);
  }
}

template <class Function, class F>
int make_function(F f, int components, void* user, kubature_integrand** integrand) {
  return guarded([&] {
    given(integrand, "integrand");
    given(f, "f");
    require(components >= 1, "components", components, "an integrand has at least one component");
    *integrand = new kubature_integrand{Function{f, components, user}};
  });
}

} // namespace

int kubature_box_create(int dimension, double const* lower, double const* upper, kubature_box** box) {
  return guarded([&] {
    given(lower, "lower");
    given(upper, "upper");
    given(box, "box");
    require(dimension >= 1 && dimension <= max_dimension, "dimension", dimension, "a box has between 1 and 20 sides");
    auto const size = static_cast<std::size_t>(dimension);
    *box = new kubature_box{runtime::box({lower, size}, {upper, size})};
  });
}

void kubature_box_destroy(kubature_box* box) { delete box; }

int kubature_integrand_expression(char const* formula, char const* variables, kubature_integrand** integrand) {
  return guarded([&] {
    given(integrand, "integrand");
    auto const text = given_text(formula, "formula");
    auto const named = variables ? names(variables) : std::vector<std::string>();
    *integrand = Expressions::count(text) == 1 ? new kubature_integrand{Expression::parse(text, named)}
                                               : new kubature_integrand{Expressions::parse(text, named)};
  });
}

int kubature_integrand_function(kubature_function f, int components, void* user, kubature_integrand** integrand) {
  return make_function<HostFunction>(f, components, user, integrand);
}

int kubature_integrand_set_concurrent(kubature_integrand* integrand, int concurrent) {
  return guarded([&] {
    auto* const function = std::get_if<HostFunction>(&given(integrand, "integrand").f);
    require(function, "integrand", "a formula or a function of the device",
            "only functions on the host can be called concurrently");
    function->concurrent = concurrent != 0;
  });
}

int kubature_integrand_device_function(kubature_device_function f, int components, void* user,
                                       kubature_integrand** integrand) {
  return make_function<DeviceFunction>(f, components, user, integrand);
}

void kubature_integrand_destroy(kubature_integrand* integrand) { delete integrand; }

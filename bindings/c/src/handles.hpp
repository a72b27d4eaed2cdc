#pragma once

#include "guard.hpp"
#include "kokkos.hpp"
#include "rows.hpp"

#include <kubature.h>
#include <kubature/formula_domain.hpp>
#include <kubature/runtime/integrator.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// \file
/// The types behind the handles of the C interface.

struct kubature_box {
  kubature::Box<kubature::dynamic_many> box{kubature::Side{}};
  std::string text = {}, breaks = {}; ///< if there is a text, it is the domain that it describes

  /// What the text describes, with these names of variables.
  kubature::FormulaDomain domain(std::vector<std::string> const& variables = {}) const;
  /// Its number of variables; 0 if it has as many as the integrand.
  int dimension() const;
};

struct kubature_map {
  kubature::VegasMap map;
};

struct kubature_result {
  kubature::runtime::SeveralResult result; ///< of one or more components
  std::string text;
  std::vector<kubature::PrecisionChoice> choices = {};
};

namespace kubature::c {

/// "x, y" as {"x", "y"}; Expression refuses invalid names.
std::vector<std::string> names(std::string_view text);

struct HostFunction {
  kubature_function f;
  int components;
  void* user;
  bool concurrent = false; ///< whether threads may call it at the same time
  bool weighted = false;   ///< whether it gets the weights of samples
};

struct DeviceFunction {
  kubature_device_function f;
  int components;
  void* user;
};

/// The part of an integrator that is created by its first call.
struct Working {
  NeedsKokkos needs_kokkos;
  runtime::Integrator integrator;
  Rows rows;
};

} // namespace kubature::c

struct kubature_integrand {
  std::variant<kubature::Expression, kubature::Expressions, kubature::c::HostFunction, kubature::c::DeviceFunction> f;
  bool open = false;     ///< whether it is a formula whose variables were not named, so that domains may have more
  bool constant = false; ///< whether it uses no variable, and `f` has one only because it needs one

  /// The names of a formula's variables; none for functions.
  std::vector<std::string> variables() const;
  /// The integrand with as many variables as the domain has, if a formula uses fewer.
  kubature_integrand on(kubature_box const& box) const;
};

struct kubature_integrator {
  explicit kubature_integrator(kubature::runtime::Settings of) : settings(std::move(of)) {}
  ~kubature_integrator() { forget(); }
  kubature_integrator(kubature_integrator const&) = delete;

  /// Prepares it for a call, with the map that calls start from.
  kubature::c::Working& work();
  /// Makes the next call start anew.
  void forget();

  kubature::runtime::Settings settings;
  kubature::Communicator ranks;
  std::optional<kubature::VegasMap> map;
  kubature::Callback callback;
  std::string text; ///< the result of kubature_get_text
  std::unique_ptr<kubature::c::Working> working;
};

#pragma once

#include <kubature/box.hpp>
#include <kubature/error.hpp>
#include <kubature/formula_domain.hpp>

#include <cctype>
#include <cmath>
#include <source_location>
#include <string>

namespace kubature::runtime::detail {

/// Throws InvalidArgument unless the box has as many sides as a formula has variables.
inline void check_dimension(int variables, Box<dynamic_many> const& box, std::source_location where) {
  require(variables == box.dimension(), "dimension of the box", box.dimension(),
          "the integrand has " + std::to_string(variables) + (variables == 1 ? " variable" : " variables"), where);
}

/// Throws InvalidArgument for a box in which covariances are beyond the range of double.
inline void check_lengths(Box<dynamic_many> const& box, std::source_location where) {
  constexpr double most = 1e100;
  double volume = 1;
  for (int i = 0; i < box.dimension(); ++i) {
    double const length = box[i].upper - box[i].lower;
    if (std::isinf(box[i].lower) || std::isinf(box[i].upper))
      continue;
    require(length >= 1 / most && length <= most, "Box side " + std::to_string(i + 1), length,
            "peaks are searched for along lengths from 1e-100 to 1e100", where);
    volume *= length;
  }
  require(volume >= 1 / most && volume <= most, "volume of the box", volume,
          "peaks are searched for in volumes from 1e-100 to 1e100", where);
}

/// The sides of a domain that is a box.
inline Box<dynamic_many> const& sides_of(FormulaDomain const& domain, std::source_location where) {
  auto const& text = domain.text();
  bool const shape = std::isalpha(static_cast<unsigned char>(text[0])) && text.find_first_of("=~") == text.npos;
  require(domain.is_box(), shape ? "domain" : "box", text,
          "peaks are searched for in boxes with constant sides; beyond another domain in a box the integrand may be "
          "zero, as in if(y < x, f, 0)",
          where);
  return domain.sides();
}

} // namespace kubature::runtime::detail

#include "architecture.hpp"

#include <kubature/expression.hpp>
#include <kubature/suite/suite.hpp>

namespace kubature::perf {
namespace {

/// A formula of five variables with a function of each costly kind.
constexpr char const* functions_5d = "sin(x1+2*x2)*exp(-x3*x4)+x5^1.5*log(1+x1)+cos(3*x3)*exp(-x2)";
constexpr char const* f4_formula = "exp(-625*((x1-0.5)^2+(x2-0.5)^2+(x3-0.5)^2+(x4-0.5)^2+(x5-0.5)^2))";

} // namespace

void throughputs(ArchitectureOptions const& options, Json& rows) {
  using namespace suite;
  auto const f4 = Expression::parse(f4_formula), functions = Expression::parse(functions_5d);
  auto const by = [&](auto const& method) {
    throughput<Space>(options, rows, "f4-5d", method, F4<5>{}, Box<5>{});
    throughput<Space>(options, rows, "f4-5d-formula", method, f4, Box<5>{});
    throughput<Space>(options, rows, "functions-5d", method, functions, Box<5>{});
    throughput<Space>(options, rows, "linear-10d", method, Linear<10>{}, Box<10>{});
  };
  by(PlainMonteCarlo<>{.iterations = 10, .channels = Channels::never});
  by(MCubes<>{.iterations = 10, .adapt = 10, .skip = 2, .channels = Channels::never});
  by(VegasPlus<>{.iterations = 10, .skip = 2, .channels = Channels::never});
}

} // namespace kubature::perf

#include "architecture.hpp"

#include <kubature/suite/suite.hpp>

#include <type_traits>

namespace kubature::perf {

void ladders(ArchitectureOptions const& options, Json& rows) {
  suite::for_each<suite::Genz>([&]<class F, int D>(suite::Entry const& entry, F const& f, Box<D> const& box) {
    constexpr bool wanted =
        std::is_same_v<F, suite::F3<3>> || std::is_same_v<F, suite::F4<5>> || std::is_same_v<F, suite::F5<8>>;
    if constexpr (wanted) {
      std::string const work(entry.name);
      ladder<Space>(options, rows, work, Pagani{}, f, box, entry.value);
      ladder<Space>(options, rows, work, VegasPlus<>{.evaluations = 1'000'000, .iterations = 1000}, f, box,
                    entry.value);
      ladder<Space>(options, rows, work, QuasiMonteCarlo<>{}, f, box, entry.value);
    }
  });
}

} // namespace kubature::perf

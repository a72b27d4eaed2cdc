#include "file.hpp"

#include <kubature/vegas_map.hpp>

#include <optional>
#include <span>

/// VegasMap::load, of any file: it is refused, or it is a map that keeps its numbers when it is saved, and points drawn
/// from it lie in the box.
namespace {

using namespace kubature;
using kubature::fuzz::expect, kubature::fuzz::same;

std::optional<VegasMap> load(std::string const& file) {
  try {
    return VegasMap::load(file);
  } catch (InvalidArgument const& refused) {
    expect(*refused.what() != '\0', "a refusal without a word");
  }
  return {};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::start_kokkos();
  static fuzz::File const file;
  file.write(fuzz::text(data, size));
  auto const map = load(file.name());
  if (!map)
    return 0;
  map->save(file.name());
  auto const again = load(file.name());
  expect(again && again->axes() == map->axes() && again->bins() == map->bins(), "a map that was saved is another");
  for (std::size_t i = 0; i < map->edges().size(); ++i)
    expect(same(map->edges()[i], again->edges()[i]), "an edge that was saved is another");

  Kokkos::DefaultHostExecutionSpace const exec;
  Side const side{-1, 3};
  auto const drawn = map->sample(exec, Box<dynamic>(std::span(&side, 1), map->axes()), 64);
  for (std::size_t i = 0; i < drawn.points.extent(0); ++i) {
    expect(drawn.weights(i) >= 0 && std::isfinite(drawn.weights(i)), "a weight that is none");
    for (std::size_t axis = 0; axis < drawn.points.extent(1); ++axis)
      expect(drawn.points(i, axis) >= -1 && drawn.points(i, axis) <= 3, "a point outside of the box");
  }
  return 0;
}

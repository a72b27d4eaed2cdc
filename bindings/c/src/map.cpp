#include "handles.hpp"

#include <vector>

using namespace kubature;
using namespace kubature::c;

int kubature_map_create(int axes, int bins, double const* edges, kubature_map** map) {
  return guarded([&] {
    given(edges, "edges");
    given(map, "map");
    require(axes >= 1 && axes <= most_variables, "axes", axes, "a map has between 1 and 1024 axes");
    require(bins >= 1 && bins <= (1 << 20), "bins", bins, "an axis has between 1 and 1048576 bins");
    auto const count = static_cast<std::size_t>(axes) * (static_cast<std::size_t>(bins) + 1);
    *map = new kubature_map{VegasMap(axes, bins, std::vector<double>(edges, edges + count))};
  });
}

int kubature_map_of(kubature_integrator const* integrator, kubature_map** map) {
  return guarded([&] {
    auto const& of = given(integrator, "integrator");
    given(map, "map");
    check_process();
    if (of.working)
      *map = new kubature_map{of.working->integrator.map()};
    else if (of.map)
      *map = new kubature_map{*of.map};
    else
      throw InvalidArgument("integrator", std::string(of.settings.method().name),
                            "it has not trained a map yet: integrate first");
  });
}

int kubature_map_load(char const* file, kubature_map** map) {
  return guarded([&] {
    given(map, "map");
    *map = new kubature_map{VegasMap::load(given_text(file, "file"))};
  });
}

int kubature_map_save(kubature_map const* map, char const* file) {
  return guarded([&] { given(map, "map").map.save(given_text(file, "file")); });
}

int kubature_map_axes(kubature_map const* map) {
  return guarded(0, [&] { return given(map, "map").map.axes(); });
}

int kubature_map_bins(kubature_map const* map) {
  return guarded(0, [&] { return given(map, "map").map.bins(); });
}

double const* kubature_map_edges(kubature_map const* map, int axis) {
  return guarded(static_cast<double const*>(nullptr), [&] {
    auto const& of = given(map, "map").map;
    require(axis >= 0 && axis < of.axes(), "axis", axis,
            "the map has " + std::to_string(of.axes()) + ", counted from 0");
    return of.edges(axis).data();
  });
}

void kubature_map_destroy(kubature_map* map) { delete map; }

int kubature_use_map(kubature_integrator* integrator, kubature_map const* map) {
  return guarded([&] {
    auto& with = given(integrator, "integrator");
    auto const& begin = given(map, "map").map;
    with.work().integrator.use(begin);
    with.map = begin;
  });
}

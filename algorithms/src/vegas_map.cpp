#include <kubature/detail/file.hpp>
#include <kubature/vegas_map.hpp>

#include <cmath>
#include <sstream>

namespace kubature {
namespace {

constexpr int version = 1;
constexpr std::string_view heading = "kubature-vegas-map";

} // namespace

VegasMap::VegasMap(int axes, int bins, std::vector<double> edges, std::source_location where)
    : axes_(axes), bins_(bins), edges_(std::move(edges)) {
  require(axes >= 1 && axes <= max_dimension, "VegasMap.axes", axes, "1 to 20 are possible", where);
  require(bins >= 1 && bins <= 1 << 20, "VegasMap.bins", bins, "1 to 1048576 are possible", where);
  auto const nodes = static_cast<std::size_t>(bins) + 1;
  require(edges_.size() == static_cast<std::size_t>(axes) * nodes, "VegasMap.edges", edges_.size(),
          "bins + 1 edges for each axis are needed", where);
  for (int axis = 0; axis < axes; ++axis) {
    auto const of = this->edges(axis);
    require(of.front() == 0 && of.back() == 1, "VegasMap.edges", of.front() == 0 ? of.back() : of.front(),
            "an axis begins with 0 and ends with 1", where);
    for (std::size_t k = 1; k < nodes; ++k)
      require(of[k] >= of[k - 1], "VegasMap.edges", of[k], "an edge is a number not below the one before", where);
  }
}

void VegasMap::save(std::string const& file, std::source_location where) const {
  std::ostringstream text;
  text.precision(17);
  text << heading << ' ' << version << '\n' << axes_ << ' ' << bins_ << '\n';
  for (int axis = 0; axis < axes_; ++axis)
    for (auto const of = edges(axis); double const& edge : of)
      text << edge << (&edge == &of.back() ? '\n' : ' ');
  detail::write_file(file, text.str(), where);
}

VegasMap VegasMap::load(std::string const& file, std::source_location where) {
  std::istringstream text(detail::read_file(file, where));
  std::string name;
  int found = 0, axes = 0, bins = 0;
  text >> name >> found;
  require(text && name == heading, "file", file, "this is no file of a VEGAS map", where);
  require(found == version, "file", file,
          "the file has version " + std::to_string(found) + " of the format, known is version " +
              std::to_string(version),
          where);
  text >> axes >> bins;
  require(text && axes >= 1 && axes <= max_dimension && bins >= 1 && bins <= 1 << 20, "file", file,
          "the numbers of axes and bins are missing or out of range", where);
  std::vector<double> edges(static_cast<std::size_t>(axes) * static_cast<std::size_t>(bins + 1));
  for (double& edge : edges)
    text >> edge;
  require(!text.fail(), "file", file, "edges are missing", where);
  return VegasMap(axes, bins, std::move(edges), where);
}

} // namespace kubature

#include <kubature/detail/checkpoint/file.hpp>
#include <kubature/vegas_map.hpp>

#include <algorithm>
#include <charconv>
#include <locale>
#include <optional>
#include <sstream>
#include <string_view>

namespace kubature {
namespace {

constexpr int version = 1;
constexpr std::string_view heading = "kubature-vegas-map";
constexpr int most_bins = 1 << 20;

/// Splits a text into words at spaces and newlines, independently of the locale.
class Words {
public:
  explicit Words(std::string_view text) : rest_(text) {}

  /// The next word; empty at the end.
  std::string_view next() {
    constexpr std::string_view spaces = " \n\r\t";
    rest_.remove_prefix(std::min(rest_.find_first_not_of(spaces), rest_.size()));
    auto const word = rest_.substr(0, rest_.find_first_of(spaces));
    rest_.remove_prefix(word.size());
    return word;
  }
  template <class T>
  std::optional<T> number() {
    auto const word = next();
    T value{};
    auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
  }
  /// The number of characters left.
  std::size_t left() const { return rest_.size(); }

private:
  std::string_view rest_;
};

} // namespace

VegasMap::VegasMap(int axes, int bins, std::vector<double> edges, std::source_location where)
    : axes_(axes), bins_(bins), edges_(std::move(edges)) {
  require(axes >= 1 && axes <= most_variables, "VegasMap.axes", axes, "must be between 1 and 1024", where);
  require(bins >= 1 && bins <= most_bins, "VegasMap.bins", bins, "must be between 1 and 1048576", where);
  auto const nodes = static_cast<std::size_t>(bins) + 1;
  require(edges_.size() == static_cast<std::size_t>(axes) * nodes, "VegasMap.edges", edges_.size(),
          "bins + 1 edges for each axis are needed", where);
  for (int axis = 0; axis < axes; ++axis) {
    auto const of = this->edges(axis);
    require(of.front() == 0 && of.back() == 1, "VegasMap.edges", of.front() == 0 ? of.back() : of.front(),
            "an axis must begin with 0 and end with 1", where);
    for (std::size_t k = 1; k < nodes; ++k)
      require(of[k] >= of[k - 1], "VegasMap.edges", of[k], "an edge must be a number not below the one before", where);
  }
}

void VegasMap::save(std::string const& file, std::source_location where) const {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(17);
  text << heading << ' ' << version << '\n' << axes_ << ' ' << bins_ << '\n';
  for (int axis = 0; axis < axes_; ++axis)
    for (auto const of = edges(axis); double const& edge : of)
      text << edge << (&edge == &of.back() ? '\n' : ' ');
  detail::write_file(file, text.str(), where);
}

VegasMap VegasMap::load(std::string const& file, std::source_location where) {
  return parse(detail::read_file(file, where), file, where);
}

VegasMap VegasMap::load(Communicator const& ranks, std::string const& file, std::source_location where) {
  return ranks.agree([&] {
    auto contents = ranks.rank() == 0 ? detail::read_file(file, where) : std::string();
    ranks.broadcast(contents);
    return parse(contents, file, where);
  });
}

VegasMap VegasMap::parse(std::string const& contents, std::string const& file, std::source_location where) {
  Words text(contents);
  auto const refuse_unless = [&](bool holds, std::string const& problem) {
    require(holds, "file", file, problem, where);
  };
  refuse_unless(text.next() == heading, "this is not a file of a VEGAS map");
  auto const found = text.number<int>();
  refuse_unless(found == version, "the file has version " + std::to_string(found.value_or(0)) +
                                      " of the format, but only version " + std::to_string(version) + " is known");
  auto const axes = text.number<int>(), bins = text.number<int>();
  refuse_unless(axes && bins && *axes >= 1 && *axes <= most_variables && *bins >= 1 && *bins <= most_bins,
                "the numbers of axes and bins are missing or out of range");
  auto const count = static_cast<std::size_t>(*axes) * static_cast<std::size_t>(*bins + 1);
  refuse_unless(count <= text.left() / 2, "edges are missing"); // each has at least a digit and a space
  std::vector<double> edges(count);
  for (double& edge : edges) {
    auto const number = text.number<double>();
    refuse_unless(number.has_value(), "edges are missing, or are not numbers");
    edge = *number;
  }
  refuse_unless(text.next().empty(), "there is more after the edges");
  return VegasMap(*axes, *bins, std::move(edges), where);
}

} // namespace kubature

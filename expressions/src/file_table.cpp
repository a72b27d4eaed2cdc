#include "file_table.hpp"

#include "printed.hpp"
#include "source.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>

namespace kubature::detail::expression {
namespace {

/// Makes a table of rows in any order.
class Gridding {
public:
  Gridding(FileRows rows, std::size_t axes) : rows_(std::move(rows)), order_(rows_.count()) {
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    auto const before = [&](std::uint32_t a, std::uint32_t b) {
      return std::ranges::lexicographical_compare(point(a), point(b));
    };
    if (!std::ranges::is_sorted(order_, before))
      std::ranges::sort(order_, before);
    for (std::size_t axis = 0; axis < axes; ++axis)
      nodes_.push_back(nodes_along(axis));
  }

  std::shared_ptr<FileTable const> table() const {
    check();
    auto table = std::make_shared<FileTable>();
    table->file = rows_.file;
    table->grid.axes = static_cast<int>(nodes_.size());
    for (std::size_t axis = 0; axis < nodes_.size(); ++axis) {
      table->grid.size[axis] = static_cast<int>(nodes_[axis].size());
      table->nodes.insert(table->nodes.end(), nodes_[axis].begin(), nodes_[axis].end());
    }
    table->values.reserve(order_.size());
    for (auto const row : order_)
      table->values.push_back(rows_.numbers[row * rows_.columns + nodes_.size()]);
    table->grid.nodes = table->nodes.data();
    table->grid.values = table->values.data();
    return table;
  }

private:
  /// The coordinates of a row.
  std::span<double const> point(std::uint32_t row) const {
    return std::span(rows_.numbers).subspan(row * rows_.columns, rows_.columns - 1);
  }

  std::vector<double> nodes_along(std::size_t axis) const {
    std::vector<double> nodes;
    for (auto const row : order_)
      if (double const node = point(row)[axis]; nodes.empty() || node != nodes.back())
        nodes.push_back(node);
    std::ranges::sort(nodes);
    nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
    return nodes;
  }

  /// Throws unless there is one row for every node of the grid.
  void check() const {
    for (std::size_t i = 1; i < order_.size(); ++i)
      if (std::ranges::equal(point(order_[i - 1]), point(order_[i]))) {
        auto const [first, second] = std::minmax(order_[i - 1], order_[i]);
        fail_in_file(rows_.file, rows_.place(second),
                     "it repeats the node of " + rows_.place(first) + ", " + written(point(first)));
      }
    for (std::size_t axis = 0; axis < nodes_.size(); ++axis)
      if (nodes_[axis].size() < 2)
        fail_in_file(rows_.file, {},
                     "the only node along the axis " + name(axis) + " is " + number(nodes_[axis].front()) +
                         "; at least two are needed");
    std::vector<std::size_t> at(nodes_.size()); // the node whose row comes next
    std::vector<double> expected(at.size());
    for (std::size_t i = 0; i == 0 || std::ranges::any_of(at, [](auto k) { return k != 0; }); ++i) {
      for (std::size_t axis = 0; axis < at.size(); ++axis)
        expected[axis] = nodes_[axis][at[axis]];
      if (i == order_.size() || !std::ranges::equal(point(order_[i]), expected))
        fail_in_file(rows_.file, {}, "the grid is not full: there is no row for " + written(expected));
      for (std::size_t axis = at.size(); axis-- > 0;) {
        if (++at[axis] < nodes_[axis].size())
          break;
        at[axis] = 0;
      }
    }
  }

  static std::string name(std::size_t axis) { return std::string(1, "xyz"[axis]); }
  static std::string number(double value) {
    auto const text = printed(value);
    return text.starts_with('(') ? text.substr(1, text.size() - 2) : text;
  }
  static std::string written(std::span<double const> point) {
    std::string text;
    for (std::size_t axis = 0; axis < point.size(); ++axis)
      text += (axis == 0 ? "" : ", ") + name(axis) + " = " + number(point[axis]);
    return text;
  }

  FileRows rows_;
  std::vector<std::uint32_t> order_; ///< the rows in the order of their points
  std::vector<std::vector<double>> nodes_;
};

/// A table that was read, and the state of its file then.
struct Known {
  std::filesystem::file_time_type time;
  bool settled; ///< whether every later change of the file changes that time: clocks of file systems take steps
  std::uintmax_t size;
  std::weak_ptr<FileTable const> table;
};

} // namespace

void fail_in_file(std::string const& file, std::string const& place, std::string const& problem) {
  throw std::runtime_error("file " + in_quotes(file) + (place.empty() ? "" : ", " + place) + ": " + problem);
}

std::shared_ptr<FileTable const> file_table(std::string const& file, int axes) {
  namespace fs = std::filesystem;
  static std::mutex mutex;
  static std::map<std::pair<fs::path, int>, Known> known;
  std::error_code error;
  auto const status = fs::status(file, error);
  if (!fs::exists(status))
    fail_in_file(file, {}, (error ? error : make_error_code(std::errc::no_such_file_or_directory)).message());
  if (!fs::is_regular_file(status))
    fail_in_file(file, {}, fs::is_directory(status) ? "it is a directory" : "it is not a regular file");
  std::lock_guard const lock(mutex);
  auto const time = fs::last_write_time(file);
  auto const size = fs::file_size(file);
  bool const settled = fs::file_time_type::clock::now() - time > std::chrono::seconds(2);
  auto const key = std::pair(fs::absolute(file), axes);
  if (auto const found = known.find(key);
      found != known.end() && found->second.settled && found->second.time == time && found->second.size == size)
    if (auto table = found->second.table.lock())
      return table;
  auto table = Gridding(read_rows(file, static_cast<std::size_t>(axes) + 1), static_cast<std::size_t>(axes)).table();
  std::erase_if(known, [](auto const& one) { return one.second.table.expired(); });
  known[key] = {time, settled, size, table};
  return table;
}

} // namespace kubature::detail::expression

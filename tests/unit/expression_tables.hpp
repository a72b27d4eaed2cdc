#pragma once

#include "temporary.hpp"

#include <kubature/expression.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace expression_tables {

using Point = std::vector<double>;

inline std::vector<std::string> const names{"x", "y", "z"};

/// The value of a formula at x.
inline double at(std::string const& formula, Point const& x) {
  return kubature::Expression::parse(formula,
                                     {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(x.size())})(x);
}

/// A folder of files with tables.
struct TableFiles : testing::Test {
  TemporaryFolder folder;

  std::string quoted(std::string const& name) const { return '"' + folder.path(name) + '"'; }
  /// A call of table() or table_cubic().
  std::string call(std::string const& name, std::string const& arguments = "x", bool cubic = false) const {
    return (cubic ? "table_cubic(" : "table(") + quoted(name) + ", " + arguments + ")";
  }
  /// The value at x of a table with this text.
  double of(std::string const& text, Point const& x) const {
    folder.write("of.txt", text);
    return at(call("of.txt", x.size() == 1 ? "x" : x.size() == 2 ? "x, y" : "x, y, z"), x);
  }
  /// Writes f on a grid, its rows in random order.
  void write(std::string const& name, std::vector<Point> const& nodes, std::function<double(Point const&)> const& f) {
    std::vector<Point> points{{}};
    for (auto const& axis : nodes) {
      std::vector<Point> longer;
      for (auto const& point : points)
        for (double const node : axis) {
          longer.push_back(point);
          longer.back().push_back(node);
        }
      points = longer;
    }
    std::ranges::shuffle(points, std::mt19937(1));
    std::ostringstream text;
    text.precision(17);
    for (auto const& point : points) {
      for (double const coordinate : point)
        text << coordinate << ' ';
      text << f(point) << '\n';
    }
    folder.write(name, text.str());
  }
  void refused(std::string const& formula, std::string const& problem) const {
    try {
      static_cast<void>(kubature::Expression::parse(formula, names));
      ADD_FAILURE() << formula << " was accepted";
    } catch (kubature::ExpressionError const& error) {
      EXPECT_EQ(error.problem(), problem);
    }
  }
  /// Expects a sentence on a file with this text.
  void refused_file(std::string const& text, std::string const& arguments, std::string const& problem) const {
    folder.write("bad.txt", text);
    refused(call("bad.txt", arguments), "column 7: file '" + folder.path("bad.txt") + "'" + problem);
  }
};

} // namespace expression_tables

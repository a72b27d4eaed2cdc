#pragma once

#include <kubature/many_results.hpp>

#include <iosfwd>
#include <string>
#include <vector>

namespace kubature::app {

/// A table of comma-separated values, the first line of which names the columns, or of JSON objects, one per line,
/// which begin with a brace.
class Table {
public:
  /// Throws BadInput, which begins with the argument that named the file.
  /// @param text the contents of the file
  Table(std::string const& argument, std::string const& file, std::string const& text);

  std::size_t rows() const { return rows_.size(); }
  std::vector<std::string> const& columns() const { return columns_; }
  bool has(std::string const& column) const;
  /// The number in a row and column; "inf" and "-inf" are numbers. Throws BadInput if there is none.
  double number(std::size_t row, std::string const& column) const;

  /// Writes the table with additional columns value, error and status. Of several formulas these are lists in JSON, and
  /// otherwise columns value_1, error_1, status_1, value_2, ....
  /// @param results one for each formula
  /// @param json    whether to write JSON objects, whatever the table was read from
  void write(std::ostream& out, std::vector<ManyResults<>> const& results, bool json) const;

private:
  void write_json(std::ostream& out, std::vector<ManyResults<>> const& results) const;
  void write_values(std::ostream& out, std::vector<ManyResults<>> const& results) const;
  std::size_t place(std::string const& column) const;

  std::string argument_, file_;
  bool json_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_; ///< values as they were written
};

/// The shortest text that reads as the same number.
std::string exactly(double number);

} // namespace kubature::app

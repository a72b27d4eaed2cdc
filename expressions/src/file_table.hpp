#pragma once

#include <kubature/detail/table_grid.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace kubature::detail::expression {

/// A table that was read from a file, with what its grid points to.
struct FileTable {
  std::string file; ///< its name, as it was given
  std::vector<double> nodes, values;
  TableGrid grid;
};

/// The table of a file with this number of axes. As long as it is in use, and the file is as it was two seconds after
/// its last change, it is not read again. Throws std::runtime_error, which names the file and what is wrong with it.
std::shared_ptr<FileTable const> file_table(std::string const& file, int axes);

/// Throws std::runtime_error with a sentence on a file, and a place in it if there is one.
[[noreturn]] void fail_in_file(std::string const& file, std::string const& place, std::string const& problem);

/// The rows of numbers in a file, as they are written there.
struct FileRows {
  std::string file;
  std::size_t columns;
  std::vector<double> numbers{}; ///< [row * columns + column]
  std::vector<unsigned> lines{}; ///< of the rows, counted from 1; empty where the file has no lines
  std::size_t count() const { return numbers.size() / columns; }

  /// The place of a row, as messages name it.
  std::string place(std::size_t row) const {
    return lines.empty() ? "row " + std::to_string(row + 1) : "line " + std::to_string(lines[row]);
  }
};

/// The largest number of numbers in a file.
inline constexpr std::size_t max_file_numbers = std::size_t{1} << 27;

/// The rows of a text or of an array of NumPy (NPY), each of `columns` finite numbers; at least one. Throws as
/// file_table does.
FileRows read_rows(std::string const& file, std::size_t columns);

} // namespace kubature::detail::expression

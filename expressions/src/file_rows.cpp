#include "domain_parts.hpp"
#include "file_table.hpp"
#include "source.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace kubature::detail::expression {
namespace {

/// A part of a file as messages show it.
std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string plain(text.substr(0, most));
  std::ranges::replace_if(plain, [](unsigned char c) { return std::iscntrl(c); }, '?');
  return in_quotes(plain + (text.size() > most ? "..." : ""));
}

std::string too_many() { return "it has more than " + std::to_string(max_file_numbers) + " numbers"; }

/// What the columns of a file are.
std::string meaning(std::size_t columns) {
  constexpr std::array names{"x", "x, y", "x, y, z"};
  return std::to_string(columns) + ": " + names.at(columns - 2) + " and the value";
}

/// Reads lines of numbers, which white space or commas separate.
class Text {
public:
  Text(std::ifstream& in, std::string const& file, std::size_t columns)
      : in_(in), rows_{.file = file, .columns = columns} {}

  FileRows read() {
    constexpr std::size_t longest = 65'536;
    std::vector<char> line(longest);
    while (in_.getline(line.data(), longest)) {
      auto const length = static_cast<std::size_t>(in_.gcount()) - (in_.eof() ? 0 : 1);
      ++number_;
      add({line.data(), length});
    }
    ++number_;
    if (!in_.eof())
      fail(in_.bad() ? "it cannot be read" : "it is longer than " + std::to_string(longest - 2) + " characters");
    if (rows_.numbers.empty())
      fail_in_file(rows_.file, {}, "it has no rows of numbers");
    return std::move(rows_);
  }

private:
  void add(std::string_view line) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (number_ == 1 && line.starts_with(byte_order_mark))
      line.remove_prefix(byte_order_mark.size());
    if (line.find('\0') != line.npos)
      fail("it is neither text nor in the format of NumPy (NPY)");
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty())
      return;
    divide(line);
    bool const heading = rows_.numbers.empty() && !headed_ && std::ranges::all_of(fields_, [](auto field) {
                           return parsed(field).error == std::errc::invalid_argument;
                         });
    if (heading) {
      headed_ = true;
      return;
    }
    if (fields_.size() != rows_.columns)
      fail("it has " + std::to_string(fields_.size()) + (fields_.size() == 1 ? " column" : " columns") +
           " instead of " + meaning(rows_.columns));
    if (rows_.numbers.size() + rows_.columns > max_file_numbers)
      fail_in_file(rows_.file, {}, too_many());
    for (auto const field : fields_)
      rows_.numbers.push_back(number(field));
    rows_.lines.push_back(number_);
  }

  /// Divides a line into fields, without quotes around them.
  void divide(std::string_view line) {
    fields_.clear();
    bool const commas = line.find(',') != line.npos;
    constexpr std::string_view space = " \t\v\f\r";
    for (bool more = true; more;) {
      auto const end = line.find_first_of(commas ? "," : space);
      auto field = trimmed(line.substr(0, end));
      if (field.size() > 1 && field.front() == '"' && field.back() == '"')
        field = trimmed(field.substr(1, field.size() - 2));
      fields_.push_back(field);
      more = end != line.npos;
      line.remove_prefix(more ? end + 1 : line.size());
      if (!commas)
        line = trimmed(line);
    }
  }

  struct Parsed {
    double value = 0; ///< which may be infinite or NaN
    std::errc error{};
  };
  static Parsed parsed(std::string_view text) {
    if (text.starts_with('+') && !text.starts_with("+-"))
      text.remove_prefix(1);
    Parsed result;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), result.value);
    result.error = end == text.data() + text.size() ? error : std::errc::invalid_argument;
    return result;
  }

  double number(std::string_view field) const {
    if (field.empty())
      fail("a number is missing between commas");
    auto const [value, error] = parsed(field);
    if (error == std::errc::invalid_argument)
      fail(shown(field) + " is not a number");
    if (error != std::errc{})
      fail(shown(field) + " is outside the range of double precision");
    if (!std::isfinite(value))
      fail(shown(field) + " is not finite");
    return value;
  }

  [[noreturn]] void fail(std::string const& problem) const {
    fail_in_file(rows_.file, "line " + std::to_string(number_), problem);
  }

  std::ifstream& in_;
  FileRows rows_;
  std::vector<std::string_view> fields_;
  unsigned number_ = 0; ///< of the line, counted from 1
  bool headed_ = false;
};

constexpr std::string_view magic = "\x93NUMPY";

/// Reads an array with two axes in the format of NumPy
/// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html), which begins after the magic string.
class Npy {
public:
  Npy(std::ifstream& in, std::string const& file, std::size_t columns) : in_(in), file_(file), columns_(columns) {}

  FileRows read() {
    read_header();
    auto const type = value_of("'descr'", "'", "'");
    bool const doubles = type == "<f8";
    if (!doubles && type != "<f4")
      fail("its numbers are of type " + shown(type) + " instead of '<f8' or '<f4'");
    bool const by_columns = value_of("'fortran_order'", "", ",}") == "True";
    FileRows rows{.file = file_, .columns = columns_};
    auto const count = row_count();
    auto const begin = static_cast<std::uintmax_t>(in_.tellg());
    if (std::filesystem::file_size(file_) - begin < std::uintmax_t{count} * columns_ * (doubles ? 8 : 4))
      ends_early();
    rows.numbers.resize(count * columns_);
    for (std::size_t i = 0; i < rows.numbers.size(); ++i) {
      auto const row = by_columns ? i % count : i / columns_, column = by_columns ? i / count : i % columns_;
      double const value = doubles ? next<double, std::uint64_t>() : next<float, std::uint32_t>();
      if (!std::isfinite(value))
        fail_in_file(file_, rows.place(row), std::to_string(value) + " is not finite");
      rows.numbers[row * columns_ + column] = value;
    }
    return rows;
  }

private:
  void read_header() {
    auto const version = next<std::uint8_t, std::uint8_t>();
    next<std::uint8_t, std::uint8_t>(); // the minor version
    if (version != 1 && version != 2)
      fail("its format has version " + std::to_string(version) + " instead of 1 or 2");
    std::size_t const length =
        version == 1 ? next<std::uint16_t, std::uint16_t>() : next<std::uint32_t, std::uint32_t>();
    constexpr std::size_t longest = 65'536;
    if (length > longest)
      fail("its header is longer than " + std::to_string(longest) + " bytes");
    header_.resize(length);
    if (!in_.read(header_.data(), static_cast<std::streamsize>(length)))
      ends_early();
  }

  /// What follows a key of the header, without the text before it if it begins so, up to one of some characters.
  std::string_view value_of(std::string_view key, std::string_view before, std::string_view ends) const {
    auto const at = std::string_view(header_).find(key);
    if (at == header_.npos)
      fail("its header has no " + std::string(key));
    auto text = trimmed(std::string_view(header_).substr(at + key.size()));
    text = trimmed(text.substr(text.starts_with(':') ? 1 : 0));
    text = text.substr(text.starts_with(before) ? before.size() : 0);
    return trimmed(text.substr(0, text.find_first_of(ends)));
  }

  /// The first number of the shape (count, columns).
  std::size_t row_count() const {
    auto const shape = value_of("'shape'", "", ")");
    std::array<std::size_t, 2> sizes{};
    char const* at = shape.data();
    auto const* const end = shape.data() + shape.size();
    bool right = true;
    for (char const before : {'(', ','}) {
      while (right && at != end && *at == ' ')
        ++at;
      right = right && at != end && *at++ == before;
      while (right && at != end && *at == ' ')
        ++at;
      if (right) {
        auto const [next, error] = std::from_chars(at, end, sizes[before == '(' ? 0 : 1]);
        right = error == std::errc{};
        at = next;
      }
    }
    if (!right || at != end || sizes[1] != columns_)
      fail("its shape is " + std::string(shape) + ") instead of (rows, " + std::to_string(columns_) +
           ") with the columns " + meaning(columns_).substr(3));
    if (sizes[0] > max_file_numbers / columns_)
      fail(too_many());
    if (sizes[0] == 0)
      fail("it has no rows of numbers");
    return sizes[0];
  }

  /// The next number, whose lowest byte comes first.
  template <class Number, class Bits>
  Number next() {
    std::array<unsigned char, sizeof(Bits)> bytes{};
    if (!in_.read(reinterpret_cast<char*>(bytes.data()), bytes.size()))
      ends_early();
    Bits bits = 0;
    for (std::size_t k = 0; k < bytes.size(); ++k)
      bits = static_cast<Bits>(bits | static_cast<Bits>(bytes[k]) << 8 * k);
    return std::bit_cast<Number>(bits);
  }

  [[noreturn]] void ends_early() const { fail("it is truncated"); }
  [[noreturn]] void fail(std::string const& problem) const { fail_in_file(file_, {}, problem); }

  std::ifstream& in_;
  std::string const& file_;
  std::size_t columns_;
  std::string header_{};
};

} // namespace

FileRows read_rows(std::string const& file, std::size_t columns) {
  constexpr std::uintmax_t longest = std::uintmax_t{1} << 32; // 32 bytes per number
  if (std::filesystem::file_size(file) > longest)
    fail_in_file(file, {}, "it has more than " + std::to_string(longest) + " bytes");
  std::ifstream in(file, std::ios::binary);
  if (!in)
    fail_in_file(file, {}, std::generic_category().message(errno));
  std::string begin(magic.size(), '\0');
  if (in.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == magic)
    return Npy(in, file, columns).read();
  in.clear();
  in.seekg(0);
  return Text(in, file, columns).read();
}

} // namespace kubature::detail::expression

#include "table.hpp"

#include "options.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ostream>
#include <sstream>
#include <string_view>

namespace kubature::app {
namespace {

using Json = nlohmann::ordered_json;

std::string trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

/// The fields of a line; a quoted text is one field.
std::vector<std::string> fields(std::string const& line) {
  std::vector<std::string> all(1);
  bool quoted = false;
  for (char const c : line)
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      all.emplace_back();
    else
      all.back() += c;
  for (auto& field : all)
    field = trimmed(field);
  return all;
}

std::string quoted(std::string const& field) {
  return field.find(',') == std::string::npos ? field : '"' + field + '"';
}

} // namespace

std::string exactly(double number) {
  std::array<char, 64> text;
  auto const end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

Table::Table(std::string const& argument, std::string const& file, std::string const& text)
    : argument_(argument), file_(file) {
  auto const begin = text.find_first_not_of(" \t\r\n");
  json_ = begin != text.npos && text[begin] == '{';
  std::istringstream in(text);
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (trimmed(line).empty())
      continue;
    auto const refuse = [&](std::string const& problem) {
      throw BadInput(argument, file, "line " + std::to_string(number) + ": " + problem);
    };
    if (!json_) {
      auto const values = fields(line);
      if (columns_.empty())
        columns_ = values;
      else if (values.size() != columns_.size())
        refuse(std::to_string(values.size()) + (values.size() == 1 ? " value for " : " values for ") +
               std::to_string(columns_.size()) + (columns_.size() == 1 ? " column" : " columns"));
      else
        rows_.push_back(values);
      continue;
    }
    auto const object = Json::parse(line, nullptr, false);
    if (!object.is_object())
      refuse("not a JSON object");
    if (columns_.empty())
      for (auto const& [name, value] : object.items())
        columns_.push_back(name);
    rows_.emplace_back();
    for (auto const& column : columns_) {
      if (!object.contains(column) || object.size() != columns_.size())
        refuse("the names are not those of the first line");
      auto const& value = object[column];
      rows_.back().push_back(value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  if (rows_.empty())
    throw BadInput(argument, file, "the table is empty");
}

bool Table::has(std::string const& column) const { return std::ranges::find(columns_, column) != columns_.end(); }

std::size_t Table::place(std::string const& column) const {
  return static_cast<std::size_t>(std::ranges::find(columns_, column) - columns_.begin());
}

double Table::number(std::size_t row, std::string const& column) const {
  auto const& text = rows_[row][place(column)];
  double number = 0;
  auto const* const end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || std::isnan(number))
    throw BadInput(argument_, file_,
                   "row " + std::to_string(row + 1) + ": '" + text + "' in column " + column + " is not a number");
  return number;
}

void Table::write(std::ostream& out, std::vector<ManyResults<>> const& results, bool json) const {
  if (json || json_)
    write_json(out, results);
  else
    write_values(out, results);
}

void Table::write_json(std::ostream& out, std::vector<ManyResults<>> const& results) const {
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    Json object;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      auto const value = Json::parse(rows_[k][c], nullptr, false);
      object[columns_[c]] = value.is_discarded() ? Json(rows_[k][c]) : value;
    }
    auto const add = [&](char const* name, auto const& of) {
      auto all = Json::array();
      for (auto const& result : results)
        all.push_back(of(result));
      object[name] = results.size() == 1 ? all[0] : all;
    };
    add("value", [&](auto const& result) { return result.value[k]; });
    add("error", [&](auto const& result) { return result.error[k]; });
    add("status", [&](auto const& result) { return to_string(result.status[k]); });
    out << object.dump() << '\n';
  }
}

void Table::write_values(std::ostream& out, std::vector<ManyResults<>> const& results) const {
  std::string heading;
  for (auto const& column : columns_)
    heading += quoted(column) + ',';
  for (std::size_t f = 1; f <= results.size(); ++f)
    for (auto const* name : {"value", "error", "status"})
      heading += name + (results.size() == 1 ? "" : '_' + std::to_string(f)) + ',';
  heading.back() = '\n';
  out << heading;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    std::string line;
    for (auto const& value : rows_[k])
      line += quoted(value) + ',';
    for (auto const& result : results)
      line += exactly(result.value[k]) + ',' + exactly(result.error[k]) + ',' +
              std::string(to_string(result.status[k])) + ',';
    line.back() = '\n';
    out << line;
  }
}

} // namespace kubature::app

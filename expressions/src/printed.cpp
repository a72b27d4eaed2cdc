#include "printed.hpp"

#include "file_table.hpp"
#include "limits.hpp"
#include "names.hpp"
#include "operators.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace kubature::detail::expression {
namespace {

/// What remains to be written: a node, or a text between nodes.
struct Piece {
  Tree::Id id = Tree::none;
  std::string_view text = {};
};

} // namespace

std::string_view operator_name(Opcode opcode) {
  auto const found = std::ranges::find(operators, opcode, &Operator::opcode);
  return found == operators.end() ? std::string_view() : found->name;
}

std::string_view function_name(Opcode opcode) {
  auto const list = is_table(opcode) ? table_functions() : functions();
  auto const found = std::ranges::find(list, opcode, &Function::opcode);
  return found == list.end() ? std::string_view() : found->name;
}

std::string_view quote_of(FileTable const& table) { return table.file.find('"') == std::string::npos ? "\"" : "'"; }

std::string_view name_of(Opcode opcode) {
  auto const name = function_name(opcode);
  return name.empty() ? operator_name(opcode) : name;
}

std::string printed(double number) {
  if (!std::isfinite(number))
    return std::isnan(number) ? "(0/0)" : number > 0 ? "(1/0)" : "(-1/0)";
  char digits[32];
  std::string text(digits, std::to_chars(digits, digits + sizeof digits, std::abs(number)).ptr);
  return std::signbit(number) ? "(-" + text + ")" : text;
}

std::string printed(Tree const& tree, Tree::Id root, std::span<std::string const> variables) {
  std::string text;
  std::vector<Piece> open{{root}};
  while (!open.empty()) {
    auto const piece = open.back();
    open.pop_back();
    if (piece.id == Tree::none) {
      text += piece.text;
      continue;
    }
    check_length(text, std::source_location::current());
    auto const& node = tree.written(piece.id);
    auto const put = [&](std::initializer_list<Piece> pieces) {
      open.insert(open.end(), rbegin(pieces), rend(pieces));
    };
    if (node.variables == 0)
      text += printed(tree.value(piece.id));
    else if (node.opcode == Opcode::push_variable)
      text += variables[static_cast<std::size_t>(std::countr_zero(node.variables))];
    else if (node.opcode == Opcode::store)
      put({{node.left}});
    else if (node.opcode == Opcode::select)
      put({{.text = "if("}, {node.condition}, {.text = ","}, {node.left}, {.text = ","}, {node.right}, {.text = ")"}});
    else if (node.opcode == Opcode::square)
      put({{.text = "("}, {node.left}, {.text = "^2)"}});
    else if (node.opcode == Opcode::negate)
      put({{.text = "(-"}, {node.left}, {.text = ")"}});
    else if (node.opcode == Opcode::logical_not)
      put({{.text = "(!"}, {node.left}, {.text = ")"}});
    else if (auto const symbol = operator_name(node.opcode); !symbol.empty())
      put({{.text = "("}, {node.left}, {.text = symbol}, {node.right}, {.text = ")"}});
    else if (auto const name = function_name(node.opcode); is_table(node.opcode)) {
      auto const quote = quote_of(*node.table);
      open.push_back({.text = ")"});
      for (auto const coordinate : {node.condition, node.right, node.left})
        if (coordinate != Tree::none)
          put({{.text = ","}, {coordinate}});
      put({{.text = name}, {.text = "("}, {.text = quote}, {.text = node.table->file}, {.text = quote}});
    } else if (node.right == Tree::none)
      put({{.text = name}, {.text = "("}, {node.left}, {.text = ")"}});
    else if (node.condition == Tree::none)
      put({{.text = name}, {.text = "("}, {node.left}, {.text = ","}, {node.right}, {.text = ")"}});
    else
      put({{.text = name},
           {.text = "("},
           {node.left},
           {.text = ","},
           {node.right},
           {.text = ","},
           {node.condition},
           {.text = ")"}});
  }
  return text;
}

} // namespace kubature::detail::expression

#include "names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace kubature::detail::expression {
namespace {

constexpr int arguments(Opcode opcode) {
  switch (opcode) {
#define KUBATURE_ONE(name, value)                                                                                      \
  case Opcode::name:                                                                                                   \
    return 1;
#define KUBATURE_TWO(name, value)                                                                                      \
  case Opcode::name:                                                                                                   \
    return 2;
#define KUBATURE_NONE(name, function)
#define KUBATURE_NONE_OF_THREE(name, value)
    KUBATURE_EXPRESSION_FUNCTIONS(KUBATURE_ONE, KUBATURE_TWO, KUBATURE_NONE)
    KUBATURE_EXPRESSION_SPECIAL_FUNCTIONS(KUBATURE_ONE, KUBATURE_TWO, KUBATURE_NONE)
    KUBATURE_EXPRESSION_DISTRIBUTIONS(KUBATURE_TWO, KUBATURE_NONE_OF_THREE)
#undef KUBATURE_ONE
#undef KUBATURE_TWO
#undef KUBATURE_NONE
#undef KUBATURE_NONE_OF_THREE
  default:
    return 3;
  }
}

constexpr std::array function_table{
#define KUBATURE_FUNCTION(name, value) Function{#name, arguments(Opcode::name), Opcode::name},
#define KUBATURE_ALIAS(name, function) Function{#name, arguments(Opcode::function), Opcode::function},
    KUBATURE_EXPRESSION_FUNCTIONS(KUBATURE_FUNCTION, KUBATURE_FUNCTION, KUBATURE_ALIAS)
#undef KUBATURE_FUNCTION
#undef KUBATURE_ALIAS
#define KUBATURE_FUNCTION(name, value) Function{#name, arguments(Opcode::name), Opcode::name, true},
#define KUBATURE_ALIAS(name, function) Function{#name, arguments(Opcode::function), Opcode::function, true},
        KUBATURE_EXPRESSION_SPECIAL_FUNCTIONS(KUBATURE_FUNCTION, KUBATURE_FUNCTION, KUBATURE_ALIAS)
            KUBATURE_EXPRESSION_DISTRIBUTIONS(KUBATURE_FUNCTION, KUBATURE_FUNCTION)
#undef KUBATURE_FUNCTION
#undef KUBATURE_ALIAS
                Function{"if", 3, Opcode::select}};

constexpr std::array table_function_table{
    Function{"table", max_table_axes, Opcode::table, true},
    Function{"table_cubic", max_table_axes, Opcode::table_cubic, true},
};

constexpr std::string_view letters = "xyzwvuts";
static_assert(letters.size() == lettered_dimension);

bool is_numbered(std::string_view name) { return name.size() > 1; }

std::string letter_list() {
  std::vector<std::string> list;
  for (int axis = 0; axis < lettered_dimension; ++axis)
    list.push_back(family_name(false, axis));
  return listed(list);
}

} // namespace

std::string listed(std::vector<std::string> const& names) {
  std::string list;
  for (auto const& name : names)
    list += (list.empty() ? "" : ", ") + name;
  return list;
}

bool is_identifier(std::string_view name) {
  return !name.empty() && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::string family_name(bool numbered, int axis) {
  return numbered ? std::string(1, 'x').append(std::to_string(axis + 1))
                  : std::string(1, letters.at(static_cast<std::size_t>(axis)));
}

std::span<Function const> functions() { return function_table; }
std::span<Function const> table_functions() { return table_function_table; }

Function const* find_function(std::string_view name) {
  for (auto const list : {functions(), table_functions()})
    if (auto const found = std::ranges::find(list, name, &Function::name); found != list.end())
      return &*found;
  return nullptr;
}

Variables::Variables(Source const& source, std::vector<std::string> names, std::source_location where)
    : source_(source), names_(std::move(names)), named_(!names_.empty()) {
  require(names_.size() <= most_variables, "number of variables", names_.size(),
          "an expression has between 1 and 1024 variables", where);
  for (auto name = names_.begin(); name != names_.end(); ++name) {
    require(is_identifier(*name), "variable", in_quotes(*name),
            "a name consists of letters, digits and '_', and must not begin with a digit", where);
    auto const* const function = find_function(*name);
    require(!function || function->special, "variable", in_quotes(*name), "a function has this name", where);
    require(axes_.emplace(*name, static_cast<int>(name - names_.begin())).second, "variable", in_quotes(*name),
            "this name is given twice", where);
  }
}

int Variables::axis(Token const& token) {
  int const found = named_ ? index(token.text) : family_axis(token);
  if (!named_ && found >= 0) {
    if (names_.empty())
      first_ = token.text;
    else if (is_numbered(first_) != is_numbered(token.text))
      source_.fail(token.offset, in_quotes(first_) + " and " + in_quotes(token.text) +
                                     " cannot be mixed: use either x1 to x1024, or " + letter_list());
    for (int next = static_cast<int>(names_.size()); next <= found; ++next)
      names_.push_back(family_name(is_numbered(token.text), next));
  }
  return found;
}

std::string Variables::known() const {
  constexpr std::size_t few = 20;
  bool const all = names_.size() <= few;
  auto const names = all ? listed(names_) : listed({names_.begin(), names_.begin() + 3}) + ", ..., " + names_.back();
  return named_ ? (names_.size() == 1 ? "the variable is " : "the variables are ") + names
                : "variables are x1 to x1024, or " + letter_list();
}

int Variables::index(std::string_view name) const {
  auto const found = axes_.find(name);
  return found == axes_.end() ? -1 : found->second;
}

int Variables::family_axis(Token const& token) const {
  auto const name = token.text;
  if (name.size() == 1) {
    auto const letter = letters.find(name[0]);
    return letter == letters.npos ? -1 : static_cast<int>(letter);
  }
  if (name[0] != 'x' || !std::all_of(name.begin() + 1, name.end(), is_digit))
    return -1;
  int number = 0;
  auto const [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
  if (error != std::errc{} || name[1] == '0' || number > most_variables)
    source_.fail(token.offset, "unknown variable " + in_quotes(name) + "; numbered variables are x1 to x1024");
  return number - 1;
}

} // namespace kubature::detail::expression

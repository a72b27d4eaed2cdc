#include "terms.hpp"

namespace kubature::detail::expression {
namespace {

/// Sums with more factors than this, or longer ones, remain one term, since every term would repeat the factors.
constexpr int max_factors = 4;
constexpr std::size_t max_characters = 200; ///< the length of the factors

/// What surrounds a term: a minus sign and constant factors.
struct Around {
  bool minus = false;
  std::string before{}, after{};
  int factors = 0;
  bool negative = false; ///< the sign of all of it, including those of the factors
};

struct Term {
  std::string text;
  bool constant;
};

/// What the terms of a sum depend on, separately for each sign.
struct Signs {
  std::uint32_t variables[2] = {};
  bool constant[2] = {};

  void add(bool negative, std::uint32_t depends_on) {
    variables[negative] |= depends_on;
    constant[negative] = constant[negative] || depends_on == 0;
  }
  void add(Signs const& other) {
    for (int sign = 0; sign < 2; ++sign) {
      variables[sign] |= other.variables[sign];
      constant[sign] = constant[sign] || other.constant[sign];
    }
  }
  bool may_cancel() const {
    return (variables[0] & variables[1]) || (constant[0] && variables[1]) || (constant[1] && variables[0]);
  }
};

/// Walks down from the root with a stack of its own, so that only memory limits nesting.
class Splitter {
public:
  Splitter(Tree const& tree, std::string_view text) : tree_(tree), text_(text) {}

  std::vector<Term> split(Tree::Id root) {
    open_.push_back({root, {}});
    while (!open_.empty()) {
      auto const visit = std::move(open_.back());
      open_.pop_back();
      if (visit.leaves)
        leave(visit);
      else
        enter(visit);
    }
    return std::move(terms_);
  }

private:
  struct Visit {
    Tree::Id id;
    Around around;
    bool leaves = false;   ///< the terms of a sum in parentheses are complete
    std::size_t first = 0; ///< the first of these terms
  };

  bool is_constant(Tree::Id id) const { return tree_.written(id).variables == 0; }

  std::string enclosed(Tree::Id id, bool in_parentheses) const {
    auto const& node = tree_.written(id);
    std::string const text(text_.substr(node.begin, node.end - node.begin));
    return in_parentheses ? "(" + text + ")" : text;
  }
  std::string factor(Tree::Id id) const { return enclosed(id, tree_.written(id).in_parentheses); }

  /// Moves signs and constant factors from the node to its surroundings, and returns what remains.
  Tree::Id peel(Tree::Id id, Around& around) const {
    while (!is_constant(id)) {
      auto const& node = tree_.written(id);
      if (node.opcode == Opcode::negate) {
        around.minus = !around.minus;
        around.negative = !around.negative;
        id = node.left;
        continue;
      }
      bool const product = node.opcode == Opcode::multiply;
      if (!(product && is_constant(node.left)) &&
          !((product || node.opcode == Opcode::divide) && is_constant(node.right)))
        break;
      bool const left = product && is_constant(node.left);
      if (left)
        around.before += factor(node.left) + "*";
      else
        around.after.insert(0, (product ? '*' : '/') + factor(node.right));
      ++around.factors;
      around.negative = around.negative != tree_.written(left ? node.left : node.right).negative;
      id = left ? node.right : node.left;
    }
    return id;
  }

  void enter(Visit const& visit) {
    auto around = visit.around;
    auto const id = peel(visit.id, around);
    auto const& node = tree_.written(id);
    bool const sum = !is_constant(id) && (node.opcode == Opcode::add || node.opcode == Opcode::subtract);
    if (!sum || around.factors > max_factors || around.before.size() + around.after.size() > max_characters)
      return add(visit);
    if (node.in_parentheses) {
      open_.push_back({visit.id, visit.around, true, terms_.size()});
      signs_.emplace_back();
    }
    auto right = around;
    if (node.opcode == Opcode::subtract) {
      right.minus = !right.minus;
      right.negative = !right.negative;
    }
    open_.push_back({node.right, std::move(right)});
    open_.push_back({node.left, std::move(around)});
  }

  void leave(Visit const& visit) {
    auto const signs = signs_.back();
    signs_.pop_back();
    if (signs.may_cancel()) {
      terms_.resize(visit.first);
      add(visit);
    } else if (!signs_.empty()) {
      signs_.back().add(signs);
    }
  }

  /// Adds the node as a term.
  void add(Visit const& visit) {
    auto const& around = visit.around;
    auto id = visit.id;
    bool minus = around.minus;
    for (; !is_constant(id) && tree_.written(id).opcode == Opcode::negate; id = tree_.written(id).left)
      minus = !minus;
    auto const& node = tree_.written(id);
    bool const wrapped = node.in_parentheses || minus || around.factors > 0;
    auto const text = enclosed(id, wrapped && binds_less_than_product(node.opcode));
    auto const term = (minus ? "-" : "") + around.before + text + around.after;
    terms_.push_back({term.starts_with("--") ? term.substr(2) : term, is_constant(id)});
    if (!signs_.empty())
      signs_.back().add(around.negative != tree_.written(visit.id).negative, node.variables);
  }

  static bool binds_less_than_product(Opcode opcode) {
    return opcode == Opcode::add || opcode == Opcode::subtract ||
           (opcode >= Opcode::less && opcode <= Opcode::logical_or);
  }

  Tree const& tree_;
  std::string_view text_;
  std::vector<Visit> open_;
  std::vector<Signs> signs_; ///< for each open sum in parentheses
  std::vector<Term> terms_;
};

} // namespace

std::vector<std::string> split(Tree const& tree, Tree::Id root, std::string_view text) {
  std::vector<std::string> texts;
  std::string constant;
  for (auto& term : Splitter(tree, text).split(root)) {
    if (!term.constant)
      texts.push_back(std::move(term.text));
    else
      constant.append(constant.empty() || term.text[0] == '-' ? "" : "+").append(term.text);
  }
  if (!constant.empty())
    texts.push_back(std::move(constant));
  return texts.size() > 1 ? texts : std::vector<std::string>{};
}

} // namespace kubature::detail::expression

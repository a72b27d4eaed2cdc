#pragma once

#include "tree.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace kubature::detail::expression {

/// Real formulas that share their parts: what rewriting makes of trees. Every value has one node, however often it is
/// made, and operations with 0 and 1 are left out.
class Graph {
public:
  using Id = int;
  static constexpr Id none = -1;

  struct Node {
    Opcode opcode = Opcode::push_constant;     ///< as in Tree::Written
    std::array<Id, 3> parts{none, none, none}; ///< in the order in which a text has them
    double value = 0;                          ///< of a constant
    int axis = 0;                              ///< of a variable
    FileTable const* table = nullptr;
    bool nonnegative = false;        ///< whether it is certain to be at least 0, or NaN
    Id exponent = none, rest = none; ///< where it has an exponential as a factor, as in Tree
  };

  Id constant(double value);
  Id variable(int axis);
  /// Any operation, or function, of Tree::Written.
  Id apply(Opcode opcode, Id a, Id b = none, Id c = none, FileTable const* table = nullptr);

  Id add(Id a, Id b);
  Id subtract(Id a, Id b);
  Id multiply(Id a, Id b);
  Id divide(Id a, Id b);
  Id negate(Id a);
  Id square(Id a) { return apply(Opcode::square, a); }
  Id power(Id a, Id b);
  Id select(Id condition, Id then, Id otherwise);
  Id less(Id a, Id b) { return apply(Opcode::less, a, b); }

  Node const& operator[](Id id) const { return nodes_[static_cast<std::size_t>(id)]; }
  Id size() const { return static_cast<Id>(nodes_.size()); } ///< parts have smaller ids than what they are parts of
  bool is(Id id, double value) const {
    return (*this)[id].opcode == Opcode::push_constant && (*this)[id].value == value;
  }

  /// The formulas as one text, separated by semicolons, in which names stand for what is used more than once.
  /// @param variables [axis] what takes the place of each variable, complete in itself
  std::string text(std::span<Id const> roots, std::span<std::string const> variables) const;

private:
  Id add(Node node);
  bool is_nonnegative(Node const& node) const;
  bool are_constant(Id a, Id b) const {
    return (*this)[a].opcode == Opcode::push_constant && (*this)[b].opcode == Opcode::push_constant;
  }
  Id joined(Opcode opcode, Id a, Id b);
  /// The text of a node from those of its parts.
  std::string text(Node const& node, std::span<std::string const> variables, std::vector<std::string>& texts,
                   std::span<int const> uses) const;

  using Key = std::tuple<Opcode, std::array<Id, 3>, std::uint64_t, int, FileTable const*>;
  std::vector<Node> nodes_;
  std::map<Key, Id> known_;
};

/// Which nodes the roots depend on.
std::vector<bool> reached(Tree const& tree, std::span<Tree::Id const> roots);

/// The node of the graph that does what a node of the tree does, of these parts.
Graph::Id copied(Graph& graph, Tree::Written const& written, std::array<Graph::Id, 3> const& parts);

/// The parts of a node of the tree in the order in which a text has them.
std::array<Tree::Id, 3> parts_of(Tree::Written const& written);

} // namespace kubature::detail::expression

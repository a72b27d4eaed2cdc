#pragma once

#include <kubature/detail/expression/program.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace kubature::detail::expression {

/// An expression as the parser builds it, from the leaves up. Every node stores the step that it becomes and the order
/// in which its parts are evaluated: the part that needs the most stack first (Sethi and Ullman, "The generation
/// of optimal code for arithmetic expressions", J. ACM 17, 1970), so that n operands never need more than log2(n) + 1
/// places on the stack, however they are nested. A node whose parts are all constant is a constant.
class Tree {
public:
  using Id = int;
  static constexpr Id none = -1;

  Id constant(double value);
  Id variable(int axis);
  Id unary(Opcode opcode, Id a);
  Id binary(Opcode opcode, Id left, Id right);
  /// The node `then` if the condition is not zero, otherwise `otherwise`.
  Id select(Id condition, Id then, Id otherwise);

  /// A function of a distribution.
  Id distribution(Opcode opcode, std::span<Id const> arguments);

  /// The value of a table, which the tree keeps, at as many coordinates as it has axes.
  Id table(Opcode opcode, std::shared_ptr<FileTable const> const& table, std::span<Id const> coordinates);

  /// One more use of the value of a node, which is computed once, by a name or because it is compared twice. It is no
  /// sum or product, whatever the node is.
  Id again(Id id);

  /// A node as written in the text.
  struct Written {
    Opcode opcode = Opcode::push_constant;
    /// For arithmetic operations; a unary one has its operand on the left, a power its exponent on the right, and a
    /// selection what it selects from, beside its condition. A further use has what it is of on the left. The
    /// coordinates of a table, and the arguments of a distribution's functions, are left, right and condition.
    Id left = none, right = none, condition = none;
    /// A bit for each axis on which the value depends, the last for all axes from the 32nd on; 0 for constants.
    std::uint32_t variables = 0;
    bool negative = false; ///< whether a minus sign precedes it or one of its factors
    bool in_parentheses = false;
    FileTable const* table = nullptr; ///< of a table
    std::size_t begin = 0, end = 0;   ///< its place in the text, without parentheses around it
  };
  Written const& written(Id id) const { return nodes_[id].written; }
  void set_place(Id id, std::size_t begin, std::size_t end) {
    nodes_[id].written.begin = begin;
    nodes_[id].written.end = end;
  }
  void set_in_parentheses(Id id) { nodes_[id].written.in_parentheses = true; }

  Id size() const { return static_cast<Id>(nodes_.size()); } ///< ids are 0 ... size() - 1
  /// The value of a constant node.
  double value(Id id) const { return nodes_[id].step.constant; }
  bool is_constant(Id id) const { return nodes_[id].step.opcode == Opcode::push_constant; }
  /// The axis of a variable.
  int axis(Id id) const { return nodes_[id].step.index; }

  /// From now on, what is made of constants is not a constant: where it shall not be evaluated, but rewritten.
  void keep_constants() { folds_ = false; }

  /// The tables of all nodes.
  FileTables const& tables() const { return tables_; }

  /// The number of stack places that the program of this node needs.
  int stack_need(Id id) const { return nodes_[id].need; }
  /// The steps of its program. A value that again() has further uses of is computed once, and followed by a step
  /// `store`, whose constant numbers these values from 0 on; push_variable with index -1 pushes it again.
  std::vector<Instruction> program(Id root) const;

private:
  struct Node {
    Instruction step;
    std::array<Id, 3> parts{none, none, none}; ///< what is evaluated before the step, in order
    Id same = none;                            ///< what has the value, of further uses of it
    int need = 1;
    Written written;
    /// Where it has an exponential as a factor: what that is of, and the other factors (none: 1).
    Id exponent = none, rest = none;
  };

  Id add(Node const& node);
  /// A node that takes all its arguments from the stack.
  Id from_stack(Node node, std::span<Id const> arguments);
  /// A product or quotient, as it is written; and its value by a single exponential, if both sides have one as a
  /// factor: exp(2 x) exp(-x^2 / 2) would be infinity times zero from x = 355 on.
  Id product(Opcode opcode, Id left, Id right);
  Id arithmetic(Opcode opcode, Id left, Id right);
  Id power(Id base, double exponent);
  /// The constant that results from the operation on constants.
  Id folded(Opcode opcode, std::span<Instruction const> steps);
  bool is_leaf(Id id) const { return is_constant(id) || nodes_[id].step.opcode == Opcode::push_variable; }
  /// What is evaluated for a node: itself, or what it uses again.
  Id evaluated(Id id) const { return nodes_[id].same == none ? id : nodes_[id].same; }
  /// How often the value of each node is used by others, from the root down; empty if no value is used again.
  std::vector<int> uses(Id root) const;
  /// The instruction whose last operand is this leaf, or the top of the stack if it is not a leaf.
  Instruction operation(Opcode opcode, bool swapped, Id last) const;

  std::vector<Node> nodes_;
  FileTables tables_;
  bool shares_ = false, folds_ = true;
};

/// The value of a program in double precision, on the host.
double run_on_host(std::span<Instruction const> program, std::span<double const> x);

/// Arithmetic operations per evaluation of the program: a function counts as one, an integer power as its
/// multiplications.
int operation_count(std::span<Instruction const> program);

} // namespace kubature::detail::expression

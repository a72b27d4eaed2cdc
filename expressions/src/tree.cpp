#include "tree.hpp"

#include "file_table.hpp"

#include <kubature/point.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

namespace kubature::detail::expression {
namespace {

constexpr int largest_integer_power = 64;
static_assert(std::max(largest_integer_power, most_variables + max_stored) <=
              std::numeric_limits<decltype(Instruction::index)>::max());

/// The opcode that does the same with left and right exchanged, or `opcode` itself if there is none.
Opcode mirrored(Opcode opcode) {
  switch (opcode) {
  case Opcode::subtract:
    return Opcode::reverse_subtract;
  case Opcode::divide:
    return Opcode::reverse_divide;
  default:
    return opcode;
  }
}

bool has_two_operands(Opcode opcode) { return opcode > Opcode::push_constant && opcode < Opcode::negate; }

} // namespace

Tree::Id Tree::add(Node const& node) {
  nodes_.push_back(node);
  return static_cast<Id>(nodes_.size()) - 1;
}

Tree::Id Tree::constant(double value) {
  Node node;
  node.step.opcode = Opcode::push_constant;
  node.step.constant = value;
  node.step.constant32 = static_cast<float>(value);
  node.written.negative = value < 0;
  return add(node);
}

Tree::Id Tree::folded(Opcode opcode, std::span<Instruction const> steps) {
  auto const id = constant(run_on_host(steps, {}));
  nodes_[id].written.opcode = opcode;
  return id;
}

Tree::Id Tree::variable(int axis) {
  Node node;
  node.step.opcode = Opcode::push_variable;
  node.step.index = static_cast<std::int16_t>(axis);
  node.written = {.opcode = Opcode::push_variable, .variables = std::uint32_t{1} << std::min(axis, 31)};
  return add(node);
}

Instruction Tree::operation(Opcode opcode, bool swapped, Id last) const {
  Instruction step;
  auto operand = Operand::stack;
  if (is_leaf(last)) {
    step = nodes_[last].step;
    operand = is_constant(last) ? Operand::constant : Operand::variable;
  }
  if (has_two_operands(opcode)) {
    auto const first = static_cast<int>(swapped ? mirrored(opcode) : opcode);
    step.opcode = static_cast<Opcode>(first + static_cast<int>(operand));
  } else {
    step.opcode = opcode;
    step.operand = operand;
    step.swapped = swapped;
  }
  return step;
}

Tree::Id Tree::unary(Opcode opcode, Id a) {
  Node node;
  node.step.opcode = opcode;
  node.parts[0] = a;
  node.need = nodes_[a].need;
  node.written = {.opcode = opcode,
                  .left = a,
                  .variables = nodes_[a].written.variables,
                  .negative = opcode == Opcode::negate && !nodes_[a].written.negative};
  if (folds_ && is_constant(a)) {
    std::array const steps{nodes_[a].step, node.step};
    return folded(opcode, steps);
  }
  if (opcode == Opcode::exp) {
    node.exponent = a;
  } else if (opcode == Opcode::negate && nodes_[a].exponent != none) {
    node.exponent = nodes_[a].exponent;
    node.rest = nodes_[a].rest == none ? constant(-1) : unary(Opcode::negate, nodes_[a].rest);
  }
  return add(node);
}

Tree::Id Tree::binary(Opcode opcode, Id left, Id right) {
  if (folds_ && is_constant(left) && is_constant(right)) {
    std::array const steps{nodes_[left].step, operation(opcode, false, right)};
    return folded(opcode, steps);
  }
  if (opcode == Opcode::pow && is_constant(right)) {
    double const exponent = nodes_[right].step.constant;
    if (std::abs(exponent) == 0.5 || (std::abs(exponent) <= largest_integer_power && exponent == std::trunc(exponent)))
      return power(left, exponent);
  }
  if (opcode == Opcode::multiply || opcode == Opcode::divide)
    return product(opcode, left, right);
  return arithmetic(opcode, left, right);
}

Tree::Id Tree::product(Opcode opcode, Id left, Id right) {
  Id const result = arithmetic(opcode, left, right);
  Id const e = nodes_[left].exponent, f = nodes_[right].exponent;
  if (e == none && f == none)
    return result;
  Id const one = e != none ? nodes_[left].rest : left, other = f != none ? nodes_[right].rest : right;
  Id const rest = other == none                               ? one
                  : one == none && opcode == Opcode::multiply ? other
                                                              : binary(opcode, one == none ? constant(1) : one, other);
  Id const exponent = f == none   ? e
                      : e != none ? binary(opcode == Opcode::multiply ? Opcode::add : Opcode::subtract, e, f)
                      : opcode == Opcode::multiply ? f
                                                   : unary(Opcode::negate, f);
  Id merged = result;
  if (e != none && f != none) {
    Id const exponential = unary(Opcode::exp, exponent);
    merged = rest == none ? exponential : arithmetic(Opcode::multiply, rest, exponential);
    nodes_[merged].written = nodes_[result].written;
  }
  nodes_[merged].exponent = exponent;
  nodes_[merged].rest = rest;
  return merged;
}

Tree::Id Tree::arithmetic(Opcode opcode, Id left, Id right) {
  Node node;
  bool const swapped = !is_leaf(right) && (is_leaf(left) || nodes_[left].need < nodes_[right].need);
  Id const first = swapped ? right : left, last = swapped ? left : right;
  node.step = operation(opcode, swapped, last);
  auto const &l = nodes_[left].written, &r = nodes_[right].written;
  bool const product = opcode == Opcode::multiply || opcode == Opcode::divide;
  node.written = {.opcode = opcode,
                  .left = left,
                  .right = right,
                  .variables = l.variables | r.variables,
                  .negative = product && l.negative != r.negative};
  node.parts[0] = first;
  node.need = nodes_[first].need;
  if (!is_leaf(last)) {
    node.parts[1] = last;
    node.need = std::max(node.need, 1 + nodes_[last].need);
  }
  return add(node);
}

Tree::Id Tree::power(Id base, double exponent) {
  if (exponent == 0)
    return constant(1);
  if (exponent == 1)
    return base;
  if (exponent == -1)
    return binary(Opcode::divide, constant(1), base);
  if (exponent == 2)
    return unary(Opcode::square, base);
  if (exponent == 0.5)
    return unary(Opcode::sqrt, base);
  if (exponent == -0.5)
    return unary(Opcode::rsqrt, base);
  Id const written_exponent = constant(exponent);
  Node node;
  node.step.opcode = Opcode::integer_power;
  node.written = {
      .opcode = Opcode::pow, .left = base, .right = written_exponent, .variables = nodes_[base].written.variables};
  node.step.index = static_cast<std::int16_t>(exponent);
  node.parts[0] = base;
  node.need = nodes_[base].need;
  return add(node);
}

Tree::Id Tree::select(Id condition, Id then, Id otherwise) {
  if (is_constant(condition))
    return nodes_[condition].step.constant != 0 ? then : otherwise;
  struct Order {
    Opcode opcode;
    std::array<Id, 3> parts;
  };
  std::array<Order, 3> const orders{{{Opcode::select, {condition, then, otherwise}},
                                     {Opcode::select_condition_last, {then, otherwise, condition}},
                                     {Opcode::select_otherwise_first, {otherwise, condition, then}}}};
  auto const need = [this](Order const& order) {
    auto const [first, second, last] = order.parts;
    return std::max({nodes_[first].need, 1 + nodes_[second].need, is_leaf(last) ? 0 : 2 + nodes_[last].need});
  };
  auto const& best = *std::min_element(orders.begin(), orders.end(),
                                       [&](Order const& a, Order const& b) { return need(a) < need(b); });
  Node node;
  node.step = operation(best.opcode, false, best.parts[2]);
  node.written = {.opcode = Opcode::select, .left = then, .right = otherwise, .condition = condition};
  for (Id const part : {condition, then, otherwise})
    node.written.variables |= nodes_[part].written.variables;
  node.parts = best.parts;
  node.need = need(best);
  if (is_leaf(best.parts[2]))
    node.parts[2] = none;
  return add(node);
}

Tree::Id Tree::table(Opcode opcode, std::shared_ptr<FileTable const> const& table, std::span<Id const> coordinates) {
  if (std::ranges::find(tables_, table) == tables_.end())
    tables_.push_back(table);
  Node node;
  node.step.opcode = opcode;
  node.step.set_table(&table->grid);
  node.written = {.opcode = opcode, .table = table.get()};
  return from_stack(node, coordinates);
}

Tree::Id Tree::distribution(Opcode opcode, std::span<Id const> arguments) {
  Node node;
  node.step.opcode = opcode;
  node.written = {.opcode = opcode};
  return from_stack(node, arguments);
}

Tree::Id Tree::from_stack(Node node, std::span<Id const> arguments) {
  std::array const places{&node.written.left, &node.written.right, &node.written.condition};
  std::vector<Instruction> constants;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    auto const id = arguments[k];
    node.parts[k] = *places[k] = id;
    node.need = std::max(node.need, static_cast<int>(k) + nodes_[id].need);
    node.written.variables |= nodes_[id].written.variables;
    if (is_constant(id))
      constants.push_back(nodes_[id].step);
  }
  if (!folds_ || constants.size() < arguments.size())
    return add(node);
  constants.push_back(node.step);
  return folded(node.step.opcode, constants);
}

Tree::Id Tree::again(Id id) {
  Node node = nodes_[id];
  auto const& written = nodes_[id].written;
  node.written = {.opcode = Opcode::store, .left = id, .variables = written.variables, .negative = written.negative};
  if (node.step.opcode == Opcode::push_variable)
    node.written.opcode = Opcode::push_variable;
  if (!is_leaf(id)) {
    node.step = Instruction();
    node.step.opcode = Opcode::store;
    node.parts = {none, none, none};
    node.same = evaluated(id);
    node.exponent = node.rest = none;
    shares_ = true;
  }
  return add(node);
}

std::vector<int> Tree::uses(Id root) const {
  std::vector<int> uses(shares_ ? nodes_.size() : 0);
  std::vector<Id> open{evaluated(root)};
  while (shares_ && !open.empty()) {
    auto const id = open.back();
    open.pop_back();
    if (uses[id]++ == 0)
      for (auto const part : nodes_[id].parts)
        if (part != none)
          open.push_back(evaluated(part));
  }
  return uses;
}

std::vector<Instruction> Tree::program(Id root) const {
  struct Visit {
    Id id;
    bool parts_done;
  };
  auto const uses = this->uses(root);
  auto const is_used_again = [&](Id id) { return shares_ && uses[id] > 1 && !is_leaf(id); };
  std::vector<int> number(shares_ ? nodes_.size() : 0, none);
  int numbers = 0;
  std::vector<Instruction> steps;
  std::vector<Visit> open{{evaluated(root), false}};
  while (!open.empty()) {
    auto const [id, parts_done] = open.back();
    open.pop_back();
    auto const& node = nodes_[id];
    bool const again = is_used_again(id);
    Instruction named;
    named.index = -1;
    if (again && !parts_done && number[id] != none) {
      named.opcode = Opcode::push_variable;
      named.constant = number[id];
      steps.push_back(named);
      continue;
    }
    if (parts_done) {
      steps.push_back(node.step);
      if (again) {
        named.opcode = Opcode::store;
        named.constant = number[id] = numbers++;
        steps.push_back(named);
      }
      continue;
    }
    open.push_back({id, true});
    for (auto part = node.parts.rbegin(); part != node.parts.rend(); ++part)
      if (*part != none)
        open.push_back({evaluated(*part), false});
  }
  return steps;
}

int operation_count(std::span<Instruction const> program) {
  int count = 0;
  for (auto const& step : program) {
    if (step.opcode == Opcode::integer_power) {
      auto const n = static_cast<unsigned>(std::abs(step.index));
      count += std::bit_width(n) + std::popcount(n) - 2 + (step.index < 0);
    } else if (step.opcode != Opcode::push_variable && step.opcode != Opcode::push_constant &&
               step.opcode != Opcode::store) {
      ++count;
    }
  }
  return count;
}

} // namespace kubature::detail::expression

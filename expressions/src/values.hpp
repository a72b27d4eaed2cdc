#pragma once

#include <kubature/detail/expression/instruction.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kubature::detail::expression::values {

using Id = std::int32_t;
inline constexpr Id none = -1;

inline bool is_one_of(Opcode opcode, Opcode first, Opcode last) { return opcode >= first && opcode <= last; }
inline bool is_arithmetic(Opcode opcode) { return is_one_of(opcode, Opcode::add, Opcode::reverse_divide_constant); }
inline bool is_select(Opcode opcode) { return is_one_of(opcode, Opcode::select, Opcode::select_otherwise_first); }
inline bool is_leaf(Opcode opcode) { return is_one_of(opcode, Opcode::push_variable, Opcode::push_constant); }

/// Exchanges two operands, so that the second is computed first.
inline void exchange(Instruction& step, std::array<Id, 3>& parts) {
  std::swap(parts[0], parts[1]);
  switch (step.opcode) {
  case Opcode::add:
  case Opcode::multiply:
    break;
  case Opcode::subtract:
    step.opcode = Opcode::reverse_subtract;
    break;
  case Opcode::reverse_subtract:
    step.opcode = Opcode::subtract;
    break;
  case Opcode::divide:
    step.opcode = Opcode::reverse_divide;
    break;
  case Opcode::reverse_divide:
    step.opcode = Opcode::divide;
    break;
  default:
    step.swapped = !step.swapped;
  }
}

/// What a program computes, each value once: the values of its steps, numbered in the order of their computation.
class Values {
public:
  struct Value {
    Instruction step;        ///< with all operands on the stack, or a push of a leaf
    std::array<Id, 3> parts; ///< the operands, in the order of their computation
    int uses = 0;            ///< how many other values it is an operand of
  };

  explicit Values(std::span<Instruction const> program) {
    for (auto const& step : program)
      run(step);
    ++values_[last()].uses;
  }

  Id last() const { return stack_.back(); }
  std::vector<Value>& all() { return values_; }

private:
  void run(Instruction step) {
    if (step.opcode == Opcode::store)
      return named_.push_back(last());
    if (step.opcode == Opcode::push_variable && step.index < 0)
      return stack_.push_back(named_[static_cast<std::size_t>(step.constant)]);
    if (is_leaf(step.opcode))
      return push(step, {none, none, none});
    auto operand = step.operand;
    if (is_arithmetic(step.opcode)) {
      int const place = static_cast<int>(step.opcode) - static_cast<int>(Opcode::add);
      operand = static_cast<Operand>(place % 3);
      step.opcode = static_cast<Opcode>(static_cast<int>(Opcode::add) + place / 3 * 3);
    }
    if (operand == Operand::variable || operand == Operand::constant) {
      auto leaf = step;
      leaf.opcode = operand == Operand::variable ? Opcode::push_variable : Opcode::push_constant;
      leaf.operand = Operand::none;
      leaf.swapped = false;
      push(leaf, {none, none, none});
      operand = Operand::stack;
    }
    std::array<Id, 3> parts{none, none, none};
    int const count = takes_from_stack(step.opcode)                             ? step.arguments()
                      : is_select(step.opcode)                                  ? 3
                      : is_arithmetic(step.opcode) || operand == Operand::stack ? 2
                                                                                : 1;
    for (int part = count; part-- > 0;) {
      parts[static_cast<std::size_t>(part)] = last();
      stack_.pop_back();
    }
    if (!is_arithmetic(step.opcode))
      step.operand = operand;
    else if (opcode(parts[0]) == Opcode::push_constant && opcode(parts[1]) == Opcode::push_variable)
      exchange(step, parts); // the order in which steps are merged
    if (step.opcode != Opcode::integer_power)
      step.index = 0;
    if (!is_table(step.opcode))
      step.constant = 0;
    step.constant32 = 0;
    push(step, parts);
  }

  Opcode opcode(Id id) const { return values_[static_cast<std::size_t>(id)].step.opcode; }

  void push(Instruction const& step, std::array<Id, 3> const& parts) {
    Key key{{static_cast<std::uint64_t>(step.opcode) | static_cast<std::uint64_t>(step.swapped) << 8 |
                 static_cast<std::uint64_t>(static_cast<std::uint16_t>(step.index)) << 16,
             std::bit_cast<std::uint64_t>(step.constant), static_cast<std::uint64_t>(parts[0] + 1),
             static_cast<std::uint64_t>(parts[1] + 1), static_cast<std::uint64_t>(parts[2] + 1)}};
    if (step.opcode == Opcode::push_variable) // a constant leaves this open
      key.words[1] = 0;
    if ((step.opcode == Opcode::add || step.opcode == Opcode::multiply) && key.words[2] > key.words[3])
      std::swap(key.words[2], key.words[3]);
    auto const [found, is_new] = known_.try_emplace(key, static_cast<Id>(values_.size()));
    if (is_new) {
      values_.push_back({step, parts});
      for (auto const part : parts)
        if (part != none)
          ++values_[static_cast<std::size_t>(part)].uses;
    }
    stack_.push_back(found->second);
  }

  struct Key {
    std::array<std::uint64_t, 5> words;
    bool operator==(Key const&) const = default;
  };
  struct Hash {
    std::size_t operator()(Key const& key) const {
      std::uint64_t hash = 0;
      for (auto const word : key.words)
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u + (hash >> 29);
      return static_cast<std::size_t>(hash ^ hash >> 32);
    }
  };

  std::vector<Value> values_;
  std::vector<Id> stack_;
  std::vector<Id> named_; ///< the values that the program names
  std::unordered_map<Key, Id, Hash> known_;
};

} // namespace kubature::detail::expression::values

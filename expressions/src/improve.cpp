#include "improve.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace kubature::detail::expression {
namespace {

using Id = std::int32_t;
constexpr Id none = -1;

bool is_one_of(Opcode opcode, Opcode first, Opcode last) { return opcode >= first && opcode <= last; }
bool is_arithmetic(Opcode opcode) { return is_one_of(opcode, Opcode::add, Opcode::reverse_divide_constant); }
bool is_select(Opcode opcode) { return is_one_of(opcode, Opcode::select, Opcode::select_otherwise_first); }
bool is_leaf(Opcode opcode) { return is_one_of(opcode, Opcode::push_variable, Opcode::push_constant); }

/// Exchanges two operands, so that the second is computed first.
void exchange(Instruction& step, std::array<Id, 3>& parts) {
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
    int const count = is_select(step.opcode) ? 3 : is_arithmetic(step.opcode) || operand == Operand::stack ? 2 : 1;
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
    step.constant = 0;
    step.constant32 = 0;
    push(step, parts);
  }

  Opcode opcode(Id id) const { return values_[static_cast<std::size_t>(id)].step.opcode; }

  void push(Instruction const& step, std::array<Id, 3> const& parts) {
    Key key{{static_cast<std::uint64_t>(step.opcode) | static_cast<std::uint64_t>(step.swapped) << 8 |
                 static_cast<std::uint64_t>(static_cast<std::uint8_t>(step.index)) << 16,
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
  std::unordered_map<Key, Id, Hash> known_;
};

/// Collects steps, and replaces several by one equivalent step.
class Output {
public:
  void add(Instruction step) {
    if (step.opcode == Opcode::divide_constant)
      multiply_instead(step);
    if (!steps_.empty() && joined(step))
      return;
    steps_.push_back(step);
  }
  std::vector<Instruction> take() { return std::move(steps_); }

private:
  /// Division by a power of two, whose reciprocal is exact in all precisions, becomes multiplication by the reciprocal.
  static void multiply_instead(Instruction& step) {
    int exponent = 0;
    if (std::abs(std::frexp(step.constant, &exponent)) != 0.5 || std::abs(exponent - 1) > 14)
      return;
    step.opcode = Opcode::multiply_constant;
    set(step, 1 / step.constant);
  }
  static void set(Instruction& step, double constant) {
    step.constant = constant;
    step.constant32 = static_cast<float>(constant);
  }

  bool joined(Instruction const& step) {
    auto& before = steps_.back();
    if (step.opcode == Opcode::negate)
      return negated(before);
    if (before.opcode == Opcode::push_variable)
      return leaf_with_constant(before, step);
    bool const squared = step.opcode == Opcode::square,
               taken_from_zero = step.opcode == Opcode::abs && step.operand == Operand::none;
    if (squared || taken_from_zero) {
      auto const form = squared ? Opcode::push_square : Opcode::push_distance;
      // (c - u)^2 is (u - c)^2, and |c - u| is |u - c|
      if (before.opcode == Opcode::reverse_subtract_constant && steps_.size() > 1 &&
          steps_[steps_.size() - 2].opcode == Opcode::push_variable) {
        double const constant = -before.constant;
        steps_.pop_back();
        set(steps_.back(), constant);
        steps_.back().opcode = form;
        return true;
      }
      if (before.opcode == Opcode::push_shifted) {
        before.opcode = form;
        return true;
      }
      return false;
    }
    return onto_below(before, step.opcode);
  }

  static bool negated(Instruction& before) {
    if (before.opcode != Opcode::multiply_constant && before.opcode != Opcode::divide_constant &&
        before.opcode != Opcode::push_scaled)
      return false;
    set(before, -before.constant);
    return true;
  }

  /// Merges a variable with a following step that makes a form of it.
  static bool leaf_with_constant(Instruction& variable, Instruction const& step) {
    switch (step.opcode) {
    case Opcode::add_constant:
      variable.opcode = Opcode::push_shifted;
      set(variable, step.constant);
      return true;
    case Opcode::subtract_constant:
      variable.opcode = Opcode::push_shifted;
      set(variable, -step.constant);
      return true;
    case Opcode::multiply_constant:
      variable.opcode = Opcode::push_scaled;
      set(variable, step.constant);
      return true;
    case Opcode::square:
      variable.opcode = Opcode::push_square;
      set(variable, 0);
      return true;
    case Opcode::abs:
      variable.opcode = Opcode::push_distance;
      set(variable, 0);
      return true;
    default:
      return false;
    }
  }

  /// Merges a push of a form with a following step that combines it with the value below.
  static bool onto_below(Instruction& before, Opcode step) {
    constexpr Opcode joins[] = {Opcode::add, Opcode::subtract, Opcode::multiply};
    for (auto const push : {Opcode::push_shifted, Opcode::push_scaled, Opcode::push_square, Opcode::push_distance})
      for (int join = 0; join < 3; ++join)
        if (before.opcode == push && step == joins[join]) {
          before.opcode = static_cast<Opcode>(static_cast<int>(push) + 1 + join);
          return true;
        }
    return false;
  }

  std::vector<Instruction> steps_;
};

/// Writes the program that computes the values, those that are used several times only once.
class Writer {
public:
  Writer(std::vector<Values::Value>& values, int first, int most) : values_(values), place_(values.size(), none) {
    choose(first, most);
  }

  std::vector<Instruction> write(Id root) {
    open_.push_back({root, 0});
    while (!open_.empty()) {
      auto const [id, part] = open_.back();
      open_.pop_back();
      go_on(id, part);
    }
    return steps_.take();
  }

private:
  /// A value, and how many of its operands are on the stack.
  struct Visit {
    Id id;
    std::size_t part;
  };

  Values::Value const& value(Id id) const { return values_[static_cast<std::size_t>(id)]; }

  /// Whether a value needs one step from a variable and a constant, so that storing it would save nothing.
  bool is_form(Id id) const {
    auto const& of = value(id);
    auto const is_leaf_part = [&](Id part) { return part == none || is_leaf(value(part).step.opcode); };
    bool const of_leaves = std::all_of(of.parts.begin(), of.parts.end(), is_leaf_part);
    if (of.step.opcode == Opcode::square || of.step.opcode == Opcode::abs)
      return of_leaves || (!is_leaf_part(of.parts[0]) && is_form(of.parts[0], Opcode::add, Opcode::reverse_subtract));
    return is_form(id, Opcode::add, Opcode::multiply);
  }
  bool is_form(Id id, Opcode first, Opcode last) const {
    auto const& of = value(id);
    if (!is_one_of(of.step.opcode, first, last) || is_select(of.step.opcode))
      return false;
    auto const a = value(of.parts[0]).step.opcode, b = value(of.parts[1]).step.opcode;
    return a == Opcode::push_variable && b == Opcode::push_constant;
  }

  /// Chooses the values to store: those that save most steps.
  void choose(int first, int most) {
    std::vector<std::int64_t> steps(values_.size()); // the steps that each value needs if nothing is stored
    std::vector<std::pair<std::int64_t, Id>> saved;
    for (Id id = 0; id < static_cast<Id>(values_.size()); ++id) {
      auto& own = steps[static_cast<std::size_t>(id)];
      own = 1;
      for (auto const part : value(id).parts)
        if (part != none)
          own = std::min(own + steps[static_cast<std::size_t>(part)], std::int64_t{1} << 40);
      if (value(id).uses > 1 && !is_leaf(value(id).step.opcode) && !is_form(id))
        saved.emplace_back((value(id).uses - 1) * (own - 1), id);
    }
    auto const count = std::min(saved.size(), static_cast<std::size_t>(std::max(most, 0)));
    std::partial_sort(
        saved.begin(), saved.begin() + static_cast<std::ptrdiff_t>(count), saved.end(),
        [](auto const& a, auto const& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
    for (std::size_t k = 0; k < count; ++k)
      place_[static_cast<std::size_t>(saved[k].second)] = first + static_cast<int>(k);
  }

  void go_on(Id id, std::size_t part) {
    auto& of = values_[static_cast<std::size_t>(id)];
    if (is_leaf(of.step.opcode))
      return steps_.add(of.step);
    auto const count = static_cast<std::size_t>(std::find(of.parts.begin(), of.parts.end(), none) - of.parts.begin());
    if (part == 0 && count == 2 && is_leaf_now(of.parts[0]) && !is_leaf_now(of.parts[1]))
      exchange(of.step, of.parts);
    if (part + 1 < count || part == 0 || (part < count && !is_leaf_now(of.parts[part]))) {
      open_.push_back({id, part + 1});
      open_.push_back({of.parts[part], 0});
      return;
    }
    auto step = of.step;
    if (part < count)
      take(step, value(of.parts[part]).step);
    steps_.add(step);
    if (int const place = place_[static_cast<std::size_t>(id)]; place != none) { // from now on it is a variable
      Instruction variable;
      variable.index = static_cast<std::int8_t>(place);
      variable.opcode = Opcode::store;
      steps_.add(variable);
      variable.opcode = Opcode::push_variable;
      of = {variable, {none, none, none}};
    }
  }

  bool is_leaf_now(Id id) const { return is_leaf(value(id).step.opcode); }

  /// Makes a leaf the last operand of a step.
  static void take(Instruction& step, Instruction const& leaf) {
    auto const operand = leaf.opcode == Opcode::push_variable ? Operand::variable : Operand::constant;
    if (is_arithmetic(step.opcode))
      step.opcode = static_cast<Opcode>(static_cast<int>(step.opcode) + static_cast<int>(operand));
    else
      step.operand = operand;
    step.index = leaf.index;
    step.constant = leaf.constant;
    step.constant32 = leaf.constant32;
  }

  std::vector<Values::Value>& values_;
  std::vector<int> place_; ///< where a value is to be stored; `none` if it is not, or already is
  std::vector<Visit> open_;
  Output steps_;
};

} // namespace

std::vector<Instruction> improve(std::span<Instruction const> program, int first, int most) {
  Values values(program);
  auto const root = values.last();
  return Writer(values.all(), first, most).write(root);
}

bool stores(std::span<Instruction const> program) {
  return std::any_of(program.begin(), program.end(), [](auto const& step) { return step.opcode == Opcode::store; });
}

} // namespace kubature::detail::expression

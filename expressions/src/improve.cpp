#include "improve.hpp"

#include "values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace kubature::detail::expression {
namespace {

using values::exchange, values::Id, values::none, values::Values;
using values::is_arithmetic, values::is_leaf, values::is_one_of, values::is_select;

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
  /// @param reuse whether places are used again after the last use of what is stored there
  Writer(std::vector<Values::Value> values, int first, int most, bool reuse)
      : values_(std::move(values)), place_(values_.size(), none), first_(first) {
    if (reuse)
      free_.resize(static_cast<std::size_t>(most), true);
    choose(reuse ? static_cast<int>(values_.size()) : most);
  }

  /// The number of steps, without those that store, as far as it is below `limit`.
  std::int64_t length(Id root, std::int64_t limit) const {
    std::vector<std::int64_t> steps(values_.size());
    std::int64_t stored = 0;
    for (Id id = 0; id < static_cast<Id>(values_.size()); ++id) {
      auto& own = steps[static_cast<std::size_t>(id)];
      own = 1;
      for (auto const part : value(id).parts)
        if (part != none)
          own = std::min(
              limit,
              own + (place_[static_cast<std::size_t>(part)] != none ? 1 : steps[static_cast<std::size_t>(part)]));
      if (place_[static_cast<std::size_t>(id)] != none)
        stored = std::min(limit, stored + own);
    }
    return std::min(limit, stored + steps[static_cast<std::size_t>(root)]);
  }

  /// The program, or nothing if there is no free place for a value.
  std::vector<Instruction> write(Id root) {
    open_.push_back({root, 0});
    while (!open_.empty()) {
      auto const [id, part] = open_.back();
      open_.pop_back();
      if (!go_on(id, part))
        return {};
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
  void choose(int most) {
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
      place_[static_cast<std::size_t>(saved[k].second)] = first_ + static_cast<int>(k);
  }

  /// Takes the next step of a visit; false if a value finds no place.
  bool go_on(Id id, std::size_t part) {
    auto& of = values_[static_cast<std::size_t>(id)];
    if (is_leaf(of.step.opcode)) {
      steps_.add(of.step);
      used(id);
      return true;
    }
    auto const count = static_cast<std::size_t>(std::find(of.parts.begin(), of.parts.end(), none) - of.parts.begin());
    bool const on_stack = takes_from_stack(of.step.opcode); // with all operands
    if (part == 0 && count == 2 && !on_stack && is_leaf_now(of.parts[0]) && !is_leaf_now(of.parts[1]))
      exchange(of.step, of.parts);
    if (part + 1 < count || part == 0 || (part < count && (on_stack || !is_leaf_now(of.parts[part])))) {
      open_.push_back({id, part + 1});
      open_.push_back({of.parts[part], 0});
      return true;
    }
    auto step = of.step;
    if (part < count)
      take(step, value(of.parts[part]).step);
    steps_.add(step);
    if (part < count)
      used(of.parts[part]);
    if (int& place = place_[static_cast<std::size_t>(id)]; place != none) { // from now on it is a variable
      if (!free_.empty()) {
        auto const found = std::find(free_.begin(), free_.end(), true);
        if (found == free_.end())
          return false;
        *found = false;
        place = first_ + static_cast<int>(found - free_.begin());
      }
      Instruction variable;
      variable.index = static_cast<std::int16_t>(place);
      variable.opcode = Opcode::store;
      steps_.add(variable);
      variable.opcode = Opcode::push_variable;
      of = {variable, {none, none, none}, of.uses};
      used(id); // what follows `store` finds it on the stack
    }
    return true;
  }

  /// Counts a use of a value; the last one frees the place of a stored one.
  void used(Id id) {
    auto& uses = values_[static_cast<std::size_t>(id)].uses;
    int const place = place_[static_cast<std::size_t>(id)];
    if (!free_.empty() && place != none && --uses == 0)
      free_[static_cast<std::size_t>(place - first_)] = true;
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

  std::vector<Values::Value> values_;
  std::vector<int> place_; ///< where a value is to be stored; `none` if it is not, or already is
  int first_;
  std::vector<bool> free_; ///< the places, if they are used again
  std::vector<Visit> open_;
  Output steps_;
};

/// The number of places on the stack that the program takes.
int stack_need(std::span<Instruction const> program) {
  int depth = 0, need = 0;
  for (auto const& step : program) {
    auto const op = step.opcode;
    bool const pushes = is_leaf(op) || op == Opcode::push_shifted || op == Opcode::push_scaled ||
                        op == Opcode::push_square || op == Opcode::push_distance;
    bool const takes = is_arithmetic(op) ? (static_cast<int>(op) - static_cast<int>(Opcode::add)) % 3 == 0
                                         : step.operand == Operand::stack;
    depth += pushes ? 1 : 0;
    need = std::max(need, depth);
    depth -= takes_from_stack(op) ? step.arguments() - 1 : (takes ? 1 : 0) + (is_select(op) ? 1 : 0);
  }
  return need;
}

} // namespace

std::vector<Instruction> improve(std::span<Instruction const> program, int first, int most) {
  Values values(program);
  auto const root = values.last();
  if (!stores(program))
    return Writer(std::move(values.all()), first, most, false).write(root);
  auto improved = Writer(values.all(), first, most, true).write(root);
  if (improved.empty()) {
    constexpr std::int64_t longest = 100'000;
    Writer writer(std::move(values.all()), first, most, false);
    if (writer.length(root, longest) == longest)
      return {};
    improved = writer.write(root);
  }
  return stack_need(improved) > stack_size ? std::vector<Instruction>{} : improved;
}

std::vector<Instruction> improve(Source const& source, std::size_t offset, std::span<Instruction const> program,
                                 int first) {
  auto improved = improve(program, first);
  if (improved.empty())
    source.fail(offset, "too many intermediate results at once: " + std::to_string(stack_size) + ", and " +
                            std::to_string(max_stored) + " that are used again, are possible");
  return improved;
}

bool stores(std::span<Instruction const> program) {
  return std::any_of(program.begin(), program.end(), [](auto const& step) { return step.opcode == Opcode::store; });
}

} // namespace kubature::detail::expression

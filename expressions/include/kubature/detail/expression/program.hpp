#pragma once

#include <kubature/detail/expression/instruction.hpp>
#include <kubature/error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kubature::detail::expression {

/// A table that was read from a file (expressions/src/file_table.hpp).
struct FileTable;
/// Tables that instructions point to, as their owners hold them.
using FileTables = std::vector<std::shared_ptr<FileTable const>>;

/// A compiled expression: the instructions of the whole, followed, if it is a sum, by those of each term.
class Program {
public:
  /// @param tables those that the instructions point to
  explicit Program(std::vector<Instruction> whole, FileTables tables)
      : instructions_(std::move(whole)), length_(size()), owned_tables_(std::move(tables)) {}

  /// Adds a term, whose tables are those of the whole.
  void add_term(std::span<Instruction const> term) {
    if (term_begin_.empty())
      term_begin_.push_back(size());
    instructions_.insert(instructions_.end(), term.begin(), term.end());
    term_begin_.push_back(size());
  }

  std::span<Instruction const> whole() const {
    return std::span(instructions_).first(static_cast<std::size_t>(length_));
  }
  /// The steps of term k, 0 <= k < terms(); an expression that is not a sum is its only term.
  std::span<Instruction const> term(int k) const {
    if (term_begin_.empty())
      return whole();
    auto const begin = term_begin_[static_cast<std::size_t>(k)], end = term_begin_[static_cast<std::size_t>(k) + 1];
    return std::span(instructions_).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }
  /// The whole alone.
  Program without_terms() const { return Program({whole().begin(), whole().end()}, owned_tables_); }
  /// Adds the first term of another program.
  void add_term(Program const& other) {
    add_term(other.term(0));
    owned_tables_.insert(owned_tables_.end(), other.owned_tables_.begin(), other.owned_tables_.end());
  }
  /// The instructions of the whole, then those of the terms.
  std::vector<Instruction> const& instructions() const { return instructions_; }
  int terms() const { return term_begin_.empty() ? 1 : static_cast<int>(term_begin_.size()) - 1; }
  /// The tables that steps read, on the host, each once.
  std::vector<TableGrid const*> tables() const {
    std::vector<TableGrid const*> tables;
    for (auto const& step : instructions_)
      if (is_table(step.opcode) && std::ranges::find(tables, step.table()) == tables.end())
        tables.push_back(step.table());
    return tables;
  }
  /// Whether any step is a special function or a table.
  bool calls_special_functions() const {
    return std::ranges::any_of(instructions_, [](auto const& step) { return is_special(step.opcode); });
  }
  /// Whether any step takes all its arguments from the stack: a function of a distribution, or a table.
  bool takes_from_stack() const {
    return std::ranges::any_of(instructions_,
                               [](auto const& step) { return expression::takes_from_stack(step.opcode); });
  }
  /// Throws InvalidArgument if it calls any special function in a memory that hosts do not reach: kernels there have no
  /// such functions.
  template <class MemorySpace>
  void check_on(std::string const& text) const {
    if constexpr (!Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible)
      require(!calls_special_functions(), "EXPR", text,
              "kernels of a GPU evaluate special functions and tables in batches alone, by batched() and "
              "ExpressionsInBatches",
              std::source_location::current());
  }
  /// Where each term begins, and where the last one ends; empty if there are no terms.
  std::vector<int> const& term_begin() const { return term_begin_; }

private:
  int size() const {
    require(instructions_.size() <= std::numeric_limits<int>::max(), "number of instructions", instructions_.size(),
            "an expression has fewer than 2^31 of them, all terms included");
    return static_cast<int>(instructions_.size());
  }

  std::vector<Instruction> instructions_;
  int length_; ///< of the whole
  std::vector<int> term_begin_;
  FileTables owned_tables_;
};

/// A program as kernels read it: its arrays, and the tables that it reads, are in one allocation, so that each further
/// one costs no more than a copy.
template <class MemorySpace>
class DeviceProgram {
  template <class T>
  using Array = Kokkos::View<T const*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged | Kokkos::RandomAccess>>;

public:
  /// The upload runs on `exec` and is complete on return.
  template <class ExecutionSpace>
  DeviceProgram(ExecutionSpace const& exec, Program const& program)
      : length_(static_cast<int>(program.whole().size())), terms_(program.terms()) {
    auto steps = program.instructions();
    auto const tables = program.tables();
    std::vector<TableGrid> grids;
    std::size_t numbers = 0;
    for (auto const* table : tables) {
      grids.push_back(*table);
      numbers += table->node_count() + table->value_count();
    }
    memory_ = Kokkos::View<std::byte*, MemorySpace>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "kubature::expression::program"),
        steps.size() * sizeof(Instruction) + grids.size() * sizeof(TableGrid) + numbers * sizeof(double) +
            program.term_begin().size() * sizeof(int));
    auto* const first_step = reinterpret_cast<Instruction*>(memory_.data());
    auto* const first_grid = reinterpret_cast<TableGrid*>(first_step + steps.size());
    auto* number = reinterpret_cast<double*>(first_grid + grids.size());
    for (auto& grid : grids) {
      auto const nodes = grid.node_count(), values = grid.value_count();
      grid.nodes = uploaded(exec, number, std::span(grid.nodes, nodes)).data();
      grid.values = uploaded(exec, number + nodes, std::span(grid.values, values)).data();
      number += nodes + values;
    }
    if (!grids.empty())
      uploaded(exec, first_grid, std::span<TableGrid const>(grids));
    for (auto& step : steps)
      if (is_table(step.opcode))
        step.set_table(first_grid + (std::ranges::find(tables, step.table()) - tables.begin()));
    instructions_ = uploaded(exec, first_step, std::span<Instruction const>(steps));
    term_begin_ = uploaded(exec, reinterpret_cast<int*>(number), std::span<int const>(program.term_begin()));
    exec.fence("kubature::expression::upload");
  }

  KOKKOS_FUNCTION Array<Instruction> const& instructions() const { return instructions_; }
  KOKKOS_FUNCTION Steps whole() const { return {0, length_}; }
  KOKKOS_FUNCTION int terms() const { return terms_; }
  /// The steps of term k, 0 <= k < terms(); an expression that is not a sum is its only term.
  KOKKOS_FUNCTION Steps term(int k) const {
    return term_begin_.extent(0) == 0 ? whole() : Steps{term_begin_[k], term_begin_[k + 1]};
  }

private:
  template <class ExecutionSpace, class T>
  static Array<T> uploaded(ExecutionSpace const& exec, T* to, std::span<T const> values) {
    Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const from(values.data(),
                                                                                                  values.size());
    Kokkos::View<T*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const array(to, values.size());
    Kokkos::deep_copy(exec, array, from);
    return array;
  }

  Kokkos::View<std::byte*, MemorySpace> memory_;
  Array<Instruction> instructions_;
  Array<int> term_begin_;
  int length_, terms_;
};

} // namespace kubature::detail::expression

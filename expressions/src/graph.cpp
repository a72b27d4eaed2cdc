#include "graph.hpp"

#include "file_table.hpp"
#include "limits.hpp"
#include "printed.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace kubature::detail::expression {

Graph::Id Graph::add(Node node) {
  node.nonnegative = is_nonnegative(node);
  Key const key{node.opcode, node.parts, std::bit_cast<std::uint64_t>(node.value), node.axis, node.table};
  auto const [found, is_new] = known_.try_emplace(key, size());
  if (is_new)
    nodes_.push_back(node);
  return found->second;
}

Graph::Id Graph::constant(double value) { return add(Node{.value = value}); }

Graph::Id Graph::variable(int axis) { return add(Node{.opcode = Opcode::push_variable, .axis = axis}); }

Graph::Id Graph::apply(Opcode opcode, Id a, Id b, Id c, FileTable const* table) {
  return add(Node{.opcode = opcode, .parts = {a, b, c}, .table = table, .exponent = opcode == Opcode::exp ? a : none});
}

bool Graph::is_nonnegative(Node const& node) const {
  auto const known = [&](int part) { return (*this)[node.parts[static_cast<std::size_t>(part)]].nonnegative; };
  switch (node.opcode) {
  case Opcode::push_constant:
    return node.value >= 0;
  case Opcode::square:
  case Opcode::exp:
  case Opcode::exp2:
  case Opcode::abs:
  case Opcode::sqrt:
  case Opcode::rsqrt:
  case Opcode::hypot:
  case Opcode::cosh:
  case Opcode::less:
  case Opcode::less_equal:
  case Opcode::erfc:
  case Opcode::normpdf:
  case Opcode::normcdf:
    return true;
  case Opcode::multiply:
    return node.parts[0] == node.parts[1] || (known(0) && known(1));
  case Opcode::add:
  case Opcode::divide:
  case Opcode::min:
    return known(0) && known(1);
  case Opcode::max:
    return known(0) || known(1);
  case Opcode::select:
    return known(1) && known(2);
  case Opcode::pow: {
    auto const& exponent = (*this)[node.parts[1]];
    bool const even = exponent.opcode == Opcode::push_constant && std::fmod(exponent.value, 2) == 0;
    return known(0) || even;
  }
  default:
    return false;
  }
}

Graph::Id Graph::add(Id a, Id b) {
  if (are_constant(a, b))
    return constant((*this)[a].value + (*this)[b].value);
  return is(a, 0) ? b : is(b, 0) ? a : apply(Opcode::add, a, b);
}

Graph::Id Graph::subtract(Id a, Id b) {
  if (are_constant(a, b))
    return constant((*this)[a].value - (*this)[b].value);
  return is(b, 0) ? a : is(a, 0) ? negate(b) : apply(Opcode::subtract, a, b);
}

Graph::Id Graph::negate(Id a) {
  auto const& node = (*this)[a];
  if (node.opcode == Opcode::push_constant)
    return constant(node.value == 0 ? 0 : -node.value);
  return node.opcode == Opcode::negate ? node.parts[0] : apply(Opcode::negate, a);
}

Graph::Id Graph::multiply(Id a, Id b) {
  if (are_constant(a, b))
    return constant((*this)[a].value * (*this)[b].value);
  if (is(a, 0) || is(b, 0))
    return constant(0);
  return is(a, 1) ? b : is(b, 1) ? a : is(a, -1) ? negate(b) : is(b, -1) ? negate(a) : joined(Opcode::multiply, a, b);
}

Graph::Id Graph::divide(Id a, Id b) {
  if (are_constant(a, b))
    return constant((*this)[a].value / (*this)[b].value);
  return is(a, 0) && !is(b, 0) ? a : is(b, 1) ? a : joined(Opcode::divide, a, b);
}

// As Tree::product: exp(2 x) exp(-x^2 / 2) would be infinity times zero from x = 355 on.
Graph::Id Graph::joined(Opcode opcode, Id a, Id b) {
  Id const e = (*this)[a].exponent, f = (*this)[b].exponent;
  if (e == none && f == none)
    return apply(opcode, a, b);
  auto const rest = [&](Id id, Id exponent) {
    return exponent == none ? id : (*this)[id].rest == none ? constant(1) : (*this)[id].rest;
  };
  bool const product = opcode == Opcode::multiply;
  Id const left = rest(a, e), right = rest(b, f);
  Id const others = product ? multiply(left, right) : divide(left, right);
  Id const exponent = f == none ? e : e == none ? (product ? f : negate(f)) : product ? add(e, f) : subtract(e, f);
  Id const result =
      e != none && f != none ? apply(Opcode::multiply, others, apply(Opcode::exp, exponent)) : apply(opcode, a, b);
  nodes_[static_cast<std::size_t>(result)].exponent = exponent;
  nodes_[static_cast<std::size_t>(result)].rest = others;
  return result;
}

Graph::Id Graph::power(Id a, Id b) { return is(b, 1) ? a : is(b, 2) ? square(a) : apply(Opcode::pow, a, b); }

Graph::Id Graph::select(Id condition, Id then, Id otherwise) {
  return then == otherwise ? then : apply(Opcode::select, condition, then, otherwise);
}

std::string Graph::text(Node const& node, std::span<std::string const> variables, std::vector<std::string>& texts,
                        std::span<int const> uses) const {
  auto const part = [&](std::size_t k) {
    auto const id = static_cast<std::size_t>(node.parts[k]);
    return uses[id] > 1 ? texts[id] : std::move(texts[id]);
  };
  if (node.opcode == Opcode::push_constant)
    return printed(node.value);
  if (node.opcode == Opcode::push_variable)
    return variables[static_cast<std::size_t>(node.axis)];
  if (node.opcode == Opcode::select) {
    auto const condition = part(0), then = part(1);
    return "if(" + condition + "," + then + "," + part(2) + ")";
  }
  if (node.opcode == Opcode::square)
    return "(" + part(0) + "^2)";
  if (node.opcode == Opcode::negate || node.opcode == Opcode::logical_not)
    return (node.opcode == Opcode::negate ? "(-" : "(!") + part(0) + ")";
  if (auto const symbol = operator_name(node.opcode); !symbol.empty()) {
    auto text = "(" + part(0);
    text.append(symbol).append(part(1));
    return text + ")";
  }
  std::string text(function_name(node.opcode));
  text += "(";
  if (node.table) {
    auto const quote = quote_of(*node.table);
    text.append(quote).append(node.table->file).append(quote).append(",");
  }
  for (std::size_t k = 0; k < node.parts.size() && node.parts[k] != none; ++k)
    text.append(k > 0 ? "," : "").append(part(k));
  return text + ")";
}

std::string Graph::text(std::span<Id const> roots, std::span<std::string const> variables) const {
  std::vector<int> uses(nodes_.size());
  for (auto const root : roots)
    ++uses[static_cast<std::size_t>(root)];
  for (auto id = nodes_.size(); id-- > 0;)
    if (uses[id] > 0)
      for (auto const part : nodes_[id].parts)
        if (part != none)
          ++uses[static_cast<std::size_t>(part)];
  std::string prefix = "_";
  while (std::ranges::any_of(variables, [&](auto const& name) { return name.starts_with(prefix); }))
    prefix += "_";
  std::string all;
  std::vector<std::string> texts(nodes_.size());
  int names = 0;
  for (std::size_t id = 0; id < nodes_.size(); ++id) {
    auto const& node = nodes_[id];
    if (uses[id] == 0)
      continue;
    texts[id] = text(node, variables, texts, uses);
    if (uses[id] == 1 || node.opcode == Opcode::push_constant || node.opcode == Opcode::push_variable)
      continue;
    auto const name = prefix + std::to_string(++names);
    all.append("let ").append(name).append("=").append(texts[id]).append(";");
    texts[id] = name;
    check_length(all, std::source_location::current());
  }
  for (auto const root : roots)
    all.append(texts[static_cast<std::size_t>(root)]).append(";");
  all.pop_back();
  return all;
}

std::vector<bool> reached(Tree const& tree, std::span<Tree::Id const> roots) {
  std::vector<bool> reached(static_cast<std::size_t>(tree.size()));
  std::vector<Tree::Id> open(roots.begin(), roots.end());
  while (!open.empty()) {
    auto const id = open.back();
    open.pop_back();
    if (reached[static_cast<std::size_t>(id)])
      continue;
    reached[static_cast<std::size_t>(id)] = true;
    if (tree.is_constant(id) || tree.written(id).opcode == Opcode::push_variable)
      continue;
    for (auto const part : parts_of(tree.written(id)))
      if (part != Tree::none)
        open.push_back(part);
  }
  return reached;
}

std::array<Tree::Id, 3> parts_of(Tree::Written const& written) {
  if (written.opcode == Opcode::select)
    return {written.condition, written.left, written.right};
  return {written.left, written.right, written.condition};
}

Graph::Id copied(Graph& graph, Tree::Written const& written, std::array<Graph::Id, 3> const& parts) {
  auto const [a, b, c] = parts;
  switch (written.opcode) {
  case Opcode::store:
    return a;
  case Opcode::add:
    return graph.add(a, b);
  case Opcode::subtract:
    return graph.subtract(a, b);
  case Opcode::multiply:
    return graph.multiply(a, b);
  case Opcode::divide:
    return graph.divide(a, b);
  case Opcode::negate:
    return graph.negate(a);
  case Opcode::pow:
    return graph.power(a, b);
  default:
    return graph.apply(written.opcode, a, b, c, written.table);
  }
}

} // namespace kubature::detail::expression

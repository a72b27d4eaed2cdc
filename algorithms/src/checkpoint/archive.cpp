#include <kubature/detail/checkpoint/archive.hpp>

#include <algorithm>
#include <charconv>

namespace kubature::detail {
namespace {

constexpr std::string_view file_kind = "kubature-checkpoint ";
/// Its bytes are 1, 2, 3, 4 in a file.
constexpr std::uint32_t order_mark = 0x04030201;
constexpr std::size_t order_bytes = sizeof(std::uint32_t), size_bytes = sizeof(std::uint64_t),
                      sum_bytes = sizeof(std::uint64_t);

std::string heading(std::string_view method) {
  return std::string(file_kind) + std::to_string(Archive::layout) + ' ' + std::string(method) + '\n';
}

} // namespace

Archive::Archive(std::string contents, std::string_view method, std::string const& file, std::source_location where)
    : loading_(true), bytes_(std::move(contents)), file_(file), where_(where) {
  auto const refuse_unless = [&](bool holds, std::string const& problem) {
    require(holds, "file", file, problem, where);
  };
  std::string_view const text(bytes_);
  refuse_unless(text.starts_with(file_kind), "this is not a checkpoint of kubature");
  int found = 0;
  std::from_chars(text.data() + file_kind.size(), text.data() + text.size(), found);
  refuse_unless(found == layout, "its layout has version " + std::to_string(found) + ", but only version " +
                                     std::to_string(layout) + " is known");
  auto const expected = heading(method);
  refuse_unless(text.starts_with(expected), "it is not a checkpoint of " + std::string(method));

  at_ = expected.size();
  end_ = bytes_.size();
  expect(left() >= order_bytes + size_bytes + sum_bytes, "it ends too early");
  expect(take<std::uint32_t>() == order_mark, "its byte order is wrong");
  auto const size = take<std::uint64_t>();
  end_ -= sum_bytes;
  expect(size == left(), "it ends too early or continues beyond its end");
  expect(get<std::uint64_t>(end_) == check_sum(at_, end_), "its checksum does not match");
}

std::string Archive::save(std::string_view method) const {
  std::string result = heading(method);
  result.reserve(result.size() + order_bytes + size_bytes + bytes_.size() + sum_bytes);
  put(result, order_mark);
  put(result, static_cast<std::uint64_t>(bytes_.size()));
  result += bytes_;
  put(result, check_sum(0, bytes_.size()));
  return result;
}

std::uint64_t Archive::count(std::uint64_t elements, std::size_t bytes) {
  transfer(elements);
  expect(elements <= left() / bytes, "it ends too early");
  return elements;
}

void Archive::transfer(std::string& text) {
  auto const size = count(text.size(), 1);
  if (loading_) {
    text = bytes_.substr(at_, size);
    at_ += size;
  } else {
    bytes_ += text;
  }
}

/// FNV-1a over words of eight bytes; the last word is padded with zeros.
std::uint64_t Archive::check_sum(std::size_t begin, std::size_t end) const {
  std::uint64_t sum = 0xcbf29ce484222325u;
  auto const add = [&](std::uint64_t word) { sum = (sum ^ word) * 0x100000001b3u; };
  std::size_t at = begin;
  for (; end - at >= sizeof(std::uint64_t); at += sizeof(std::uint64_t))
    add(get<std::uint64_t>(at));
  if (at < end)
    add(get<std::uint64_t>(at, end - at));
  return sum;
}

} // namespace kubature::detail

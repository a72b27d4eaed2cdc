#pragma once

#include <kubature/error.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kubature::detail {

/// Values as bytes, one after the other, and back: an Archive that was filled in is saved with its heading and a check
/// sum, and one that was loaded gives the values back in the same order, through the same calls.
class Archive {
public:
  Archive() = default;
  /// @param contents of a file; throws InvalidArgument, with its name, unless save() has made them with this heading
  Archive(std::string_view contents, std::string_view heading, std::string const& file, std::source_location where)
      : loading_(true) {
    std::uint64_t sum = 0;
    bool const mine = contents.size() >= heading.size() + sizeof(sum) && contents.starts_with(heading);
    require(mine, "file", file, "this is no file of '" + std::string(heading.substr(0, heading.find('\n'))) + "'",
            where);
    bytes_ = contents.substr(heading.size(), contents.size() - heading.size() - sizeof(sum));
    std::memcpy(&sum, contents.data() + contents.size() - sizeof(sum), sizeof(sum));
    require(sum == check_sum(), "file", file, "the file is damaged", where);
  }

  bool loading() const { return loading_; }

  /// The heading, the bytes and their check sum.
  std::string save(std::string_view heading) const {
    std::uint64_t const sum = check_sum();
    std::string result(heading);
    result += bytes_;
    result.append(reinterpret_cast<char const*>(&sum), sizeof(sum));
    return result;
  }

  template <class T>
    requires std::is_trivially_copyable_v<T>
  void transfer(T& value) {
    transfer(&value, sizeof(T));
  }
  template <class T>
  void transfer(std::vector<T>& values) {
    std::uint64_t count = values.size();
    transfer(count);
    values.resize(count);
    transfer(values.data(), count * sizeof(T));
  }
  void transfer(std::string& text) {
    std::uint64_t count = text.size();
    transfer(count);
    text.resize(count);
    transfer(text.data(), count);
  }

private:
  void transfer(void* data, std::size_t size) {
    if (loading_)
      std::memcpy(data, bytes_.data() + at_, size);
    else
      bytes_.append(static_cast<char const*>(data), size);
    at_ += size;
  }

  /// FNV-1a, over words.
  std::uint64_t check_sum() const {
    std::uint64_t sum = 0xcbf29ce484222325u;
    for (std::size_t at = 0; at < bytes_.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes_.data() + at, std::min(sizeof(word), bytes_.size() - at));
      sum = (sum ^ word) * 0x100000001b3u;
    }
    return sum;
  }

  bool loading_ = false;
  std::string bytes_;
  std::size_t at_ = 0;
};

} // namespace kubature::detail

#pragma once

#include <kubature/error.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kubature::detail {

/// A number that an archive holds: its bytes, lowest first, on any machine; a bool is a byte, 0 or 1.
template <class T>
concept Storable = std::same_as<T, bool> || std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t> ||
                   std::same_as<T, float> || std::same_as<T, double>;

/// The contents of a checkpoint, as docs/files.md describes them: numbers converted to bytes, one after the other
/// without gaps, and back. An Archive that was filled is saved with a heading and a checksum; one that was loaded
/// returns the values in the same order, through the same calls. Nothing in a file is trusted: every number of elements
/// is compared with the bytes that are left before memory is allocated for them.
class Archive {
public:
  static constexpr int layout = 2;

  Archive() = default;
  /// @param contents of the file
  /// @param method   whose checkpoint it must be
  /// Throws InvalidArgument, with the file's name, unless save() has written them for this method, in this layout.
  Archive(std::string contents, std::string_view method, std::string const& file, std::source_location where);

  bool loading() const { return loading_; }

  /// The heading, the bytes and their checksum.
  std::string save(std::string_view method) const;

  template <Storable T>
  void transfer(T& value) {
    if (!loading_)
      return append(value);
    expect(left() >= sizeof(T), "it ends too early");
    value = take<T>();
  }

  /// `count` values, without their number.
  template <Storable T>
  void transfer(std::vector<T>& values, std::uint64_t count) {
    if (loading_) {
      expect(count <= left() / sizeof(T), "it ends too early");
      values.resize(count);
      for (T& value : values)
        value = take<T>();
    } else {
      bytes_.reserve(bytes_.size() + values.size() * sizeof(T));
      for (T const& value : values)
        append(value);
    }
  }

  /// The number of elements of a list that follows, each of at least `bytes` bytes.
  std::uint64_t count(std::uint64_t elements, std::size_t bytes);

  void transfer(std::string& text);

  /// While loading, refuses the file unless a condition on what was read holds.
  void expect(bool holds, std::string_view problem) const {
    if (loading_)
      require(holds, "file", file_, "the file is damaged: " + std::string(problem), where_);
  }

  /// While loading, refuses the file unless all of it was read.
  void finish() const { expect(left() == 0, "it continues beyond its end"); }

private:
  template <class T>
  struct Bits {
    using type = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
  };

  template <class T>
  void append(T value) {
    put(bytes_, std::bit_cast<typename Bits<T>::type>(value));
  }
  template <class Word>
  static void put(std::string& to, Word word) {
    char bytes[sizeof(Word)];
    for (std::size_t k = 0; k < sizeof(Word); ++k)
      bytes[k] = static_cast<char>(word >> (8 * k) & 0xff);
    to.append(bytes, sizeof(Word));
  }
  template <class T>
  T take() {
    auto const bits = get<typename Bits<T>::type>(at_);
    at_ += sizeof(T);
    if constexpr (std::same_as<T, bool>) {
      expect(bits <= 1, "a byte that must be 0 or 1 is neither");
      return bits == 1;
    } else {
      return std::bit_cast<T>(bits);
    }
  }
  /// The number whose first byte is at this place; `size` of its bytes are there, the others are zero.
  template <class Word>
  Word get(std::size_t at, std::size_t size = sizeof(Word)) const {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < size; ++k)
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[at + k])) << (8 * k);
    return static_cast<Word>(word);
  }

  /// Bytes that have not been read yet.
  std::size_t left() const { return end_ - at_; }
  /// The checksum of the bytes from `begin` to just before `end`.
  std::uint64_t check_sum(std::size_t begin, std::size_t end) const;

  bool loading_ = false;
  std::string bytes_;            ///< while loading, the whole file
  std::size_t at_ = 0, end_ = 0; ///< the part still to be read
  std::string file_;
  std::source_location where_;
};

} // namespace kubature::detail

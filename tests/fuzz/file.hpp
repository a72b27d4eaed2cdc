#pragma once

#include "fuzz.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

namespace kubature::fuzz {

/// A file of this process, which is removed with it.
class File {
public:
  File() : name_(std::filesystem::temp_directory_path() / ("kubature-fuzz-" + std::to_string(::getpid()))) {}
  ~File() {
    std::error_code ignored;
    std::filesystem::remove(name_, ignored);
  }
  File(File const&) = delete;
  File& operator=(File const&) = delete;

  std::string name() const { return name_.string(); }
  void write(std::string_view contents) const {
    std::ofstream(name_, std::ios::binary).write(contents.data(), static_cast<std::streamsize>(contents.size()));
  }
  std::string read() const {
    std::ifstream in(name_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

private:
  std::filesystem::path name_;
};

} // namespace kubature::fuzz

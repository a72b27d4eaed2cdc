#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

/// A separate folder that is removed at the end, with everything in it.
class TemporaryFolder {
public:
  TemporaryFolder()
      : folder_(std::filesystem::temp_directory_path() /
                ("kubature-" + std::to_string(::getpid()) + '-' + std::to_string(number()++))) {
    std::filesystem::create_directories(folder_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(folder_); }
  TemporaryFolder(TemporaryFolder const&) = delete;

  std::string path(std::string const& name) const { return (folder_ / name).string(); }
  void write(std::string const& name, std::string const& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string read(std::string const& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool has(std::string const& name) const { return std::filesystem::exists(folder_ / name); }

private:
  static std::atomic<int>& number() {
    static std::atomic<int> number = 0;
    return number;
  }
  std::filesystem::path folder_;
};

#include <kubature/detail/checkpoint/file.hpp>
#include <kubature/detail/host_memory.hpp>
#include <kubature/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace kubature::detail {

std::string read_file(std::string const& file, std::source_location where) {
  namespace fs = std::filesystem;
  auto const refuse_unless = [&](bool holds, std::string const& problem) {
    require(holds, "file", file, "cannot be read: " + problem, where);
  };
  std::error_code none;
  refuse_unless(!fs::is_directory(file, none), "this is a directory");
  refuse_unless(!fs::exists(file, none) || fs::is_regular_file(file, none), "this is not a regular file");
  std::ifstream in(file, std::ios::binary);
  refuse_unless(static_cast<bool>(in), std::strerror(errno));
  auto const size = fs::file_size(file, none);
  constexpr std::uintmax_t small = 1 << 24; // so small that free memory is not queried
  refuse_unless(!none && (size <= small || size < free_host_memory() / 2), "it is larger than the free memory");
  std::string contents(size, '\0');
  in.read(contents.data(), static_cast<std::streamsize>(size));
  contents.resize(static_cast<std::size_t>(in.gcount()));
  return contents;
}

void write_file(std::string const& file, std::string const& contents, std::source_location where) {
  // A neighbouring file is written to the disk and then renamed: POSIX guarantees that rename() replaces a file
  // atomically.
  std::string const new_file = file + ".new";
  int const descriptor = ::open(new_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  bool good = descriptor >= 0;
  for (std::size_t written = 0; good && written < contents.size();) {
    auto const count = ::write(descriptor, contents.data() + written, contents.size() - written);
    good = count >= 0 || errno == EINTR;
    written += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  good = good && ::fsync(descriptor) == 0;
  int const problem = errno;
  if (descriptor >= 0)
    ::close(descriptor);
  good = good && std::rename(new_file.c_str(), file.c_str()) == 0;
  if (!good && descriptor >= 0)
    ::unlink(new_file.c_str());
  require(good, "file", file, std::string("cannot be written: ") + std::strerror(problem ? problem : errno), where);
}

} // namespace kubature::detail

#include <kubature/detail/file.hpp>
#include <kubature/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace kubature::detail {

std::string read_file(std::string const& file, std::source_location where) {
  require(!std::filesystem::is_directory(file), "file", file, "cannot be read: this is a folder", where);
  std::ifstream in(file, std::ios::binary);
  require(static_cast<bool>(in), "file", file, std::string("cannot be read: ") + std::strerror(errno), where);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(std::string const& file, std::string const& contents, std::source_location where) {
  // A file beside it is written to the disk and takes its name: POSIX lets rename() replace a file at once.
  std::string const beside = file + ".new";
  int const descriptor = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
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
  good = good && std::rename(beside.c_str(), file.c_str()) == 0;
  if (!good && descriptor >= 0)
    ::unlink(beside.c_str());
  require(good, "file", file, std::string("cannot be written: ") + std::strerror(problem ? problem : errno), where);
}

} // namespace kubature::detail

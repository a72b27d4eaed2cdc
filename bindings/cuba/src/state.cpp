#include "state.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace kubature::cuba {
namespace {

constexpr int most_bins = 1 << 20;

std::uint64_t hash(double const* numbers, int n, std::uint64_t h = 0) {
  for (int i = 0; i < n; ++i) {
    h ^= std::bit_cast<std::uint64_t>(numbers[i]) + 0x9e3779b97f4a7c15;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9;
    h = (h ^ (h >> 27)) * 0x94d049bb133111eb;
    h ^= h >> 31;
  }
  return h;
}

} // namespace

State::State(std::string file, int routine, int ndim, int ncomp, Grid& grid)
    : file_(std::move(file)), ndim_(ndim), ncomp_(ncomp) {
  struct stat found;
  bool const exists = stat(file_.c_str(), &found) == 0;
  if (exists && !S_ISREG(found.st_mode)) {
    problem_ = "it is not a file";
    return;
  }
  stream_.reset(std::fopen(file_.c_str(), exists ? "r+b" : "w+b"));
  if (!stream_)
    problem_ = std::strerror(errno);
  else if (exists && found.st_size > 0)
    restored_ = read(routine, grid);
  if (stream_ && !restored_)
    begin(routine, grid);
}

bool State::read(int routine, Grid& grid) {
  Header const ours;
  Header header;
  if (std::fread(&header, sizeof header, 1, stream_.get()) != 1 ||
      std::memcmp(header.kind, ours.kind, sizeof ours.kind)) {
    problem_ = "it is another file";
    stream_.reset();
    return false;
  }
  problem_ = "it is of another call";
  if (header.routine != routine || header.ndim != ndim_ || header.ncomp != ncomp_ || header.bins < 0 ||
      header.bins > most_bins)
    return false;
  Grid kept{header.bins ? ndim_ : 0, header.bins, {}};
  kept.edges.resize(static_cast<std::size_t>(kept.axes) * (static_cast<std::size_t>(kept.bins) + 1));
  if (std::fread(kept.edges.data(), sizeof(double), kept.edges.size(), stream_.get()) != kept.edges.size())
    return false;
  grid = std::move(kept);
  problem_.clear();
  read_records();
  return true;
}

void State::read_records() {
  auto const begin = std::ftell(stream_.get());
  std::vector<std::uint64_t> one(record());
  while (std::fread(one.data(), sizeof one[0], one.size(), stream_.get()) == one.size()) {
    order_.push_back(records_.size());
    records_.insert(records_.end(), one.begin(), one.end());
  }
  auto const end = begin + static_cast<long>(records_.size() * sizeof one[0]); // what follows was not finished
  if (std::fseek(stream_.get(), end, SEEK_SET) != 0 || ftruncate(fileno(stream_.get()), end) != 0)
    problem_ = std::strerror(errno);
  std::ranges::sort(order_, {}, [this](std::size_t place) { return records_[place]; });
}

void State::begin(int routine, Grid const& grid) {
  std::rewind(stream_.get());
  if (ftruncate(fileno(stream_.get()), 0) != 0)
    problem_ = std::strerror(errno);
  Header header;
  header.routine = routine;
  header.ndim = ndim_;
  header.ncomp = ncomp_;
  header.bins = grid.bins;
  write(&header, sizeof header);
  write(grid.edges.data(), grid.edges.size() * sizeof(double));
}

bool State::find(double const* x, double* f) const {
  auto const of_point = hash(x, ndim_);
  auto const hash_at = [this](std::size_t place) { return records_[place]; };
  auto const place = std::ranges::lower_bound(order_, of_point, {}, hash_at);
  if (place == order_.end() || hash_at(*place) != of_point)
    return false;
  std::memcpy(f, &records_[*place + 2], static_cast<std::size_t>(ncomp_) * sizeof(double));
  return records_[*place + 1] == hash(f, ncomp_, of_point);
}

void State::keep(std::int64_t n, double const* x, double const* f) {
  std::vector<std::uint64_t> made;
  for (std::int64_t k = 0; k < n; ++k) {
    auto const of_point = hash(x + k * ndim_, ndim_);
    made.insert(made.end(), {of_point, hash(f + k * ncomp_, ncomp_, of_point)});
    for (int c = 0; c < ncomp_; ++c)
      made.push_back(std::bit_cast<std::uint64_t>(f[k * ncomp_ + c]));
  }
  write(made.data(), made.size() * sizeof(made[0]));
  if (stream_ && std::fflush(stream_.get()) != 0)
    problem_ = std::strerror(errno);
}

void State::write(void const* data, std::size_t bytes) {
  if (stream_ && bytes > 0 && std::fwrite(data, bytes, 1, stream_.get()) != 1) {
    problem_ = std::strerror(errno);
    stream_.reset();
  }
}

void State::remove() {
  if (stream_)
    unlink(file_.c_str());
}

} // namespace kubature::cuba

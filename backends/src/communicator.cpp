#include <kubature/backend.hpp>
#include <kubature/communicator.hpp>
#include <kubature/error.hpp>

#include <exception>
#include <limits>
#include <stdexcept>
#include <utility>

namespace kubature {
namespace {

/// The vote of a rank before each operation: nothing to report, a request to stop, or, from `failed` on, a failure; the
/// first rank that failed has the largest vote.
constexpr std::int64_t no = 0, yes = 1, failed = 2;

} // namespace

int Communicator::rank() const { return link_ ? link_->rank() : 0; }
int Communicator::size() const { return link_ ? link_->size() : 1; }
int Communicator::local_rank() const { return link_ ? link_->local_rank() : 0; }
int Communicator::local_size() const { return link_ ? link_->local_size() : 1; }
bool Communicator::device_buffers() const { return link_ && link_->device_buffers(); }

bool Communicator::any(bool mine) const { return size() == 1 ? mine : vote(mine ? yes : no); }

std::uint64_t Communicator::least(std::uint64_t mine) const {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  if (size() == 1)
    return mine;
  vote(no);
  return static_cast<std::uint64_t>(-link_->largest(-static_cast<std::int64_t>(mine < most ? mine : most)));
}

void Communicator::sum(std::span<std::uint64_t> numbers) const {
  if (size() == 1)
    return;
  vote(no);
  link_->sum(numbers);
}

void Communicator::largest(std::span<std::uint32_t> numbers) const {
  if (size() == 1)
    return;
  vote(no);
  link_->largest(numbers);
}

void Communicator::gather(std::span<std::uint64_t> words, std::span<std::size_t const> begins) const {
  if (size() == 1)
    return;
  vote(no);
  link_->gather(words, begins);
}

void Communicator::exchange(std::vector<Message> const& out, std::vector<Message> const& in) const {
  if (size() == 1)
    return;
  vote(no);
  link_->exchange(out, in);
}

void Communicator::broadcast(std::string& text) const {
  if (size() == 1)
    return;
  vote(no);
  link_->broadcast(text, 0);
}

Communicator::Level::Level(Link* link) : link_(link) { ++link_->levels_; }
Communicator::Level::~Level() { --link_->levels_; }
bool Communicator::Level::outermost() const { return link_->levels_ == 1; }

bool Communicator::vote(std::int64_t mine) const {
  std::int64_t const largest = link_->largest(mine);
  if (largest >= failed)
    throw receive_error(static_cast<int>(size() - 1 - (largest - failed)));
  return largest == yes;
}

Communicator::RemoteError Communicator::receive_error(int rank) const {
  std::string kind;
  std::array<std::string, 3> text;
  link_->broadcast(kind, rank);
  for (std::string& each : text)
    link_->broadcast(each, rank);
  return {rank, !kind.empty(), text};
}

void Communicator::report_error() const {
  std::string kind, text[3];
  try {
    throw;
  } catch (InvalidArgument const& error) {
    kind = "InvalidArgument";
    text[0] = error.argument();
    text[1] = error.value();
    text[2] = error.problem();
  } catch (std::exception const& error) {
    text[0] = error.what();
  } catch (...) {
    text[0] = "an exception of an unknown type";
  }
  std::int64_t const largest = link_->largest(failed + size() - 1 - rank());
  int const first = static_cast<int>(size() - 1 - (largest - failed));
  if (first == rank()) {
    link_->broadcast(kind, first);
    for (std::string& each : text)
      link_->broadcast(each, first);
  } else {
    receive_error(first);
  }
  throw;
}

Communicator::RemoteError::RemoteError(int rank, bool invalid_argument, std::array<std::string, 3> text)
    : std::runtime_error("process " + std::to_string(rank) + ": " +
                         (invalid_argument ? text[0] + " = " + text[1] + ": " + text[2] : text[0])),
      invalid_argument_(invalid_argument), text_(std::move(text)) {}

void Communicator::RemoteError::raise() const {
  if (invalid_argument_)
    throw InvalidArgument(text_[0], text_[1], text_[2]);
  throw std::runtime_error(what());
}

Kokkos::InitializationSettings device_of(Communicator const& ranks) {
  if (auto const missing = missing_device(); !missing.empty())
    throw std::runtime_error(missing);
  Kokkos::InitializationSettings settings;
  if (int const devices = Kokkos::num_devices(); ranks.size() > 1 && devices > 0)
    settings.set_device_id(ranks.local_rank() % devices);
  return settings;
}

} // namespace kubature

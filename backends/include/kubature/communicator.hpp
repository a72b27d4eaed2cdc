#pragma once

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace kubature {

/// The ranks (processes) that work on one integral together, each with a device. By default there is only this process;
/// communicator() in kubature/mpi.hpp provides those of an MPI communicator. Copies represent the same ranks.
///
/// Every rank makes the same calls with the same arguments and gets the same result, which is that of a single process.
/// Callbacks may differ: the call stops if any of them requests it.
class Communicator {
public:
  class Link; ///< the connection between the ranks

  Communicator() = default;
  /// Ranks connected by a link that the caller provides.
  explicit Communicator(std::shared_ptr<Link> link) : link_(std::move(link)) {}

  /// The number of this rank, from 0.
  int rank() const;
  /// The number of ranks.
  int size() const;
  /// The number of this rank among those of its machine, from 0.
  int local_rank() const;
  int local_size() const; ///< the number of ranks on this machine

  /// Does the work of a call. An exception on one rank is thrown on all of them, so that none waits for a rank that has
  /// failed: on that rank unchanged; on the others as an InvalidArgument if it was one, and otherwise as a
  /// runtime_error that names the rank. When calls are nested, the outermost one does this, so an exception thrown
  /// within must not be caught and discarded there.
  template <class Work>
  std::invoke_result_t<Work const&> agree(Work const& work) const {
    if (size() == 1)
      return work();
    Level const level(link_.get());
    if (!level.outermost())
      return work();
    try {
      auto result = work();
      any(false);
      return result;
    } catch (RemoteError const& error) {
      error.raise();
    } catch (...) {
      report_error();
    }
  }

  // The functions below are for methods, within agree(). All ranks make the same calls; if a rank has failed before
  // reaching one, the others throw a runtime_error there that names the failed rank.

  /// Whether `mine` is true on any rank.
  bool any(bool mine) const;
  /// The smallest of the numbers of all ranks.
  std::uint64_t least(std::uint64_t mine) const;
  /// Replaces each number by its sum over all ranks.
  void sum(std::span<std::uint64_t> numbers) const;
  /// Replaces each number by its largest value over all ranks.
  void largest(std::span<std::uint32_t> numbers) const;
  /// Rank r provides words begins[r] ... begins[r + 1] - 1; afterwards every rank has all words.
  void gather(std::span<std::uint64_t> words, std::span<std::size_t const> begins) const;

  /// Bytes sent to another rank, or received from it.
  struct Message {
    int rank;                   ///< the other rank
    std::span<std::byte> bytes; ///< the bytes to send, or the memory that receives them
  };
  /// Whether messages may lie in device memory.
  bool device_buffers() const;
  /// Sends and receives. Messages from one rank to another arrive in the order in which they were sent.
  void exchange(std::vector<Message> const& out, std::vector<Message> const& in) const;

  /// Gives every rank the text of rank 0.
  void broadcast(std::string& text) const;

private:
  /// An error reported by another rank.
  class RemoteError : public std::runtime_error {
  public:
    /// @param text its message; for an InvalidArgument its argument, value and problem
    RemoteError(int rank, bool invalid_argument, std::array<std::string, 3> text);
    [[noreturn]] void raise() const;

  private:
    bool invalid_argument_;
    std::array<std::string, 3> text_;
  };

  /// Counts the level of nested calls for as long as it exists.
  class Level {
  public:
    explicit Level(Link* link);
    ~Level();
    Level(Level const&) = delete;
    bool outermost() const;

  private:
    Link* link_;
  };

  bool vote(std::int64_t mine) const;
  RemoteError receive_error(int rank) const;
  [[noreturn]] void report_error() const;

  std::shared_ptr<Link> link_;
};

/// Settings with which Kokkos assigns a device to each rank of a machine, in turn. With more ranks than devices some
/// share one, and results carry a remark on this. A single process gets the device that Kokkos chooses. Throws
/// runtime_error if missing_device() reports that there is none.
Kokkos::InitializationSettings device_of(Communicator const& ranks);

/// The connection between ranks. Implementations only move data: Communicator handles errors, and calls one of these
/// functions only after all ranks have agreed to.
class Communicator::Link {
public:
  virtual ~Link() = default;

  virtual int rank() const = 0;       ///< this rank, from 0
  virtual int size() const = 0;       ///< the number of ranks
  virtual int local_rank() const = 0; ///< this rank among those of its machine, from 0
  virtual int local_size() const = 0; ///< the number of ranks on this machine

  virtual std::int64_t largest(std::int64_t mine) = 0; ///< the largest of the numbers of all ranks, known to all
  /// Element by element, the sum over all ranks.
  virtual void sum(std::span<std::uint64_t> numbers) = 0;
  /// Element by element, the largest value over all ranks.
  virtual void largest(std::span<std::uint32_t> numbers) = 0;
  /// Rank r provides words begins[r] ... begins[r + 1] - 1; afterwards every rank has all words.
  virtual void gather(std::span<std::uint64_t> words, std::span<std::size_t const> begins) = 0;
  virtual bool device_buffers() const { return false; } ///< whether exchange() accepts device memory
  /// Sends and receives, all at once.
  virtual void exchange(std::vector<Message> const& out, std::vector<Message> const& in) = 0;
  virtual void broadcast(std::string& text, int from) = 0; ///< gives every rank the text of rank `from`

private:
  friend class Communicator::Level;
  int levels_ = 0; ///< nested calls of agree() in progress
};

} // namespace kubature

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

/// The processes that work on one integral together, each with a device. By default there is only this process; those
/// of an MPI communicator come from communicator() in kubature/mpi.hpp. Copies represent the same processes.
///
/// Every process makes the same calls with the same arguments and gets the same result, which is that of a single
/// process. Callbacks may differ: the call stops if one of them asks for it.
class Communicator {
public:
  class Link; ///< what connects the processes

  Communicator() = default;
  /// Processes connected by a link that the caller provides.
  explicit Communicator(std::shared_ptr<Link> link) : link_(std::move(link)) {}

  /// The number of this process, from 0.
  int rank() const;
  /// The number of processes.
  int size() const;
  /// The number of this process among those of its machine, from 0.
  int local_rank() const;
  int local_size() const; ///< the number of processes on this machine

  /// Does the work of a call. An exception on one process is thrown on all of them, so that none waits for a process
  /// that has given up: on that process unchanged; on the others as an InvalidArgument if it was one, and otherwise as
  /// a runtime_error that names the process. When calls are nested, the outermost one does this, so an exception thrown
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
    } catch (Elsewhere const& error) {
      error.raise();
    } catch (...) {
      fail();
    }
  }

  // What follows is for methods, within agree(). All processes make the same calls; each of them throws what another
  // process has thrown before reaching it, as a runtime_error that names that process.

  /// Whether `mine` is true on any process.
  bool any(bool mine) const;
  /// The smallest of the numbers of all processes.
  std::uint64_t least(std::uint64_t mine) const;
  /// Replaces each number by its sum over all processes.
  void sum(std::span<std::uint64_t> numbers) const;
  /// Replaces each number by its largest value over all processes.
  void largest(std::span<std::uint32_t> numbers) const;
  /// Process r provides words begins[r] ... begins[r + 1] - 1; afterwards every process has all words.
  void gather(std::span<std::uint64_t> words, std::span<std::size_t const> begins) const;

  /// Bytes sent to another process, or received from it.
  struct Message {
    int rank;                   ///< the other process
    std::span<std::byte> bytes; ///< what is sent, or where to receive it
  };
  /// Whether messages may lie in device memory.
  bool device_buffers() const;
  /// Sends and receives. Messages from one process to another arrive in the order in which they were sent.
  void exchange(std::vector<Message> const& out, std::vector<Message> const& in) const;

  /// Gives every process the text of process 0.
  void broadcast(std::string& text) const;

private:
  /// An error reported by another process.
  class Elsewhere : public std::runtime_error {
  public:
    /// @param text its message; for an InvalidArgument its argument, value and problem
    Elsewhere(int rank, bool invalid_argument, std::array<std::string, 3> text);
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
  Elsewhere hear(int rank) const;
  [[noreturn]] void fail() const;

  std::shared_ptr<Link> link_;
};

/// Settings with which Kokkos gives each process of a machine a device of its own, in turn. With more processes than
/// devices some share one, and results carry a remark that says so. A single process gets what Kokkos chooses. Throws
/// runtime_error if missing_device() reports that there is none.
Kokkos::InitializationSettings device_of(Communicator const& ranks);

/// What connects processes. Implementations move data and know nothing of errors: Communicator calls one of these
/// functions only after all processes have agreed to.
class Communicator::Link {
public:
  virtual ~Link() = default;

  virtual int rank() const = 0;       ///< this process, from 0
  virtual int size() const = 0;       ///< the number of processes
  virtual int local_rank() const = 0; ///< this process among those of its machine, from 0
  virtual int local_size() const = 0; ///< the number of processes on this machine

  virtual std::int64_t largest(std::int64_t mine) = 0; ///< the largest of the numbers of all processes, known to all
  /// Element by element, the sum over all processes.
  virtual void sum(std::span<std::uint64_t> numbers) = 0;
  /// Element by element, the largest value over all processes.
  virtual void largest(std::span<std::uint32_t> numbers) = 0;
  /// Process r provides words begins[r] ... begins[r + 1] - 1; afterwards every process has all words.
  virtual void gather(std::span<std::uint64_t> words, std::span<std::size_t const> begins) = 0;
  virtual bool device_buffers() const { return false; } ///< whether exchange() accepts device memory
  /// Sends and receives, all at once.
  virtual void exchange(std::vector<Message> const& out, std::vector<Message> const& in) = 0;
  virtual void broadcast(std::string& text, int from) = 0; ///< gives every process the text of process `from`

private:
  friend class Communicator::Level;
  int levels_ = 0; ///< calls of agree() that have begun and not ended
};

} // namespace kubature

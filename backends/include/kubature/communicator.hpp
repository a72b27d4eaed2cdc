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

/// The processes that work on one integral together, a device each. By default that is this process alone; those of an
/// MPI communicator come from communicator() in kubature/mpi.hpp. Copies stand for the same processes.
///
/// Every process makes the same calls with the same arguments and gets the same result, the one that a single process
/// gets. Callbacks may differ: the call stops where one of them says so.
class Communicator {
public:
  class Link; ///< what connects the processes

  Communicator() = default;
  /// Processes connected by a link of the caller's own.
  explicit Communicator(std::shared_ptr<Link> link) : link_(std::move(link)) {}

  /// This process, from 0.
  int rank() const;
  /// All processes.
  int size() const;
  /// This process among those of its machine, and how many these are.
  int local_rank() const;
  int local_size() const; ///< how many of them work on this machine

  /// Does the work of a call. What it throws on one process is thrown on all of them, so that nobody waits for a
  /// process that has given up: there as it was, on the others as InvalidArgument if it was one, and else as a
  /// runtime_error that names the process. Of calls within calls the outermost sees to that, so nothing that is thrown
  /// within may be caught there and forgotten.
  template <class Work>
  std::invoke_result_t<Work const&> together(Work const& work) const {
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

  // What follows is for methods, within together(). All processes make the same calls; what another process has thrown
  // before it came there is thrown by any of them, as a runtime_error that names the process.

  /// Whether it is so on any process.
  bool any(bool mine) const;
  /// The least of all processes' numbers.
  std::uint64_t least(std::uint64_t mine) const;
  /// Adds up the numbers of all processes, each for itself.
  void sum(std::span<std::uint64_t> numbers) const;
  /// The largest of all processes' numbers, each for itself.
  void largest(std::span<std::uint32_t> numbers) const;
  /// Process r has the words begins[r] ... begins[r + 1] - 1 of all: afterwards everyone has all.
  void gather(std::span<std::uint64_t> words, std::span<std::size_t const> begins) const;

  /// What goes to another process, or comes from there.
  struct Message {
    int rank;                   ///< the other process
    std::span<std::byte> bytes; ///< what is sent, or where it is received
  };
  /// Whether messages may lie in memory of the device.
  bool device_buffers() const;
  /// Sends and receives. Messages from one process to another arrive in their order.
  void exchange(std::vector<Message> const& out, std::vector<Message> const& in) const;

  /// Process 0's text for everyone.
  void broadcast(std::string& text) const;

private:
  /// An error that another process has told of.
  class Elsewhere : public std::runtime_error {
  public:
    /// @param text what it said; of an InvalidArgument its argument, value and problem
    Elsewhere(int rank, bool invalid_argument, std::array<std::string, 3> text);
    [[noreturn]] void raise() const;

  private:
    bool invalid_argument_;
    std::array<std::string, 3> text_;
  };

  /// That of a call among calls within calls, as long as it lasts.
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

/// Settings by which Kokkos takes a device of its own for each process of a machine, in turn: with more processes than
/// devices some share one, and results carry a remark that says so. A process that is alone gets what Kokkos chooses.
/// Throws runtime_error where missing_device() says that there is none.
Kokkos::InitializationSettings device_of(Communicator const& ranks);

/// What connects processes. Implementations move data and know nothing of errors: nobody calls one of these before all
/// have agreed to (Communicator).
class Communicator::Link {
public:
  virtual ~Link() = default;

  virtual int rank() const = 0;       ///< this process, from 0
  virtual int size() const = 0;       ///< the number of processes
  virtual int local_rank() const = 0; ///< this process among those of its machine, from 0
  virtual int local_size() const = 0; ///< the number of processes on this machine

  virtual std::int64_t largest(std::int64_t mine) = 0; ///< the largest of what all give, known to all
  /// Element by element, the sum over all processes, known to all.
  virtual void sum(std::span<std::uint64_t> numbers) = 0;
  /// Element by element, the largest of all processes, known to all.
  virtual void largest(std::span<std::uint32_t> numbers) = 0;
  /// Process r gives words begins[r] to begins[r + 1]; afterwards all have all words.
  virtual void gather(std::span<std::uint64_t> words, std::span<std::size_t const> begins) = 0;
  virtual bool device_buffers() const { return false; } ///< whether exchange() takes memory of the device
  /// Sends and receives, all at once.
  virtual void exchange(std::vector<Message> const& out, std::vector<Message> const& in) = 0;
  virtual void broadcast(std::string& text, int from) = 0; ///< gives everyone the text of one process

private:
  friend class Communicator::Level;
  int levels_ = 0; ///< of calls of together() that have begun and not ended
};

} // namespace kubature

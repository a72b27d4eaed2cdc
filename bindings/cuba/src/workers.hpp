#pragma once

#include <cstdint>
#include <memory>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace kubature::cuba {

/// The number of the caller's own process where integrands are told on which core they run.
inline constexpr int master = 32768;

/// An integrand with all arguments that Cuba passes: the last two are the weights and the iteration, or the phase.
using Integrand = int (*)(int const* ndim, double const* x, int const* ncomp, double* f, void* user, void const* nvec,
                          int const* core, void const* weight_or_phase, int const* iteration);

/// What is evaluated, and how.
struct Job {
  Integrand f;
  void* user;
  int ndim, ncomp;
  std::int64_t nvec; ///< maximum number of points in a call
  bool wide;         ///< whether that is passed as a long long
  int phase;         ///< passed where there are no weights
  int iteration;
};

/// The value that ends an integration.
inline constexpr int to_abort = -999;

/// Points, and their weights for the integrands of Vegas and Suave.
struct Points {
  std::int64_t n;
  double const *x, *weights; ///< [n][ndim], [n] or nullptr

  /// n of them, from number `first` on.
  Points part(std::int64_t first, std::int64_t number, int ndim) const {
    return {number, x + first * ndim, weights ? weights + first : nullptr};
  }
};

/// Calls the integrand.
/// @returns false if it asked for the end
bool evaluate(Job const& job, Points const& points, double* f, int core);

/// A function of the caller's that each process calls before or after it evaluates.
struct Hook {
  void (*f)() = nullptr;
  void* user = nullptr;

  void operator()(int core) const;
};
Hook& before_work();
Hook& after_work();

/// How many workers there are, and the largest number of points that each gets at a time.
struct Crew {
  int cores, of_core, accelerators, of_accelerator;
};
/// As chosen by cubacores() and cubaaccel(), or the environment, or otherwise as many as there are idle cores.
Crew crew();
void choose_cores(int number, int points);
void choose_accelerators(int number, int points);

enum class Ending { done, aborted, died };

/// Processes, forked from the caller's, that evaluate an integrand together with it, or threads if
/// KUBATURE_CUBA_THREADS says how many may call it at the same time. The caller is one of as many as there are cores.
/// Points and values are in memory that they share. Each worker has a socket: a byte wakes it, and it answers with
/// another when there are no points left. The end of either side closes the socket, so that the other does not wait for
/// ever.
class Workers {
public:
  /// @returns nullptr if the caller should evaluate by itself
  static std::unique_ptr<Workers> start();
  ~Workers();
  Workers(Workers const&) = delete;

  /// Below this number of points it is faster for the caller to evaluate them.
  static constexpr std::int64_t fewest = 10;

  Ending evaluate(Job const& job, Points const& points, double* f);
  /// Whether the caller evaluates, too: not if there are accelerators alone.
  bool caller_helps() const { return most_of_caller_ > 0; }

private:
  struct Shared;
  struct Worker {
    int core, socket;
    std::int64_t most; ///< points at a time
    pid_t process;
    std::thread thread;
  };

  Workers();
  void add(int core, std::int64_t most, bool thread);
  static void serve(Shared& shared, int core, std::int64_t most, int socket);
  static void work(Shared& shared, int core, std::int64_t most);
  Ending share(Job const& job, Points const& points, double* f);

  Shared* shared_;
  std::vector<Worker> workers_;
  std::int64_t most_of_caller_ = 0;
};

/// The workers that `spin` points to; nullptr if there are none.
Workers* spinning(void* spin);
void fork_workers(void* spin);
void end_workers(void* spin);

} // namespace kubature::cuba

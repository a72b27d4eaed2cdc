#include "workers.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <poll.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kubature::cuba {
namespace {

constexpr int unset = INT_MIN;
std::atomic<int> chosen_cores = unset, chosen_of_core = unset;
std::atomic<int> chosen_accelerators = unset, chosen_of_accelerator = unset;

int setting(std::atomic<int> const& chosen, char const* variable, int otherwise) {
  if (chosen != unset)
    return chosen;
  auto const* const text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

/// The average number of processes that were running when this one first asked.
int load() {
  static int const whole = [] {
    double average = 0;
    return getloadavg(&average, 1) == 1 ? static_cast<int>(average) : 0;
  }();
  return whole;
}

#ifndef MSG_NOSIGNAL
constexpr int MSG_NOSIGNAL = 0;
#endif

bool send_byte(int socket) {
  char const byte = 1;
  return send(socket, &byte, 1, MSG_NOSIGNAL) == 1;
}

/// @returns false at the end of the other side
bool receive_byte(int socket) {
  char byte;
  ssize_t got;
  do
    got = recv(socket, &byte, 1, 0);
  while (got < 0 && errno == EINTR);
  return got == 1;
}

} // namespace

bool evaluate(Job const& job, Points const& points, double* f, int core) {
  auto const step = std::clamp<std::int64_t>(job.nvec, 1, std::max<std::int64_t>(points.n, 1));
  for (std::int64_t k = 0; k < points.n; k += step) {
    auto const [n, x, weights] = points.part(k, std::min(step, points.n - k), job.ndim);
    long long const wide = n;
    int const narrow = static_cast<int>(wide);
    void const* const count = job.wide ? static_cast<void const*>(&wide) : &narrow;
    void const* const eighth = weights ? static_cast<void const*>(weights) : &job.phase;
    if (job.f(&job.ndim, x, &job.ncomp, f + k * job.ncomp, job.user, count, &core, eighth, &job.iteration) == to_abort)
      return false;
  }
  return true;
}

void Hook::operator()(int core) const {
  if (f)
    reinterpret_cast<void (*)(void*, int const*)>(f)(user, &core);
}

Hook& before_work() {
  static Hook hook;
  return hook;
}
Hook& after_work() {
  static Hook hook;
  return hook;
}

Crew crew() {
  int cores = setting(chosen_cores, "CUBACORES", -static_cast<int>(std::thread::hardware_concurrency()));
  if (cores < 0)
    cores = std::max(0, -cores - load());
  return {cores, std::max(1, setting(chosen_of_core, "CUBACORESMAX", 10000)),
          std::max(0, setting(chosen_accelerators, "CUBAACCEL", 0)),
          std::max(1, setting(chosen_of_accelerator, "CUBAACCELMAX", 1000))};
}

void choose_cores(int number, int points) {
  chosen_cores = number;
  chosen_of_core = points;
}
void choose_accelerators(int number, int points) {
  chosen_accelerators = number;
  chosen_of_accelerator = points;
}

/// The memory that all workers see: this, and behind it points, weights and values.
struct Workers::Shared {
  static constexpr std::size_t bytes = std::size_t{1} << 26; ///< of which the system provides what is used
  static constexpr std::int64_t numbers = static_cast<std::int64_t>(bytes / sizeof(double)) - 64;

  Job job;
  std::int64_t n, chunk;
  bool weighted;                  ///< whether there are weights
  std::atomic<std::int64_t> next; ///< the first point that no worker has taken
  std::atomic<bool> aborted;

  double* x() { return reinterpret_cast<double*>(this) + 64; }
  double* weights() { return x() + n * job.ndim; }
  double* f() { return weights() + n; }
  Points points() { return {n, x(), weighted ? weights() : nullptr}; }
};

std::unique_ptr<Workers> Workers::start() {
  auto const* const text = std::getenv("KUBATURE_CUBA_THREADS");
  int const threads = text ? std::atoi(text) : 0;
  auto of = crew();
  if (threads > 0)
    of = {threads, of.of_core, 0, 1};
  if (of.cores <= 1 && of.accelerators == 0)
    return nullptr;
  std::unique_ptr<Workers> made(new Workers);
  std::fflush(nullptr); // or each process would write what is left in buffers
  for (int core = -of.accelerators; core < std::max(of.cores - 1, 0); ++core)
    made->add(core, core < 0 ? of.of_accelerator : of.of_core, threads > 0);
  if (of.cores > 0)
    made->most_of_caller_ = of.of_core;
  return made;
}

Workers::Workers() {
  static_assert(sizeof(Shared) <= 64 * sizeof(double) && std::atomic<std::int64_t>::is_always_lock_free);
  int flags = MAP_SHARED | MAP_ANONYMOUS;
#ifdef MAP_NORESERVE
  flags |= MAP_NORESERVE;
#endif
  void* const memory = mmap(nullptr, Shared::bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  shared_ = new (memory) Shared{};
}

void Workers::add(int core, std::int64_t most, bool thread) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    throw std::runtime_error("no socket for another worker; CUBACORES=0 works without");
  workers_.push_back({core, ends[0], most, 0, {}});
  auto& worker = workers_.back();
  if (thread) {
    worker.thread = std::thread([shared = shared_, core, most, end = ends[1]] {
      serve(*shared, core, most, end);
      close(end);
    });
    return;
  }
  worker.process = fork();
  if (worker.process == 0) {
    for (auto const& other : workers_) // which would otherwise not notice that the caller has ended
      close(other.socket);
    serve(*shared_, core, most, ends[1]);
    std::fflush(nullptr);
    _exit(0); // what is to be done at the end of the program is the caller's
  }
  close(ends[1]);
  if (worker.process < 0) {
    close(ends[0]);
    workers_.pop_back();
    throw std::runtime_error("no process for another worker; CUBACORES=0 works without");
  }
}

Workers::~Workers() {
  for (auto const& worker : workers_)
    shutdown(worker.socket, SHUT_RDWR);
  for (auto& worker : workers_) {
    close(worker.socket);
    if (worker.thread.joinable())
      worker.thread.join();
    else
      while (waitpid(worker.process, nullptr, 0) < 0 && errno == EINTR) {
      }
  }
  munmap(shared_, Shared::bytes);
}

void Workers::serve(Shared& shared, int core, std::int64_t most, int socket) {
  before_work()(core);
  while (receive_byte(socket)) {
    work(shared, core, most);
    if (!send_byte(socket))
      break;
  }
  after_work()(core);
}

/// Evaluates until no points are left.
void Workers::work(Shared& shared, int core, std::int64_t most) {
  Job const& job = shared.job;
  auto const chunk = core < 0 ? most : std::min(most, shared.chunk);
  try {
    while (!shared.aborted) {
      auto const begin = shared.next.fetch_add(chunk);
      if (begin >= shared.n)
        return;
      if (!cuba::evaluate(job, shared.points().part(begin, std::min(chunk, shared.n - begin), job.ndim),
                          shared.f() + begin * job.ncomp, core))
        shared.aborted = true;
    }
  } catch (...) {
    shared.aborted = true;
  }
}

Ending Workers::evaluate(Job const& job, Points const& points, double* f) {
  auto const room = Shared::numbers / (job.ndim + 1 + job.ncomp);
  for (std::int64_t k = 0; k < points.n; k += room)
    if (auto const ending = share(job, points.part(k, std::min(room, points.n - k), job.ndim), f + k * job.ncomp);
        ending != Ending::done)
      return ending;
  return Ending::done;
}

Ending Workers::share(Job const& job, Points const& points, double* f) {
  auto const n = points.n;
  auto const number = std::ssize(workers_) + caller_helps();
  shared_->job = job;
  shared_->n = n;
  shared_->chunk = std::max(fewest, n / (16 * number)); // so that all end at about the same time
  shared_->weighted = points.weights != nullptr;
  shared_->next = 0;
  shared_->aborted = false;
  std::copy_n(points.x, n * job.ndim, shared_->x());
  if (points.weights)
    std::copy_n(points.weights, n, shared_->weights());
  std::vector<pollfd> busy;
  bool died = false;
  for (auto const& worker : workers_)
    if (std::ssize(busy) * fewest < n) {
      died = died || !send_byte(worker.socket);
      busy.push_back({worker.socket, POLLIN, 0});
    }
  if (caller_helps())
    work(*shared_, master, most_of_caller_);
  for (auto left = busy.size(); left > 0 && !died;) {
    if (poll(busy.data(), busy.size(), -1) < 0)
      continue; // a signal
    for (auto& one : busy)
      if (one.revents) {
        died = died || !receive_byte(one.fd);
        one.fd = -1;
        one.revents = 0;
        --left;
      }
  }
  if (died) {
    shared_->aborted = true; // for those that are left
    return Ending::died;
  }
  if (shared_->aborted)
    return Ending::aborted;
  std::copy_n(shared_->f(), n * job.ncomp, f);
  return Ending::done;
}

namespace {

/// Whether there is a place for workers to be kept in. Callers pass -1 as a number of any size.
bool none(void* spin) { return !spin || *static_cast<int*>(spin) == -1; }

} // namespace

Workers* spinning(void* spin) {
  if (none(spin))
    return nullptr;
  if (!*static_cast<Workers**>(spin))
    fork_workers(spin);
  return *static_cast<Workers**>(spin);
}

void fork_workers(void* spin) {
  if (spin)
    *static_cast<Workers**>(spin) = Workers::start().release();
}

void end_workers(void* spin) {
  if (none(spin))
    return;
  delete *static_cast<Workers**>(spin);
  *static_cast<Workers**>(spin) = nullptr;
}

} // namespace kubature::cuba

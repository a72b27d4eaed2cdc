#include "handles.hpp"

#include <kubature/backend.hpp>
#include <kubature/version.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <set>
#include <sstream>
#include <unistd.h>

namespace kubature::c {
namespace {

thread_local std::string last_error;

int record(int code, char const* sentence) noexcept {
  try {
    last_error = sentence;
  } catch (...) {
    last_error.clear();
  }
  return code;
}

std::mutex kokkos_mutex;
std::atomic<bool> kokkos_is_ours = false;
std::atomic<int> calls = 0;
/// Guarded by kokkos_mutex. It outlives what other global variables do when the program exits.
std::set<kubature_integrator*>& users = *new std::set<kubature_integrator*>;
/// The process that owns Kokkos's threads and devices; 0: not known yet, or there are none that a fork would lack.
std::atomic<pid_t> process_of_kokkos = 0;

void note_process() {
  using Space = Kokkos::DefaultExecutionSpace;
  if (detail::on_device_of_its_own<Space> || Space().concurrency() > 1)
    process_of_kokkos = getpid();
}

std::set<kubature_integrator*> current_users() {
  std::lock_guard const lock(kokkos_mutex);
  return users;
}

/// Called by Kokkos before it is finalised: integrators in global variables are left then.
void end_integrators() {
  for (auto* integrator : current_users())
    integrator->forget();
}

void end_with_kokkos() {
  static std::once_flag told;
  std::call_once(told, [] { Kokkos::push_finalize_hook(end_integrators); });
}

/// Called when the program exits. A thread may still be computing.
void end_kokkos() {
  if (forked_without_kokkos())
    return;
  if (kokkos_is_ours.exchange(false) && calls == 0 && Kokkos::is_initialized())
    Kokkos::finalize();
}

} // namespace

int record_error() noexcept {
  try {
    throw;
  } catch (IntegrandFailed const& error) {
    return record(error.code, error.what());
  } catch (InvalidArgument const& error) {
    return record(KUBATURE_INVALID_ARGUMENT, error.what());
  } catch (Unsupported const& error) {
    return record(KUBATURE_UNSUPPORTED, error.what());
  } catch (std::bad_alloc const&) {
    return record(KUBATURE_OUT_OF_MEMORY, "out of memory");
  } catch (std::exception const& error) {
    return record(KUBATURE_FAILED, error.what());
  } catch (...) {
    return record(KUBATURE_FAILED, "an exception not derived from std::exception was thrown");
  }
}

bool forked_without_kokkos() {
  pid_t const process = process_of_kokkos;
  return process != 0 && process != getpid();
}

void check_process() {
  if (forked_without_kokkos())
    throw Unsupported("this process was forked after Kokkos had begun, and has no threads or device of Kokkos: fork "
                      "before the first call, or start processes that do not inherit it (spawn)");
}

void begin_kokkos(Communicator const& ranks) {
  check_process();
  std::lock_guard const lock(kokkos_mutex);
  if (Kokkos::is_initialized()) {
    note_process();
    end_with_kokkos();
    return;
  }
  require(!Kokkos::is_finalized(), "Kokkos", "finalised",
          "integrate before it is finalised; it cannot be initialised again");
  if (auto const missing = missing_device(); !missing.empty())
    throw Unsupported(missing);
  Kokkos::initialize(device_of(ranks).set_disable_warnings(true));
  kokkos_is_ours = true;
  note_process();
  end_with_kokkos();
  std::atexit(end_kokkos);
}

Computing::Computing() { ++calls; }
Computing::~Computing() { --calls; }

NeedsKokkos::NeedsKokkos(kubature_integrator& integrator) : integrator_(&integrator) {
  std::lock_guard const lock(kokkos_mutex);
  users.insert(integrator_);
}
NeedsKokkos::~NeedsKokkos() {
  std::lock_guard const lock(kokkos_mutex);
  users.erase(integrator_);
}

} // namespace kubature::c

using namespace kubature::c;

char const* kubature_version() {
  return guarded("", [] {
    static std::string const line = [] {
      std::ostringstream text;
      text << kubature::version();
      return text.str();
    }();
    return line.c_str();
  });
}

int kubature_version_number() { return KUBATURE_VERSION; }

kubature_device_kind kubature_device(int* id) {
  return guarded(KUBATURE_HOST, [&] {
    if (id)
      *id = Kokkos::is_initialized() ? std::max(0, Kokkos::device_id()) : 0;
#if defined(KOKKOS_ENABLE_CUDA)
    return KUBATURE_CUDA;
#elif defined(KOKKOS_ENABLE_HIP)
    return KUBATURE_HIP;
#elif defined(KOKKOS_ENABLE_SYCL)
    return KUBATURE_SYCL;
#else
    return KUBATURE_HOST;
#endif
  });
}

char const* kubature_last_error() { return last_error.c_str(); }

int kubature_initialize() {
  return guarded([] { begin_kokkos(); });
}

int kubature_finalize() {
  return guarded([] {
    if (forked_without_kokkos())
      return;
    if (!kokkos_is_ours || !Kokkos::is_initialized())
      return;
    auto const left = current_users().size();
    kubature::require(left == 0, "integrators", left, "destroy them first");
    kubature::require(calls == 0, "calls", calls.load(), "end them first");
    if (kokkos_is_ours.exchange(false)) // another thread may be here as well
      Kokkos::finalize();
  });
}

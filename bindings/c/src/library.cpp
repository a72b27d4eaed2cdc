#include "guard.hpp"
#include "kokkos.hpp"

#include <kubature/backend.hpp>
#include <kubature/version.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
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
bool kokkos_is_ours = false;
std::atomic<int> users = 0;
/// The process that owns Kokkos's threads and devices; 0: not known yet, or there are none that a fork would lack.
std::atomic<pid_t> process_of_kokkos = 0;

void note_process() {
  using Space = Kokkos::DefaultExecutionSpace;
  if (detail::on_device_of_its_own<Space> || Space().concurrency() > 1)
    process_of_kokkos = getpid();
}

/// Called when the program exits. If an integrator is left, it may still be computing.
void end_kokkos() {
  if (forked_without_kokkos())
    return;
  std::lock_guard const lock(kokkos_mutex);
  if (kokkos_is_ours && users == 0 && Kokkos::is_initialized())
    Kokkos::finalize();
  kokkos_is_ours = false;
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
    return;
  }
  require(!Kokkos::is_finalized(), "Kokkos", "finalised",
          "integrate before it is finalised; it cannot be initialised again");
  if (auto const missing = missing_device(); !missing.empty())
    throw Unsupported(missing);
  Kokkos::initialize(device_of(ranks).set_disable_warnings(true));
  kokkos_is_ours = true;
  note_process();
  std::atexit(end_kokkos);
}

NeedsKokkos::NeedsKokkos() { ++users; }
NeedsKokkos::~NeedsKokkos() { --users; }

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
    std::lock_guard const lock(kokkos_mutex);
    if (!kokkos_is_ours || !Kokkos::is_initialized())
      return;
    kubature::require(users == 0, "integrators", users.load(), "destroy them first");
    Kokkos::finalize();
    kokkos_is_ours = false;
  });
}

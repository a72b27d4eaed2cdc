#include "progress_line.hpp"

#include "processes.hpp"

#include <kubature/result.hpp>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace kubature::app {
namespace {

std::sig_atomic_t volatile was_interrupted = 0;

extern "C" void on_interrupt(int) {
  was_interrupted = 1;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

} // namespace

ProgressLine::ProgressLine() : terminal_(processes().rank() == 0 && isatty(STDERR_FILENO)) {}

void ProgressLine::show(std::string const& prefix, Progress const& progress) {
  auto const now = std::chrono::steady_clock::now();
  if (!terminal_ || (shown_ && now - last_ < std::chrono::milliseconds(100)))
    return;
  last_ = now;
  shown_ = true;
  auto const estimate = std::isnan(progress.value) ? "-" : format(progress.value, progress.error);
  char numbers[100];
  std::snprintf(numbers, sizeof numbers, ", %.2g evaluations, %.1f s", static_cast<double>(progress.evaluations),
                progress.seconds);
  auto text =
      prefix + std::string(progress.method) + ' ' + std::to_string(progress.iteration) + ": " + estimate + numbers;
  if (winsize size{}; ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 && text.size() >= size.ws_col)
    text.resize(size.ws_col - 1u);
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (shown_)
    std::fputs("\r\033[K", stderr);
  shown_ = false;
}

Callback watch(ProgressLine& line, std::string prefix) {
  if (!was_interrupted) {
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
  }
  return [&line, prefix = std::move(prefix)](Progress const& progress) {
    line.show(prefix, progress);
    return !was_interrupted;
  };
}

bool interrupted() { return processes().any(was_interrupted); }

} // namespace kubature::app

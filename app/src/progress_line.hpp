#pragma once

#include <kubature/progress.hpp>

#include <chrono>
#include <string>

namespace kubature::app {

/// One line on standard error that is rewritten while the program works; nothing is written unless standard error is a
/// terminal.
class ProgressLine {
public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(ProgressLine const&) = delete;

  /// Shows an iteration, after a prefix, at most ten times a second.
  void show(std::string const& prefix, Progress const& progress);
  void clear();

private:
  bool terminal_, shown_ = false;
  std::chrono::steady_clock::time_point last_{};
};

/// A callback that updates the line, and stops the call after an interrupt (Ctrl-C) or SIGTERM. A second interrupt ends
/// the program.
Callback watch(ProgressLine& line, std::string prefix = "");

/// Whether there was an interrupt on any rank since watch() was first called. All ranks must call it, within agree().
bool interrupted();

} // namespace kubature::app

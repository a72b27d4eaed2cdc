#pragma once

#include <string>

namespace kubature {

/// A file in which a call keeps its state, so that the same call, made again, resumes where the last one ended, whether
/// its callback, a limit or the end of the process stopped it. The result is then the same to the bit as that of an
/// uninterrupted call (on the same kind of backend).
///
/// The file is replaced atomically, so it is never half written, and removed when the call has converged or completed;
/// docs/files.md describes its layout. A damaged file is refused by an exception, as is one from a call with other
/// options, another box or another number of variables; the caller has to make sure that the integrand is the same.
/// Tolerance and limits may change from call to call.
///
/// Under the policy `adaptive`, a tighter tolerance may require fp64 although an fp32 call wrote the file: map and
/// strata are then kept, the fp32 estimates do not count, and a remark says so. A call that ended in fp64 resumes in
/// fp64.
struct Checkpoint {
  /// The file's name; empty: no checkpoint.
  std::string file = {};
  /// It is written at the end of an iteration if this many seconds have passed since the last time, and when the call
  /// ends.
  double seconds = 10;
};

} // namespace kubature

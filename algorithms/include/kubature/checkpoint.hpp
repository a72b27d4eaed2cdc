#pragma once

#include <string>

namespace kubature {

/// A file in which a call keeps its state, so that the same call made again goes on where the last one ended, whatever
/// ended it: its callback, a limit, or the end of the process. The result is then the same to the bit as that of a call
/// that ran through (on the same kind of backend).
///
/// The file is replaced at once, so it is never half written, and removed when the call has converged or completed; its
/// layout is docs/files.md. A file of a call with other options, another box or another number of variables is refused
/// by an exception, as is one that is damaged; that the integrand is the same is for the caller to know. Tolerance and
/// limits may change from call to call.
///
/// Under the policy `adaptive` a tighter tolerance may need fp64 where the file was left by fp32: map and strata then
/// go on, and the estimates made in fp32 stay out of the result, as a remark says. What was left by fp64 goes on in
/// fp64.
struct Checkpoint {
  /// Empty: none.
  std::string file = {};
  /// It is written by the first iteration that ends so long after it was written last, and at the end.
  double seconds = 10;
};

} // namespace kubature

#pragma once

namespace kubature::app {

/// Has the threads of GNU's OpenMP give up their cores after some microseconds of waiting for each other, instead of
/// milliseconds: beside other busy processes calls then take half as long, and as long as before on a quiet machine
/// (docs/performance.md). OpenMP reads such a setting before main, so the program starts itself once more, unless the
/// user has chosen how threads wait.
/// @param argv of main
void wait_briefly(char** argv);

} // namespace kubature::app

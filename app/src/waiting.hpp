#pragma once

namespace kubature::app {

/// Makes the threads of GNU's OpenMP yield their cores after some microseconds of waiting for each other, instead of
/// milliseconds: on a machine with other busy processes calls then take half as long, on a quiet one as long as before
/// (docs/cuba-and-gsl.md). OpenMP reads such a setting before main, so the program re-executes itself, unless the
/// user has chosen how threads wait.
/// @param argv of main
void wait_briefly(char** argv);

} // namespace kubature::app

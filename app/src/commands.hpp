#pragma once

#include "options.hpp"

namespace kubature::app {

/// The exit statuses: complete, failed, invalid input, or ended without meeting the tolerance.
inline constexpr int success = 0, failed = 1, bad_input = 2, not_met = 3;

/// The commands of the program; each returns the exit status.
int integrate_command(Options const& options);
int histogram_command(Options const& options); ///< `integrate --histogram`
int many_command(Options const& options);
int peaks_command(Options const& options);
int evidence_command(Options const& options);
int suite_command(Options const& options);
int ladder_command(Options const& options); ///< `suite ladder`
int list_command(Options const& options);
int info_command(Options const& options);
int policies_command(Options const& options);

/// Sets the constants that --policy names.
void use_policies(Options const& options);

} // namespace kubature::app

#pragma once

#include <kubature/communicator.hpp>

#include <Kokkos_Core.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace kubature::perf {

using Json = nlohmann::ordered_json;

/// The execution space that studies measure.
using Space = Kokkos::DefaultExecutionSpace;
inline constexpr bool on_host = Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible;

/// The main() of a study: reads the command line, adding the options --output, --policy and --sources, starts Kokkos,
/// and writes the record that `measure` fills. The record begins with time, machine, backend, versions, compiler,
/// commit, digest of the sources and command line, and ends with the seconds that all took. Of several processes, the
/// first writes it.
int study(std::string const& name, CLI::App& app, int argc, char** argv,
          std::function<void(Json& record)> const& measure, Communicator const& ranks = {});

/// The median; for an even number of values, the mean of the middle two.
double median(std::vector<double> values);

} // namespace kubature::perf

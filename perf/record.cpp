#include "record.hpp"

#include "build_state.hpp"
#include "source_state.hpp"

#include <kubature/backend.hpp>
#include <kubature/detail/policies/policy.hpp>
#include <kubature/version.hpp>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace kubature::perf {
namespace {

std::string now() {
  std::time_t const time = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  return text;
}

/// The beginning of every study's record.
Json heading(std::string const& study) {
  Json result;
  result["study"] = study;
  result["time"] = now();
  for (auto const& b : backends())
    result["backends"].push_back(
        {{"backend", b.backend}, {"device", b.device}, {"concurrency", b.concurrency}, {"memory", b.memory}});
  result["kubature"] = version().number;
  result["commit"] = KUBATURE_COMMIT;
  result["kokkos"] = version().kokkos;
  result["compiler"] = version().compiler;
  result["flags"] = KUBATURE_FLAGS;
#ifdef CUDA_VERSION
  result["cuda"] = std::to_string(CUDA_VERSION / 1000) + '.' + std::to_string(CUDA_VERSION % 1000 / 10);
#endif
  return result;
}

/// Writes the record to the file, or to standard output for "-".
void write(Json const& record, std::string const& file) {
  if (file == "-") {
    std::cout << record.dump(1) << '\n';
    return;
  }
  std::ofstream out(file);
  out << record.dump(1) << '\n';
  if (!out.flush())
    throw std::runtime_error("cannot write " + file);
}

} // namespace

int study(std::string const& name, CLI::App& app, int argc, char** argv,
          std::function<void(Json& record)> const& measure, Communicator const& ranks) {
  std::string output = "-", policies;
  app.add_option("--output", output, "File for the record; by default standard output");
  app.add_option_function<std::string>(
         "--policy",
         [&](std::string const& text) {
           try {
             detail::set_policies(policies = text);
           } catch (std::invalid_argument const& refused) {
             throw CLI::ValidationError("--policy", refused.what());
           }
         },
         "Constants to set: see `kubature policies`")
      ->type_name("NAME=VALUE,...");
  CLI11_PARSE(app, argc, argv);
  Kokkos::ScopeGuard const guard(device_of(ranks).set_disable_warnings(true));
  Json record = heading(name);
  if (!policies.empty())
    record["policy"] = policies;
  measure(record);
  if (ranks.rank() == 0)
    write(record, output);
  return 0;
}

double median(std::vector<double> values) {
  if (values.empty())
    throw std::invalid_argument("the median of nothing");
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

} // namespace kubature::perf

#include "record.hpp"

#include "build_state.hpp"
#include "digests.hpp"
#include "source_state.hpp"

#include <kubature/backend.hpp>
#include <kubature/detail/policies/policy.hpp>
#include <kubature/version.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string_view>

namespace kubature::perf {
namespace {

std::string now() {
  std::time_t const time = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  return text;
}

/// The digests of the sources of all studies, and of other programs of this build (perf/digest.py).
Json digests() { return Json::object({KUBATURE_DIGESTS}); }

/// The words of the command line but for the program and the option --output.
Json without_output(int argc, char** argv) {
  Json result = Json::array();
  for (int i = 1; i < argc; ++i) {
    std::string_view const word = argv[i];
    if (word == "--output")
      ++i;
    else if (!word.starts_with("--output="))
      result.push_back(word);
  }
  return result;
}

/// The beginning of every study's record.
Json heading(std::string const& study, int argc, char** argv) {
  Json result;
  result["study"] = study;
  result["time"] = now();
  for (auto const& b : backends())
    result["backends"].push_back(
        {{"backend", b.backend}, {"device", b.device}, {"concurrency", b.concurrency}, {"memory", b.memory}});
  result["kubature"] = version().number;
  result["commit"] = KUBATURE_COMMIT;
  Json const all = digests();
  if (all.contains(study))
    result["digest"][study] = all[study];
  result["arguments"] = without_output(argc, argv);
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
  auto const started = std::chrono::steady_clock::now();
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
  app.add_flag_callback(
      "--sources",
      [] {
        std::cout << Json{{"commit", KUBATURE_COMMIT}, {"digest", digests()}}.dump(1) << '\n';
        throw CLI::Success();
      },
      "Print commit and digests of the sources of all studies of this build, and exit");
  CLI11_PARSE(app, argc, argv);
  Kokkos::ScopeGuard const guard(device_of(ranks).set_disable_warnings(true));
  Json record = heading(name, argc, argv);
  if (!policies.empty())
    record["policy"] = policies;
  measure(record);
  record["wall_seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
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

#pragma once

#include "record.hpp"

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace kubature::perf {

/// The seconds that kernels take, by label; each kernel is waited for.
struct KernelTimes {
  inline static std::map<std::string, double> seconds;
  inline static std::string label;
  inline static Kokkos::Timer timer;

  static void begin(char const* name, std::uint32_t, std::uint64_t*) {
    label = name;
    Space().fence("kubature::study::begin");
    timer.reset();
  }
  static void end(std::uint64_t) {
    Space().fence("kubature::study::end");
    seconds[label] += timer.seconds();
  }

  static void watch(Kokkos::Tools::beginFunction first, Kokkos::Tools::endFunction last) {
    namespace tools = Kokkos::Tools::Experimental;
    tools::set_begin_parallel_for_callback(first);
    tools::set_end_parallel_for_callback(last);
    tools::set_begin_parallel_scan_callback(first);
    tools::set_end_parallel_scan_callback(last);
  }
};

} // namespace kubature::perf

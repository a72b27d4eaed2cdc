#pragma once

#include <kubature/automatic.hpp>

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

/// What the tests of Auto share: a fixture.
namespace automatic {

using namespace kubature;

/// In every space.
template <class Space>
class Automatic : public ::testing::Test {
protected:
  /// The methods in the order of their calls; consecutive calls of one method count once.
  template <class F, class Box>
  std::vector<std::string> methods(F const& f, Box const& box, Tolerance tolerance, Limits limits = {}) {
    std::vector<std::string> heard;
    kubature::integrate(exec, Auto{}, f, box, tolerance, limits, [&](Progress const& progress) {
      if (heard.empty() || heard.back() != progress.method)
        heard.emplace_back(progress.method);
      return true;
    });
    return heard;
  }

  /// The evaluations of the first method's first call, if another call follows.
  template <class F>
  double first_call(F const& f, Tolerance tolerance) {
    Side const side;
    double evaluations = 0;
    std::string first;
    kubature::integrate(
        exec, Auto{}, f, Box<>(std::span(&side, 1), f.dimension), tolerance, {}, [&](Progress const& progress) {
          first = first.empty() ? std::string(progress.method) : first;
          evaluations = progress.method == first ? static_cast<double>(progress.evaluations) : evaluations;
          return progress.method == first;
        });
    return evaluations;
  }

  template <class F, class Box>
  Result<> integrate(F const& f, Box const& box, Tolerance tolerance, Limits limits = {}) {
    return kubature::integrate(exec, Auto{}, f, box, tolerance, limits);
  }

  Space exec;
};

} // namespace automatic

#pragma once

#include <gtest/gtest.h>

/// What the tests of quasi-Monte Carlo points about a peak share: a fixture.
namespace peaks {

/// In every space.
template <class Space>
class PeakOn : public ::testing::Test {
protected:
  Space exec;
};

} // namespace peaks

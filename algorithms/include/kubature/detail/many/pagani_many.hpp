#pragma once

#include <kubature/detail/call/request.hpp>
#include <kubature/detail/many/many_record.hpp>

#include <Kokkos_Timer.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubature::detail {

/// The results of a launch over some of the integrals.
struct RefinedMany {
  std::vector<int> sizes;             ///< [integral of the launch]: number of parts; negative if it is finished
  std::vector<int> met;               ///< likewise, whether the tolerance is met
  std::vector<double> values, errors; ///< [component][integral of the call]
  std::vector<std::uint64_t> non_finite;
  std::uint64_t second_evaluations = 0; ///< of all launches
};

/// Refines many integrals at once, each in its own list of parts.
class ManyRegionsEngine {
public:
  virtual ~ManyRegionsEngine() = default;
  /// Allocates the data of each integral, within this many bytes. @returns false if there is no memory
  virtual bool begin(std::size_t bytes) = 0;
  /// The number of lists of this many parts that fit into this many bytes of the call.
  virtual std::uint64_t room(std::uint64_t parts, std::size_t bytes) const = 0;
  /// The number of integrals that keep the device busy.
  virtual std::uint64_t concurrency() const = 0;
  /// Refines integrals until the tolerance is met, there are `parts` parts, or the time is up.
  virtual RefinedMany refine(std::vector<std::uint32_t> const& which, int parts, double seconds) = 0;
};

/// Maximum number of regions of an integral's first grid: half of the parts of the first pass.
inline constexpr std::uint64_t most_regions_at_first = 64;

/// One call of integrate_many() by PAGANI: passes over the open integrals, with more parts for each.
class ManyPagani {
public:
  struct Call {
    int components;
    std::size_t count, total; ///< integrals of this rank, and of all that share the limits
    std::uint64_t points;     ///< of the rule
    std::uint64_t grid;       ///< regions of the first grid
    bool whole;               ///< whether it is compared with the box as one region
    NonFinite non_finite;
  };

  ManyPagani(ManyRegionsEngine& engine, Call const& call, Request const& request)
      : engine_(engine), call_(call), request_(request), record_(call.count, call.components, "pagani") {}

  ManyRecord compute();

private:
  bool pass(std::vector<std::uint32_t>& open, int parts, bool last);
  void read(std::vector<std::uint32_t> const& now, RefinedMany const& found, int parts, bool last,
            std::vector<std::uint32_t>& left);

  ManyRegionsEngine& engine_;
  Call call_;
  Request request_;
  ManyRecord record_;
  std::uint64_t evaluations_ = 0;
  Kokkos::Timer timer_;
};

} // namespace kubature::detail

#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace kubature::cuba {

/// A VEGAS map as a file keeps it.
struct Grid {
  int axes = 0, bins = 0;
  std::vector<double> edges;
};

/// The state file of a call: the values of the integrand so far. Calls repeat themselves, so that one that is resumed
/// finds the values at its points in the file and evaluates the integrand at the others only: its results are those of
/// a call that was never interrupted, to the bit.
///
/// The file begins with a Header and the edges of the map that the call began with. A record for each point follows: a
/// hash of the point, one of point and values, and the values.
class State {
public:
  struct Header {
    char kind[24] = "kubature-cuba-state 1\n";
    std::int32_t routine = 0, ndim = 0, ncomp = 0, bins = 0; ///< bins of the map; 0: it was not trained
  };

  /// @param grid the map that the call begins with; that of the file replaces it
  State(std::string file, int routine, int ndim, int ncomp, Grid& grid);

  bool restored() const { return restored_; }
  /// Why there is no state; empty if all is well.
  std::string const& problem() const { return problem_; }

  /// Fills f with the values at a point if the file has them.
  bool find(double const* x, double* f) const;
  /// Adds n points.
  void keep(std::int64_t n, double const* x, double const* f);
  void remove();

private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::size_t record() const { return 2 + static_cast<std::size_t>(ncomp_); } ///< its length, in words
  bool read(int routine, Grid& grid);
  void read_records();
  void begin(int routine, Grid const& grid);
  void write(void const* data, std::size_t bytes);

  std::string file_, problem_;
  int ndim_, ncomp_;
  std::unique_ptr<std::FILE, Close> stream_;
  bool restored_ = false;
  std::vector<std::uint64_t> records_;
  std::vector<std::size_t> order_; ///< where records begin, by the hashes of points
};

} // namespace kubature::cuba

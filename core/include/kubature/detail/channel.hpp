#pragma once

#include <kubature/detail/student_map.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

namespace kubature::detail {

/// One of the parts into which an integral over a box is divided: the background, or what surrounds one of several
/// peaks. The integrand is multiplied by the part's share, a smooth function; the shares of all parts add up to one.
/// Peak k, with centre m and covariance C, weighs g_k = h_k (1 + r^2 / 32)^-16, where r^2 = (x - m)^T C^-1 (x - m): a
/// Gaussian to about four widths, then Student's t distribution. The background weighs a constant. The points of a
/// peak's part are drawn by a StudentMap.
class Channel {
public:
  /// All points of a box that has no channels.
  KOKKOS_FUNCTION Channel() {} // NOLINT: = default would not be called on devices
  /// @param host, device the numbers of channel_numbers(), which must outlive the channel
  /// @param which 0 for the background, or the number of a peak, from 1
  Channel(double const* host, double const* device, int which) : host_(host), device_(device), which_(which) {}

  /// Whether there is a channel.
  KOKKOS_FUNCTION bool any() const { return host_ != nullptr; }
  /// Whether it is that of a peak, whose map is from the unit cube.
  KOKKOS_FUNCTION bool of_peak() const { return which_ > 0; }

  /// Maps a point of the unit cube into the box, if the channel is that of a peak.
  /// @param x its d coordinates, or those in the box
  /// @returns the derivative times the share of the channel
  KOKKOS_FUNCTION double map(double* x, int d) const { return map(numbers(), which_, x, d); }
  /// The centre of the peak.
  KOKKOS_FUNCTION double const* centre(int d) const { return peak_of(numbers(), which_, d) + 1; }

private:
  KOKKOS_FUNCTION double const* numbers() const {
    KOKKOS_IF_ON_HOST((return host_;))
    KOKKOS_IF_ON_DEVICE((return device_;))
  }
  /// Not inlined, since kernels would need its registers for boxes without channels, too; and static, since a pointer
  /// to an argument of a kernel makes nvcc copy all of them into local memory.
  [[gnu::noinline]] KOKKOS_FUNCTION static double map(double const* all, int which, double* x, int d) {
    double jacobian = 1;
    if (which > 0)
      jacobian = StudentMap(peak_of(all, which, d) + 1, d).map(x, [=](int i) {
        return Kokkos::pair(all[2 + i], all[2 + d + i]);
      });
    return jacobian * share(x, all, which, d);
  }

  /// The numbers begin with the number of peaks, the background's weight, and the least and the largest coordinates.
  /// Those of one peak are the height, the centre, and by rows the lower triangle of the Cholesky factor of the
  /// covariance.
  KOKKOS_FUNCTION static double const* peak_of(double const* all, int which, int d) {
    int const before = 2 + 2 * d, of_each = 1 + d + d * (d + 1) / 2;
    return all + before + (which - 1) * of_each;
  }

  KOKKOS_FUNCTION static double share(double const* x, double const* all, int which, int d) {
    double own = all[1], sum = all[1]; // the background's
    int const peaks = static_cast<int>(all[0]);
    for (int k = 1; k <= peaks; ++k) {
      double const* const peak = peak_of(all, k, d);
      double const *const at = peak + 1, *row = at + d;
      double y[max_dimension], square = 0;
      for (int i = 0; i < d; row += ++i) {
        double left = x[i] - at[i];
        for (int j = 0; j < i; ++j)
          left -= row[j] * y[j];
        y[i] = left / row[i];
        square += y[i] * y[i];
      }
      double weight = 1 / (1 + square / 32);
      for (int n = 0; n < 4; ++n)
        weight *= weight;
      weight *= peak[0];
      own = k == which ? weight : own;
      sum += weight;
    }
    return own / sum;
  }

  double const *host_ = nullptr, *device_ = nullptr;
  int which_ = 0;
};

} // namespace kubature::detail

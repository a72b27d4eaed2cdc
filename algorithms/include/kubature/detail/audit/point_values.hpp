#pragma once

#include <kubature/batched.hpp>
#include <kubature/box.hpp>
#include <kubature/detail/launch/host_threads.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/memory/batches.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/upload.hpp>
#include <kubature/detail/sampling/evaluate.hpp>
#include <kubature/integrand.hpp>
#include <kubature/point.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace kubature::detail {

/// What becomes of a value at a point of the unit cube.
enum class Weight {
  none,
  jacobian,             ///< it is multiplied by the volume and the Jacobian of the box
  logarithm_of_jacobian ///< of a logarithm: that of the volume and the Jacobian is added
};

/// The values of an integrand, in double precision, at points that the host chooses.
template <class Space, class P, class F, int D>
struct EvaluatePoints {
  using Sample = typename P::sample_type;
  using Eval = typename P::eval_type;
  static constexpr int components = ValueTraits<IntegrandValue<F, Eval, D>>::components;
  using Numbers = Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged>;

  F f;
  Transform<Sample, D> transform;
  int dimension;
  Numbers t;      ///< [point][axis], in the unit cube
  Numbers result; ///< [point][component]
  StoredPoints<Space> points;
  BatchValues<Space> values;
  Weight weight;

  struct Evaluate {};
  struct Place {}; ///< writes points for an integrand of batches
  struct Weigh {}; ///< reads its values

  KOKKOS_FUNCTION Point<Sample, D> point(std::uint64_t k, double& jacobian) const {
    Point<Sample, D> x;
    x.set_size(dimension);
    for (int i = 0; i < (is_dynamic<D> ? dimension : D); ++i)
      x[i] = transform.place(i, t(k * static_cast<unsigned>(dimension) + static_cast<unsigned>(i)));
    jacobian = transform.volume();
    if (transform.maps())
      jacobian *= transform.template map<double>(x);
    return x;
  }
  template <class Value>
  KOKKOS_FUNCTION void keep(std::uint64_t k, Value const& value, double jacobian) const {
    using Traits = ValueTraits<Value>;
    for (int c = 0; c < components; ++c)
      result(k * components + static_cast<unsigned>(c)) =
          weighted(static_cast<double>(Traits::get(value, c)), jacobian);
  }
  KOKKOS_FUNCTION double weighted(double value, double jacobian) const {
    return weight == Weight::none       ? value
           : weight == Weight::jacobian ? value * jacobian
                                        : value + Kokkos::log(jacobian);
  }
  /// Points per work item of a kernel, which an integrand may evaluate side by side.
  static constexpr int lanes = EvaluatesSideBySide<F, Eval, D, Tuning<Space>::batch> ? Tuning<Space>::batch : 1;

  KOKKOS_FUNCTION void operator()(Evaluate, std::uint64_t group) const {
    double jacobian[lanes];
    Point<Eval, D> x[lanes];
    std::uint64_t const first = group * lanes, all = result.extent(0) / components;
    for (int w = 0; w < lanes; ++w)
      x[w] = rounded<Eval>(
          point(first + static_cast<unsigned>(w) < all ? first + static_cast<unsigned>(w) : first, jacobian[w]));
    if constexpr (lanes > 1) {
      Eval value[lanes];
      f.batch(x, value);
      for (int w = 0; w < lanes && first + static_cast<unsigned>(w) < all; ++w)
        keep(first + static_cast<unsigned>(w), value[w], jacobian[w]);
    } else if constexpr (!is_in_memory<F>) {
      keep(first, f(x[0]), jacobian[0]);
    }
  }
  KOKKOS_FUNCTION void operator()(Place, std::uint64_t k) const {
    double jacobian;
    auto const x = point(k, jacobian);
    for (int i = 0; i < dimension; ++i)
      points(k, i) = x[i];
  }
  KOKKOS_FUNCTION void operator()(Weigh, std::uint64_t k) const {
    double jacobian;
    point(k, jacobian);
    keep(k, stored_value<components>(values, k), jacobian);
  }
};

/// The memory for such points and values, kept from call to call.
template <class Space>
class PointValues {
public:
  /// @param group the time of evaluations side by side, of one integrand
  /// @param t     points in the unit cube, mapped into the box by its transform: [point][axis]
  /// @returns f, times the volume of the box and the Jacobian of infinite sides: [point][component]
  template <class P, class F, int D>
  std::vector<double> operator()(HostThreads<Space> const& threads, TimedWork& group, F const& f, Box<D> const& box,
                                 std::vector<double> const& t) {
    auto const& exec = threads.all();
    using Kernel = EvaluatePoints<Space, P, InKernels<F, Space>, D>;
    auto const n = t.size() / static_cast<std::size_t>(box.dimension());
    std::vector<double> result(n * Kernel::components);
    auto const memory = points_.template as<double>(exec, t.size() + result.size());
    typename Kernel::Numbers const points(memory.data(), t.size()), values(points.data() + t.size(), result.size());
    upload(exec, points, t);
    evaluate<P>(threads, group, f, box, points, values, Weight::jacobian);
    download(exec, values, result.data());
    return result;
  }

  /// The kernel that evaluates f at points in memory of the device.
  template <class P, class F, int D, class Numbers>
  static auto kernel(F const& f, Box<D> const& box, Numbers const& points, Numbers const& values, Weight weight) {
    using Sample = typename P::sample_type;
    return EvaluatePoints<Space, P, InKernels<F, Space>, D>{in_kernels<Space>(f),
                                                            Transform<Sample, D>(box, CoordinateFormat::of<Sample>()),
                                                            box.dimension(),
                                                            points,
                                                            values,
                                                            {},
                                                            {},
                                                            weight};
  }

  /// Evaluates f at points in memory of the device.
  template <class P, class F, int D, class Numbers>
  void evaluate(HostThreads<Space> const& threads, [[maybe_unused]] TimedWork& group, F const& f, Box<D> const& box,
                Numbers const& points, Numbers const& values, Weight weight) {
    auto evaluation = kernel<P>(f, box, points, values, weight);
    using Kernel = decltype(evaluation);
    int const d = box.dimension();
    auto const n = points.size() / static_cast<std::size_t>(d);
    auto const launch = [&]<class Tag>(Tag, Space const& exec, std::uint64_t first, std::uint64_t items) {
      Kokkos::parallel_for(
          "kubature::audit::evaluate",
          as_argument(Kokkos::RangePolicy<Space, Tag, Kokkos::IndexType<std::uint64_t>>(exec, first, first + items)),
          evaluation);
    };
    if constexpr (is_batched<F>) {
      auto const& exec = threads.all();
      double* const batch =
          memory_.template as<double>(exec, n * static_cast<std::size_t>(d + Kernel::components)).data();
      evaluation.points = StoredPoints<Space>(batch, n, d);
      evaluation.values = BatchValues<Space>(batch + evaluation.points.size(), n, Kernel::components);
      launch(typename Kernel::Place(), exec, 0, n);
      f.f(exec, BatchPoints<Space>(evaluation.points), evaluation.values);
      launch(typename Kernel::Weigh(), exec, 0, n);
    } else {
      threads.run(group, 0, (n + Kernel::lanes - 1) / Kernel::lanes,
                  [&](Space const& exec, std::uint64_t first, std::uint64_t groups) {
                    launch(typename Kernel::Evaluate(), exec, first, groups);
                  });
    }
  }

private:
  Buffer<Space> points_{"kubature::audit::points"}, memory_{"kubature::audit::batches"};
};

} // namespace kubature::detail

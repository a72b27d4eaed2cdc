#include "peaks/launch.hpp"
#include "peaks/parts.hpp"

#include <kubature/detail/memory/upload.hpp>
#include <kubature/detail/peaks/mixture.hpp>
#include <kubature/detail/peaks/peak_engine.hpp>
#include <kubature/detail/spaces.hpp>
#include <kubature/detail/student_map.hpp>

#include <algorithm>
#include <cmath>

namespace kubature::detail {
namespace {

/// A mixture as kernels read it: the number of samples up to each density's last, the shares, then the components.
template <class Space>
struct MixtureInKernels {
  typename MixtureEngine<Space>::Numbers numbers;
  int dimension, components;

  KOKKOS_FUNCTION double last(int k) const { return numbers(static_cast<unsigned>(k)); }
  KOKKOS_FUNCTION double share(int k) const { return numbers(static_cast<unsigned>(components + 1 + k)); }
  /// @param k from 1
  KOKKOS_FUNCTION double const* centre(int k) const {
    int const before = 2 * (components + 1), of_each = dimension + dimension * (dimension + 1) / 2;
    return numbers.data() + before + (k - 1) * of_each;
  }
  KOKKOS_FUNCTION StudentMap map(int k) const { return {centre(k), dimension}; }
  KOKKOS_FUNCTION static Kokkos::pair<double, double> limits(int) { return {0, 1}; }
};

/// Draws a sample, and computes the densities of all components there, times their shares.
template <class Space>
struct DrawSample {
  using Numbers = typename MixtureEngine<Space>::Numbers;

  MixtureInKernels<Space> mixture;
  Kokkos::Array<std::uint32_t, 2> key;
  std::uint32_t list;
  Numbers at, densities; ///< [sample][axis]; [sample][component], from 1 on

  KOKKOS_FUNCTION void operator()(std::uint64_t n) const {
    auto const limits = [](int i) { return MixtureInKernels<Space>::limits(i); };
    int const d = mixture.dimension;
    double x[max_dimension];
    Candidates{d, key, list}.draw(n, x);
    int from = 0;
    while (from < mixture.components && static_cast<double>(n) >= mixture.last(from))
      ++from;
    if (from > 0)
      mixture.map(from).map(x, limits);
    for (int i = 0; i < d; ++i)
      at(n * static_cast<unsigned>(d) + static_cast<unsigned>(i)) = x[i];
    for (int k = 1; k <= mixture.components; ++k)
      densities(n * static_cast<unsigned>(mixture.components) + static_cast<unsigned>(k - 1)) =
          mixture.share(k) * mixture.map(k).density(x, limits);
  }
};

/// Turns logarithms of f into those of weights.
template <class Space>
struct WeighSample {
  using Numbers = typename MixtureEngine<Space>::Numbers;

  MixtureInKernels<Space> mixture;
  Numbers densities, values;

  KOKKOS_FUNCTION void operator()(std::uint64_t n) const {
    double density = mixture.share(0);
    for (int k = 0; k < mixture.components; ++k)
      density += densities(n * static_cast<unsigned>(mixture.components) + static_cast<unsigned>(k));
    double const weight = values(n) - Kokkos::log(density);
    values(n) = weight < Kokkos::Experimental::infinity_v<double> ? weight // not for NaN
                                                                  : -Kokkos::Experimental::infinity_v<double>;
  }
};

/// WeightedMoments of the samples of a block: of a component, in the unit cube; or of all, in the box.
template <class Space>
struct SumMoments {
  using Numbers = typename MixtureEngine<Space>::Numbers;
  static constexpr std::uint64_t block = 512;

  MixtureInKernels<Space> mixture;
  Transform<double, dynamic> transform;
  Numbers at, densities, log_weights, about; ///< about: the centre of all
  double log_scale;
  int from;     ///< the first component
  Numbers sums; ///< [block][component, or all][see WeightedMoments]

  KOKKOS_FUNCTION static int of_each(int d) { return 2 + d + d * (d + 1) / 2; }

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    int const d = mixture.dimension, sets = mixture.components + 1 - from, k = from + static_cast<int>(item % sets);
    bool const all = k == mixture.components;
    std::uint64_t const first = item / sets * block,
                        last = Kokkos::min<std::uint64_t>(first + block, log_weights.size());
    double* const to = sums.data() + item * static_cast<unsigned>(of_each(d));
    for (int e = 0; e < of_each(d); ++e)
      to[e] = 0;
    for (std::uint64_t n = first; n < last; ++n) {
      double const weight = Kokkos::exp(log_weights(n) - log_scale);
      if (!(weight > 0))
        continue;
      double const share = all ? 1 : probability(n, k);
      double away[max_dimension];
      place(n, all, k, away);
      double* entry = to;
      *entry++ += share * weight;
      *entry++ += share * weight * weight;
      for (int i = 0; i < d; ++i)
        *entry++ += share * weight * away[i];
      for (int i = 0; i < d; ++i)
        for (int j = 0; j <= i; ++j)
          *entry++ += share * weight * away[i] * away[j];
    }
  }

private:
  KOKKOS_FUNCTION double probability(std::uint64_t n, int k) const {
    double const* const of = densities.data() + n * static_cast<unsigned>(mixture.components);
    double sum = mixture.share(0);
    for (int i = 0; i < mixture.components; ++i)
      sum += of[i];
    return of[k] / sum;
  }
  KOKKOS_FUNCTION void place(std::uint64_t n, bool all, int k, double* away) const {
    int const d = mixture.dimension;
    double const* const t = at.data() + n * static_cast<unsigned>(d);
    if (all) {
      in_box(transform, d, t, away);
      for (int i = 0; i < d; ++i)
        away[i] -= about(static_cast<unsigned>(i));
    } else {
      for (int i = 0; i < d; ++i)
        away[i] = t[i] - mixture.centre(k + 1)[i];
    }
  }

public:
  KOKKOS_FUNCTION static void in_box(Transform<double, dynamic> const& transform, int d, double const* t, double* to) {
    Point<double, dynamic> x;
    x.set_size(d);
    for (int i = 0; i < d; ++i)
      x[i] = transform.place(i, t[i]);
    if (transform.maps())
      transform.template map<double>(x);
    for (int i = 0; i < d; ++i)
      to[i] = x[i];
  }
};

template <class Space>
struct PlaceSample {
  using Numbers = typename MixtureEngine<Space>::Numbers;

  Transform<double, dynamic> transform;
  int dimension;
  Numbers at; ///< in the unit cube, then in the box

  KOKKOS_FUNCTION void operator()(std::uint64_t n) const {
    double* const x = at.data() + n * static_cast<unsigned>(dimension);
    SumMoments<Space>::in_box(transform, dimension, x, x);
  }
};

} // namespace

template <class Space>
std::vector<double> MixtureEngine<Space>::sample(Mixture const& mixture, std::vector<std::uint64_t> const& counts,
                                                 std::uint64_t seed, std::uint32_t list) {
  components_ = mixture.components.size();
  centre_ = mixture.components[0].numbers;
  centre_.resize(static_cast<std::size_t>(dimension_));
  std::vector<double> numbers;
  std::uint64_t n = 0;
  for (auto const count : counts)
    numbers.push_back(static_cast<double>(n += count));
  numbers.push_back(mixture.uniform);
  for (auto const& component : mixture.components)
    numbers.push_back(component.share);
  for (auto const& component : mixture.components)
    numbers.insert(numbers.end(), component.numbers.begin(), component.numbers.end());

  auto const d = static_cast<std::size_t>(dimension_);
  Parts<Space> part(exec_, memory_, numbers.size() + n * (d + components_ + 1));
  numbers_ = part(numbers.size());
  at_ = part(n * d);
  densities_ = part(n * components_);
  log_weights_ = part(n);
  upload(exec_, numbers_, numbers);
  MixtureInKernels<Space> const in_kernels{numbers_, dimension_, static_cast<int>(components_)};
  launch(exec_, "kubature::peaks::draw_sample", n,
         DrawSample<Space>{in_kernels,
                           {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
                           list,
                           at_,
                           densities_});
  evaluate_(at_, log_weights_);
  launch(exec_, "kubature::peaks::weigh_sample", n, WeighSample<Space>{in_kernels, densities_, log_weights_});
  std::vector<double> log_weights(n);
  download(exec_, log_weights_, log_weights.data());
  return log_weights;
}

template <class Space>
std::vector<double> MixtureEngine<Space>::all_about() {
  std::vector<double> x(centre_.size());
  SumMoments<Space>::in_box(transform_, dimension_, centre_.data(), x.data());
  return x;
}

template <class Space>
std::vector<WeightedMoments> MixtureEngine<Space>::moments_from(std::size_t component, double log_scale) {
  using Kernel = SumMoments<Space>;
  auto const sets = components_ + 1 - component, of_each = static_cast<std::size_t>(Kernel::of_each(dimension_)),
             d = static_cast<std::size_t>(dimension_);
  auto const blocks = (log_weights_.size() + Kernel::block - 1) / Kernel::block;
  double* const memory = sums_.template as<double>(exec_, d + blocks * sets * of_each).data();
  Numbers const about(memory, d), sums(memory + d, blocks * sets * of_each);
  auto const centre = all_about();
  upload(exec_, about, centre);
  launch(exec_, "kubature::peaks::moments", blocks * sets,
         Kernel{{numbers_, dimension_, static_cast<int>(components_)},
                transform_,
                at_,
                densities_,
                log_weights_,
                about,
                log_scale,
                static_cast<int>(component),
                sums});
  std::vector<double> each(sums.size());
  download(exec_, sums, each.data());
  std::vector<WeightedMoments> result(sets, {0, 0, std::vector<double>(d), std::vector<double>(d * (d + 1) / 2)});
  for (std::size_t block = 0, e = 0; block < blocks; ++block)
    for (auto& set : result) {
      set.weight += each[e++];
      set.square += each[e++];
      for (auto* const list : {&set.first, &set.second})
        for (double& entry : *list)
          entry += each[e++];
    }
  return result;
}

template <class Space>
std::vector<double> MixtureEngine<Space>::points() {
  launch(exec_, "kubature::peaks::place_sample", log_weights_.size(), PlaceSample<Space>{transform_, dimension_, at_});
  std::vector<double> result(at_.size());
  download(exec_, at_, result.data());
  return result;
}

#define KUBATURE_INSTANTIATE(Space) template class MixtureEngine<Space>;
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail

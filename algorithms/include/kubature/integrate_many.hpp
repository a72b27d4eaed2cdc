#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/communicator.hpp>
#include <kubature/cubature_rule.hpp>
#include <kubature/detail/call/solver.hpp>
#include <kubature/detail/cubature/cubature.hpp>
#include <kubature/detail/many/by_ranks.hpp>
#include <kubature/detail/many/course.hpp>
#include <kubature/detail/many/refine_many.hpp>
#include <kubature/detail/many/vegas_many.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/upload.hpp>
#include <kubature/detail/memory/workspace.hpp>
#include <kubature/detail/policies/cubature_policy.hpp>
#include <kubature/error.hpp>
#include <kubature/many_results.hpp>
#include <kubature/pagani.hpp>
#include <kubature/progress.hpp>
#include <kubature/result.hpp>
#include <kubature/tolerance.hpp>
#include <kubature/vegas_plus_options.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubature {

namespace detail {

/// The course of one call of integrate_many().
template <class Space, class P, class F, class Parameters, int D>
class ManyIntegrals {
  using Kernel = RefineMany<Space, P, F, Parameters, D>;
  using Integrand = typename Kernel::G;
  using Value = ResultValue<Integrand, typename P::eval_type, D>;
  using Traits = ValueTraits<Value>;
  static constexpr int components = Kernel::components;
  template <class T>
  using List = Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged>;

public:
  ManyIntegrals(Space const& exec, Pagani<P> const& method, F const& f, std::vector<Box<D>> const& boxes,
                std::vector<Parameters> const& parameters, ManyRows const& rows, Tolerance tolerance, Limits limits,
                std::source_location where)
      : exec_(exec), method_(method), f_(f), tolerance_(tolerance), limits_(limits), dimension_(boxes[0].dimension()),
        count_(rows.size), total_(rows.total), rule_(method.rule, dimension_, where),
        grid_(start_grid(dimension_, first_parts / 2)), workspace_(exec) {
    std::vector<typename Kernel::BoxOnDevice> transforms;
    for (auto const& box : boxes)
      transforms.emplace_back(box, CoordinateFormat::of_arguments<P>());
    boxes_ = transforms_.template as<typename Kernel::BoxOnDevice>(exec, transforms.size());
    upload(exec, boxes_, transforms);
    list_ = parameters_.template as<Parameters>(exec, parameters.size());
    upload(exec, list_, parameters);
    exec.fence("kubature::many::upload");
    results_ = unknown_results<Value>(count_, "pagani", Space::name(), precision_name(method_.precision));
  }

  ManyResults<Value> compute(Callback const& callback) {
    std::vector<std::uint32_t> open(count_);
    std::iota(open.begin(), open.end(), 0u);
    if (begin())
      for (std::uint64_t parts = first_parts; !open.empty(); parts *= growth) {
        auto const affordable = limits_.evaluations / (2 * rule_.points() * total_);
        auto now = std::min({parts, affordable, most_parts});
        now = now > grid_.size ? now : 0;
        bool const last = now < parts || parts == most_parts;
        if (now == 0 || !pass(open, static_cast<int>(now), last, callback)) {
          if (now == 0)
            end(open, Status::evaluation_limit);
          break;
        }
        if (last)
          break;
      }
    results_.seconds = timer_.seconds();
    return std::move(results_);
  }

private:
  /// The number of parts per integral: few in the first pass, so that there is memory for all integrals at once, and
  /// `growth` times as many in each further pass, for the integrals that need more.
  static constexpr std::uint64_t first_parts = 128, growth = 16, most_parts = first_parts * growth * growth;

  /// Allocates memory for what is kept of each integral.
  bool begin() {
    auto const d = dimension_;
    std::size_t const bytes = bytes_of_regions(d, components, count_),
                      others = count_ * sizeof(std::uint64_t) + sizeof(Counters);
    if (bytes + others > std::min(limits_.bytes, free_memory(exec_)))
      return false;
    regions_ = regions_at(kept_.template as<std::byte>(exec_, bytes).data(), d, components, count_);
    auto* const numbers = others_.template as<std::byte>(exec_, others).data();
    Kokkos::deep_copy(exec_, List<std::byte>(numbers, others), std::byte{0});
    non_finite_ = reinterpret_cast<std::uint64_t*>(numbers);
    counters_ = reinterpret_cast<Counters*>(non_finite_ + count_);
    return true;
  }

  /// Refines the open integrals with this many parts each, and leaves those in the list for which they were too few.
  /// @returns false if the call has ended
  bool pass(std::vector<std::uint32_t>& open, int parts, bool last, Callback const& callback) {
    std::size_t const bytes_each = bytes_of_regions(dimension_, components, static_cast<std::uint64_t>(parts)) + 64;
    std::size_t const held = kept_.size() + others_.size() + transforms_.size() + parameters_.size();
    std::size_t const room =
        std::min(limits_.bytes - std::min(limits_.bytes, held), free_memory(exec_) / 2 + part_lists_.size());
    auto const at_once = std::min<std::uint64_t>({room / bytes_each, open.size(), most_at_once});
    if (at_once == 0) {
      end(open, Status::memory_exhausted);
      return false;
    }
    std::vector<std::uint32_t> left;
    std::size_t wave = limits_.seconds < Limits{}.seconds || callback
                           ? std::min<std::uint64_t>(at_once, static_cast<std::uint64_t>(exec_.concurrency()))
                           : at_once;
    for (std::size_t first = 0; first < open.size(); first += wave) {
      std::vector<std::uint32_t> const now(open.begin() + static_cast<std::ptrdiff_t>(first),
                                           open.begin() +
                                               static_cast<std::ptrdiff_t>(std::min(first + wave, open.size())));
      refine(now, parts, last, left);
      auto const rest = std::vector<std::uint32_t>(
          open.begin() + static_cast<std::ptrdiff_t>(first) + static_cast<std::ptrdiff_t>(now.size()), open.end());
      done_ = count_ - rest.size() - left.size();
      if (timer_.seconds() >= limits_.seconds || (callback && !callback(progress(results_, done_, timer_.seconds())))) {
        Status const status = timer_.seconds() >= limits_.seconds ? Status::time_limit : Status::stopped;
        end(rest, status);
        end(left, status);
        return false;
      }
    }
    open = std::move(left);
    return true;
  }

  void refine(std::vector<std::uint32_t> const& now, int parts, bool last, std::vector<std::uint32_t>& left) {
    std::size_t const n = now.size(), capacity = n * static_cast<std::size_t>(parts);
    auto const part_lists =
        regions_at(part_lists_.template as<std::byte>(exec_, bytes_of_regions(dimension_, components, capacity)).data(),
                   dimension_, components, capacity);
    auto const numbers = numbers_.template as<std::uint32_t>(exec_, n);
    auto const sizes = sizes_.template as<int>(exec_, 2 * n); // parts, and whether the tolerance is met
    upload(exec_, numbers, now);
    std::size_t used = 0;
    auto const table =
        rules_.template view<typename P::sample_type, typename P::accumulate_type>(exec_, rule_, workspace_, used);
    Kernel{f_,
           list_.data(),
           boxes_.data(),
           list_.size() > 1 ? 1u : 0u,
           boxes_.size() > 1 ? 1u : 0u,
           table,
           dimension_,
           method_.non_finite,
           non_finite_,
           policy<CubaturePolicy>().start_caution * rule_.norm(),
           grid_,
           grid_.halves(dimension_),
           regions_,
           part_lists,
           numbers.data(),
           sizes.data(),
           parts,
           tolerance_,
           method_.error_norm,
           counters_,
           Deadline(limits_.seconds - timer_.seconds()),
           sizes.data() + n}
        .launch(exec_, n);
    read(now, sizes, parts, last, left);
  }

  /// Reads what a launch has found.
  void read(std::vector<std::uint32_t> const& now, List<int> const& sizes, int parts, bool last,
            std::vector<std::uint32_t>& left) {
    auto const copy = [&]<class T>(T const* from, std::size_t size) {
      std::vector<T> to(size);
      Kokkos::deep_copy(exec_, Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(to.data(), size),
                        Kokkos::View<T const*, Space, Kokkos::MemoryUnmanaged>(from, size));
      return to;
    };
    auto const all = static_cast<std::size_t>(components) * count_;
    auto const size = copy(static_cast<int const*>(sizes.data()), 2 * now.size());
    auto const values = copy(static_cast<double const*>(regions_.values), all),
               errors = copy(static_cast<double const*>(regions_.errors), all);
    auto const bad = copy(static_cast<std::uint64_t const*>(non_finite_), count_);
    auto const counters = copy(static_cast<Counters const*>(counters_), 1);
    exec_.fence("kubature::many::read");
    std::uint64_t bisections = 0;
    for (std::size_t k = 0; k < now.size(); ++k) {
      std::size_t const i = now[k];
      int const used = std::abs(size[k]);
      bisections += static_cast<unsigned>(used) - grid_.size;
      bool const met = size[now.size() + k] != 0;
      bool zero = true;
      for (int c = 0; c < components; ++c) {
        std::size_t const place = static_cast<std::size_t>(c) * count_ + i;
        Traits::get(results_.value[i], c) = values[place];
        Traits::get(results_.error[i], c) = errors[place];
        zero = zero && values[place] == 0 && errors[place] == 0;
      }
      NonFiniteCount const of_these{bad[i]};
      results_.non_finite[i] = of_these.all();
      bool const over = timer_.seconds() >= limits_.seconds;
      results_.status[i] = met                                                     ? Status::converged
                           : used == parts && parts < static_cast<int>(most_parts) ? Status::evaluation_limit
                           : used == parts && !zero                                ? Status::memory_exhausted
                           : used < parts && over                                  ? Status::time_limit
                                                                                   : Status::precision_limit;
      if (of_these.serious() > 0 && method_.non_finite == NonFinite::error)
        give_up(i, Status::non_finite);
      else if (!met && used == parts && !last)
        left.push_back(now[k]);
    }
    evaluations_ += rule_.points() * ((grid_.size + (grid_.halves(dimension_) ? 1 : 0)) * now.size() + 2 * bisections);
    results_.evaluations = evaluations_ + counters[0].second_evaluations;
  }

  void give_up(std::size_t i, Status status) {
    for (int c = 0; c < components; ++c)
      Traits::get(results_.value[i], c) = Traits::get(results_.error[i], c) = std::numeric_limits<double>::quiet_NaN();
    results_.status[i] = status;
  }
  void end(std::vector<std::uint32_t> const& which, Status status) {
    for (auto const i : which)
      results_.status[i] = status;
  }

  static constexpr std::uint64_t most_at_once = std::uint64_t{1} << 20;

  Space exec_;
  Pagani<P> method_;
  F f_;
  Tolerance tolerance_;
  Limits limits_;
  int dimension_;
  std::size_t count_, total_, done_ = 0;
  CubatureRule rule_;
  Grid grid_;
  Kokkos::Timer timer_;
  Workspace<Space> workspace_;
  RuleTable<Space> rules_;
  Buffer<Space> transforms_{"kubature::many::boxes"}, parameters_{"kubature::many::parameters"},
      kept_{"kubature::many::integrals"}, others_{"kubature::many::counts"}, part_lists_{"kubature::many::part_lists"},
      numbers_{"kubature::many::numbers"}, sizes_{"kubature::many::sizes"};
  List<typename Kernel::BoxOnDevice> boxes_;
  List<Parameters> list_;
  Regions regions_;
  std::uint64_t* non_finite_ = nullptr;
  Counters* counters_ = nullptr;
  std::uint64_t evaluations_ = 0;
  ManyResults<Value> results_;
};

/// Throws InvalidArgument for what no method accepts.
template <int D, class Parameters>
void check_many(std::vector<Box<D>> const& boxes, std::vector<Parameters> const& parameters, Tolerance tolerance,
                Limits limits, std::source_location where) {
  static_assert(std::is_trivially_copyable_v<Parameters>, "parameters are copied to the device byte by byte");
  check(tolerance, where);
  check(limits, where);
  auto const least = std::min(boxes.size(), parameters.size()), most = std::max(boxes.size(), parameters.size());
  require(least > 0, "number of boxes and parameters", least, "at least one of each is needed", where);
  require(least == 1 || least == most, "number of boxes", boxes.size(),
          "there are " + std::to_string(parameters.size()) + " parameters; give one box, or one for each", where);
  require(most < std::size_t{1} << 31, "number of integrals", most, "must be below 2^31", where);
  for (auto const& box : boxes)
    require(box.dimension() == boxes[0].dimension(), "dimension of a box", box.dimension(),
            "the first box has " + std::to_string(boxes[0].dimension()), where);
}

/// Computes the integrals named by `rows`; these are their boxes and parameters.
template <class Space, class P, class F, int D, class Parameters>
auto compute_many(Space const& exec, Pagani<P> const& method, F const& f, std::vector<Box<D>> const& boxes,
                  std::vector<Parameters> const& parameters, ManyRows const& rows, Tolerance tolerance, Limits limits,
                  Callback const& callback, std::source_location where) {
  require(tolerance.asked(), "Tolerance", 0, "many integrals need a tolerance", where);
  return ManyIntegrals<Space, P, F, Parameters, D>(exec, method, f, boxes, parameters, rows, tolerance, limits, where)
      .compute(callback);
}
template <class Space, class F, int D, class Parameters>
auto compute_many(Space const& exec, VegasPlus<Fp64> const& method, F const& f, std::vector<Box<D>> const& boxes,
                  std::vector<Parameters> const& parameters, ManyRows const& rows, Tolerance tolerance, Limits limits,
                  Callback const& callback, std::source_location where) {
  auto const refuse = [&](bool asked, char const* option) {
    require(!asked, std::string("VegasPlus.") + option, "set", "many integrals do not have it", where);
  };
  refuse(!method.checkpoint.file.empty(), "checkpoint.file");
  refuse(method.restratify.value_or(false), "restratify");
  refuse(method.one_map, "one_map");
  refuse(method.covariance == Covariance::full, "covariance");
  return VegasMany<Space, F, Parameters, D>(exec, method, f, boxes, parameters, rows, tolerance, limits, where)
      .compute(callback);
}

} // namespace detail

/// Computes many integrals of one function, at many parameters and over many boxes, in a few launches. One team per
/// integral divides its box where the error is largest, as a single call would. Meant for integrals that are small by
/// themselves: thousands of them take about as long as one call of integrate().
///
/// @param exec       the execution-space instance on which every kernel, copy and allocation runs
/// @param method     Pagani: its options rule, error_norm, precision and non_finite apply;
///                   or VegasPlus in fp64, with all options but checkpoint, restratify, one_map and full covariance
/// @param f          f(x, p) of a Point<Real, D> and an integral's parameters: a function object for the device
/// @param boxes      one per integral, or one for all
/// @param parameters one per integral, or one for all, of a trivially copyable type
/// @param tolerance  of each integral; Pagani needs one
/// @param limits     of all together; bytes bound how many are computed at once. VegasPlus divides evaluations evenly
///                   among all integrals, and checks seconds between iterations
/// @param callback   called after each launch with how many are done (Progress::iteration); may stop the call
///
/// With Pagani, an integral that needs more than 32768 parts ends with Status::memory_exhausted; use integrate() for
/// it. While all values are zero, that many parts are examined: the integral has then converged if there is an absolute
/// tolerance, and ends with Status::precision_limit if there is none.
///
/// VegasPlus serves integrals in more variables, and with discontinuities: each has a map and strata of its own, and
/// one launch is one iteration of all that have not ended. An integral ends by the criteria of a single call: at least
/// two iterations, chi^2, and whether there was any variance. It draws the random numbers of the seed plus its number,
/// whatever the others are. Iterations do not grow beyond `evaluations` samples: with a tolerance there are up to 200
/// of them, otherwise 20. Values are not scaled: outside the range 1e-150 to 1e150 their squares overflow or underflow.
template <class Space, class Method, class F, int D, class Parameters>
  requires Kokkos::is_execution_space_v<Space>
auto integrate_many(Space const& exec, Method const& method, F const& f, std::vector<Box<D>> const& boxes,
                    std::vector<Parameters> const& parameters, Tolerance tolerance = {}, Limits limits = {},
                    Callback const& callback = {}, std::source_location where = std::source_location::current()) {
  return integrate_many(exec, Communicator(), method, f, boxes, parameters, tolerance, limits, callback, where);
}

/// As above, by several processes, which all make this call and get the same results, to the bit those of a single
/// process: each computes a part of the integrals. Limits.bytes applies to each process. With a callback or a time
/// limit the integrals are computed in up to 32 rounds; after each, callbacks are called and all processes vote.
///
/// @param ranks the processes; see communicator() in kubature/mpi.hpp
template <class Space, class Method, class F, int D, class Parameters>
  requires Kokkos::is_execution_space_v<Space>
auto integrate_many(Space const& exec, Communicator const& ranks, Method const& method, F const& f,
                    std::vector<Box<D>> const& boxes, std::vector<Parameters> const& parameters,
                    Tolerance tolerance = {}, Limits limits = {}, Callback const& callback = {},
                    std::source_location where = std::source_location::current()) {
  return ranks.agree([&] {
    detail::check_kokkos(where);
    detail::check_options(method, where);
    detail::check_many(boxes, parameters, tolerance, limits, where);
    auto const all = std::max(boxes.size(), parameters.size());
    if (ranks.size() == 1)
      return detail::compute_many(exec, method, f, boxes, parameters, {0, all, all}, tolerance, limits, callback,
                                  where);
    limits.bytes = std::min(limits.bytes, free_memory(exec) / static_cast<unsigned>(sharers(exec, ranks)));
    auto const part = [&](detail::ManyRows const& rows, Limits left) {
      return detail::compute_many(exec, method, f, detail::rows_of(boxes, rows), detail::rows_of(parameters, rows),
                                  rows, tolerance, left, {}, where);
    };
    using Value = typename decltype(part({}, limits).value)::value_type;
    auto const unknown =
        detail::unknown_results<Value>(all, Described<Method>::name, Space::name(), precision_name(method.precision));
    return detail::ManyByRanks<Value>(ranks, unknown, limits, callback)
        .compute(static_cast<std::uint64_t>(exec.concurrency()), part);
  });
}

/// As above, on the default execution space.
template <class Method, class F, int D, class Parameters>
  requires requires { Described<Method>::name; }
auto integrate_many(Method const& method, F const& f, std::vector<Box<D>> const& boxes,
                    std::vector<Parameters> const& parameters, Tolerance tolerance = {}, Limits limits = {},
                    Callback const& callback = {}, std::source_location where = std::source_location::current()) {
  detail::check_kokkos(where);
  return integrate_many(Kokkos::DefaultExecutionSpace(), method, f, boxes, parameters, tolerance, limits, callback,
                        where);
}

} // namespace kubature

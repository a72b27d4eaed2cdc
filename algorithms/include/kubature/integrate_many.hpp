#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/communicator.hpp>
#include <kubature/detail/call/request.hpp>
#include <kubature/detail/call/solver.hpp>
#include <kubature/detail/many/by_ranks.hpp>
#include <kubature/detail/many/regions_of_many.hpp>
#include <kubature/detail/many/samples_of_many.hpp>
#include <kubature/error.hpp>
#include <kubature/many_results.hpp>
#include <kubature/pagani.hpp>
#include <kubature/progress.hpp>
#include <kubature/tolerance.hpp>
#include <kubature/vegas_plus_options.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubature {

namespace detail {

/// Throws InvalidArgument for what no method accepts.
template <int D, class Parameters>
void check_many(std::vector<Box<D>> const& boxes, std::vector<Parameters> const& parameters, Request const& request) {
  require_few_variables<D>();
  auto const where = request.where;
  static_assert(std::is_trivially_copyable_v<Parameters>, "parameters are copied to the device byte by byte");
  check(request.tolerance, where);
  check(request.limits, where);
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
                  std::vector<Parameters> const& parameters, ManyRows const& rows, Request const& request) {
  require(request.tolerance.asked(), "Tolerance", 0, "many integrals need a tolerance", request.where);
  RegionsOfMany<Space, P, F, Parameters, D> engine(exec, method, f, boxes, parameters, rows.size, request);
  return ManyPagani(engine, engine.call(rows.total), request).compute();
}
template <class Space, class F, int D, class Parameters>
auto compute_many(Space const& exec, VegasPlus<Fp64> const& method, F const& f, std::vector<Box<D>> const& boxes,
                  std::vector<Parameters> const& parameters, ManyRows const& rows, Request const& request) {
  auto const refuse = [&](bool asked, char const* option) {
    require(!asked, std::string("VegasPlus.") + option, "set", "many integrals do not have it", request.where);
  };
  refuse(!method.checkpoint.file.empty(), "checkpoint.file");
  refuse(method.restratify.value_or(false), "restratify");
  refuse(method.one_map, "one_map");
  refuse(method.covariance == Covariance::full, "covariance");
  using Engine = SamplesOfMany<Space, F, Parameters, D>;
  Engine engine(exec, method, f, boxes, parameters, rows.first);
  return ManyVegas(method, engine, rows, boxes[0].dimension(), Engine::components,
                   driving_component(method, Engine::components, request.where), request)
      .compute();
}

/// The type of an integral's value.
template <class P, class F, class Parameters, int D>
using ManyValue = ResultValue<AtParameters<F, Parameters>, typename P::eval_type, D>;

} // namespace detail

/// Computes many integrals of one function, at many parameters and over many boxes, in a few launches. One team per
/// integral divides its box where the error is largest, as a single call would. Meant for integrals that are small by
/// themselves: thousands of them take about as long as one call of integrate().
///
/// @param exec       the execution-space instance on which every kernel, copy and allocation runs
/// @param method     Pagani: its options rule, precision and non_finite apply;
///                   or VegasPlus in fp64, with all options but checkpoint, restratify, one_map and full covariance
/// @param f          f(x, p) of a Point<Real, D> and an integral's parameters: a function object for the device
/// @param boxes      one per integral, or one for all
/// @param parameters one per integral, or one for all, of a trivially copyable type
/// @param tolerance  of each integral; Pagani needs one
/// @param limits     of all together; bytes bound the number computed at once. VegasPlus divides evaluations evenly
///                   among all integrals, and checks seconds between iterations
/// @param callback   called after each launch with the number of finished integrals (Progress::iteration); may stop the
///                   call
///
/// With Pagani, an integral that needs more than 32768 parts ends with Status::memory_exhausted; use integrate() for
/// it. While all values are zero, that many parts are examined: the integral has then converged if there is an absolute
/// tolerance, and ends with Status::precision_limit if there is none.
///
/// VegasPlus suits integrals in more variables, and with discontinuities: each has its own map and strata, and one
/// launch is one iteration of all that have not ended. An integral ends by the criteria of a single call: at least two
/// iterations, chi^2, and whether there was any variance. It draws the random numbers of the seed plus its number,
/// independently of the others. Iterations do not grow beyond `evaluations` samples: with a tolerance there are up to
/// 200 of them, otherwise 20. Values are not scaled: outside the range 1e-150 to 1e150 their squares overflow or
/// underflow.
template <class Space, class Method, class F, int D, class Parameters>
  requires Kokkos::is_execution_space_v<Space>
auto integrate_many(Space const& exec, Method const& method, F const& f, std::vector<Box<D>> const& boxes,
                    std::vector<Parameters> const& parameters, Tolerance tolerance = {}, Limits limits = {},
                    Callback const& callback = {}, std::source_location where = std::source_location::current()) {
  return integrate_many(exec, Communicator(), method, f, boxes, parameters, tolerance, limits, callback, where);
}

/// As above, by several ranks, which all make this call and get the same results, to the bit those of a single rank:
/// each computes a part of the integrals. Limits.bytes applies to each rank. With a callback or a time limit the
/// integrals are computed in up to 32 rounds; after each, callbacks are called and all ranks vote.
///
/// @param ranks see communicator() in kubature/mpi.hpp
template <class Space, class Method, class F, int D, class Parameters>
  requires Kokkos::is_execution_space_v<Space>
auto integrate_many(Space const& exec, Communicator const& ranks, Method const& method, F const& f,
                    std::vector<Box<D>> const& boxes, std::vector<Parameters> const& parameters,
                    Tolerance tolerance = {}, Limits limits = {}, Callback const& callback = {},
                    std::source_location where = std::source_location::current()) {
  return ranks.agree([&] {
    detail::check_kokkos(where);
    detail::check_options(method, where);
    detail::Request const request{tolerance, limits, callback, where};
    detail::check_many(boxes, parameters, request);
    auto const all = std::max(boxes.size(), parameters.size());
    using Value = detail::ManyValue<decltype(method.precision), F, Parameters, D>;
    auto const answer = [&](detail::ManyRecord record) {
      return detail::to_many<Value>(std::move(record), Space::name(), precision_name(method.precision));
    };
    if (ranks.size() == 1)
      return answer(detail::compute_many(exec, method, f, boxes, parameters, {0, all, all}, request));
    limits.bytes = std::min(limits.bytes, free_memory(exec) / static_cast<unsigned>(sharers(exec, ranks)));
    Callback const none;
    auto const part = [&](detail::ManyRows const& rows, Limits const& left) {
      return detail::compute_many(exec, method, f, detail::rows_of(boxes, rows), detail::rows_of(parameters, rows),
                                  rows, request.within(left).reporting_to(none));
    };
    detail::ManyRecord unknown(all, detail::ValueTraits<Value>::components, Described<Method>::name);
    return answer(detail::by_ranks(ranks, std::move(unknown), request.within(limits),
                                   static_cast<std::uint64_t>(exec.concurrency()), part));
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

#pragma once

#include <kubature/batched.hpp>
#include <kubature/box.hpp>
#include <kubature/channel_maps.hpp>
#include <kubature/channel_use.hpp>
#include <kubature/communicator.hpp>
#include <kubature/covariance.hpp>
#include <kubature/detail/call/integrable.hpp>
#include <kubature/detail/call/request.hpp>
#include <kubature/detail/call/solver.hpp>
#include <kubature/detail/components/padded.hpp>
#include <kubature/detail/peaks/channels.hpp>
#include <kubature/detail/peaks/second_look.hpp>
#include <kubature/detail/policies/peaks_policy.hpp>
#include <kubature/detail/probing/adapted.hpp>
#include <kubature/options.hpp>
#include <kubature/peaks.hpp>
#include <kubature/result.hpp>
#include <kubature/several_result.hpp>
#include <kubature/vegas_map.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubature::detail {

inline SeveralResult as_several(SeveralResult result) { return result; }
template <class Value>
SeveralResult as_several(Result<Value> result) {
  return to_several(std::move(result));
}
/// A result in the type of a call.
template <class Found>
Found as_found(SeveralResult result) {
  if constexpr (std::is_same_v<Found, SeveralResult>)
    return result;
  else
    return to_result<decltype(Found::value)>(std::move(result));
}

/// Calls use(f) with the integrand, padded to a number of components known at compile time if it has none.
template <class F, class Use>
SeveralResult with_known_components(F const& f, Use const& use) {
  if constexpr (has_run_time_components<F>)
    return with_padding(f, use);
  else
    return use(f);
}

/// The method that integrates the parts: the same, unless its points cannot go through a channel's map.
template <class Method>
struct MethodOfParts {
  using type = Method;
  static type from(Method const& method) { return method; }
};

/// Calls of a method, by channels where its options request it (see Channels, SecondLook). Parts have random numbers of
/// their own; maps that they train are kept for later calls with the same channels.
template <class Method, class Space>
class ByChannels {
  using Solver = typename SolverFor<Method, Space>::type;
  using OfParts = typename MethodOfParts<Method>::type;
  static constexpr bool has_options = requires(Method const& method) { method.channels; };
  static constexpr bool samples = requires(Method const& method) { method.evaluations; };
  static constexpr std::uint64_t pilot_iterations = 20; // as many as train a map

public:
  ByChannels(Space const& exec, Communicator const& ranks, Method const& method)
      : exec_(exec), ranks_(ranks), method_(method), search_(exec) {}

  /// @param solver of calls without channels
  template <class F, int D>
  auto integrate(Solver& solver, F const& f, Box<D> const& box, Request const& request) {
    if constexpr (!has_options) {
      return solver.solve(f, box, request);
    } else if constexpr (!serves<D>()) {
      refuse(request.where);
      return solver.solve(f, box, request);
    } else {
      if (too_many_components(f)) {
        refuse(request.where);
        return solver.solve(f, box, request);
      }
      using Found = decltype(solver.solve(f, box, request));
      Kokkos::Timer const timer;
      bool const first = method_.channels == Channels::always || !method_.known.empty();
      if (!first) {
        auto found = solver.solve(f, box, request);
        if (method_.channels == Channels::never || found.status != Status::converged || looked_at(found, box))
          return found;
        parts_ = 0;
        return as_found<Found>(look(solver, f, box, request, timer,
                                    [&](SecondLook& again) { return again.check(as_several(std::move(found))); }));
      }
      ++calls_;
      parts_ = 0;
      return as_found<Found>(look(solver, f, box, request, timer, [&](SecondLook& from) {
        auto found = from.from_the_start(method_.known);
        return method_.channels == Channels::never ? found : from.check(std::move(found));
      }));
    }
  }

  /// By the channels of the caller.
  template <class F, ChannelMaps C>
  auto integrate(Solver& solver, F const& f, C const& maps, Request const& request) {
    static_assert(std::is_same_v<OfParts, Method>, "the method does not integrate by channels");
    constexpr int d = C::variables;
    InChannel<F, C> part{f, maps, 0, maps.channels(), {}};
    require(part.count >= 1 && part.count <= most_channels, "channels", part.count,
            "there are between 1 and " + std::to_string(most_channels), request.where);
    using Found = decltype(solver.solve(part, Box<d>{}, request));
    Kokkos::Timer const timer;
    set({static_cast<double>(part.count)});
    ++calls_;
    parts_ = 0;
    auto const n = static_cast<std::size_t>(part.count);
    std::vector<double> weights(n, 1 / static_cast<double>(n));
    auto const integrate = [&](PartOfCall const& call, Request const& its_own) {
      part.which = static_cast<int>(call.channel);
      std::ranges::copy(weights, part.weights.data());
      return integrate_part(solver, part, Box<d>{}, call, its_own);
    };
    ChannelSum first(n, integrate, request, 0, timer);
    first.pilot();
    weights = first.weights();
    ChannelSum channels(n, integrate, request, first.evaluations(), timer);
    auto result = first.ended() ? first.sum() : channels.run();
    result.non_finite_at = place_of(maps, result.non_finite_at);
    if constexpr (samples)
      result.seed = method_.seed;
    result.seconds = timer.seconds();
    return as_found<Found>(std::move(result));
  }

private:
  template <ChannelMaps C>
  static std::vector<double> place_of(C const& maps, std::vector<double> const& u) {
    std::vector<double> x(u.empty() ? 0 : C::coordinates);
    if (!u.empty())
      maps.place(0, u.data(), x.data());
    return x;
  }

  template <int D>
  static constexpr bool serves() {
    return std::is_same_v<typename PrecisionOf<Method>::type, Fp64> && !many_variables<D>;
  }
  template <class F>
  static bool too_many_components([[maybe_unused]] F const& f) {
    if constexpr (has_run_time_components<F>)
      return f.count > most_correlated;
    else
      return false;
  }
  /// Throws InvalidArgument if channels are requested.
  void refuse(std::source_location where) const {
    require(method_.channels != Channels::always && method_.known.empty(), "channels", "always",
            "channels are those of an integral in fp64, in up to 20 variables, with up to 32 components", where);
  }

  /// Whether a converged result of cubature was compared with finer grids (CloseLook).
  template <class Found, int D>
  static bool looked_at(Found const& found, Box<D> const& box) {
    return found.regions > 0 && box.dimension() <= 2;
  }

  template <class F, int D, class Use>
  SeveralResult look(Solver& solver, F const& f, Box<D> const& box, Request const& request, Kokkos::Timer const& timer,
                     Use const& use) {
    std::uint64_t seed = 0;
    if constexpr (requires { method_.seed; })
      seed = method_.seed;
    return with_known_components(f, [&](auto const& climbed) {
      auto const on = on_device<Fp64, D, true>(exec_, climbed, box, request.where);
      auto engine = peak_engine(on, box, search_);
      SecondLook second({.climber = engine,
                         .set =
                             [&](std::vector<double> numbers) {
                               channels_.set(exec_, numbers);
                               set(std::move(numbers));
                             },
                         .integrate =
                             [&](PartOfCall const& part, Request const& its_own) {
                               return integrate_part(solver, f, box.through(channels_[static_cast<int>(part.channel)]),
                                                     part, its_own);
                             },
                         .whole = [&](Request const& rest) { return as_several(solver.solve(f, box, rest)); },
                         .box = Box<dynamic_many>(box),
                         .request = request,
                         .ranks = ranks_,
                         .timer = timer,
                         .seed = seed,
                         .on_gpu = on_device_of_its_own<Space>});
      auto result = use(second);
      if constexpr (requires { method_.seed; })
        result.seed = seed;
      result.seconds = timer.seconds();
      return result;
    });
  }

  /// Maps are of use to calls with the same numbers.
  void set(std::vector<double> numbers) {
    if (numbers != numbers_)
      maps_.clear();
    numbers_ = std::move(numbers);
  }

  template <class F, int D>
  SeveralResult integrate_part(Solver& solver, F const& f, Box<D> const& box, PartOfCall const& part,
                               Request const& request) {
    auto limits = request.limits;
    auto const pilot = policy<PeaksPolicy>().enough_of_part;
    if constexpr (samples) {
      auto const method = method_of(part);
      typename SolverFor<OfParts, Space>::type own(exec_, ranks_, method);
      if (part.pilot)
        limits.evaluations = std::min(limits.evaluations, std::max(pilot, pilot_iterations * method.evaluations));
      if constexpr (Described<OfParts>::serves.maps) {
        maps_.resize(std::max(maps_.size(), part.channel + 1));
        auto& map = maps_[part.channel];
        if (map)
          own.use(*map);
        auto result = as_several(own.solve(f, box, request.within(limits)));
        map = own.map();
        return result;
      } else {
        return as_several(own.solve(f, box, request.within(limits)));
      }
    } else {
      if (part.pilot)
        limits.evaluations = std::min(limits.evaluations, pilot);
      return as_several(solver.solve(f, box, request.within(limits)));
    }
  }

  OfParts method_of(PartOfCall const& part) {
    auto method = MethodOfParts<Method>::from(method_);
    auto const least = std::min<std::uint64_t>(method.evaluations, 1000);
    method.evaluations =
        std::max(least, static_cast<std::uint64_t>(part.share * static_cast<double>(method.evaluations)));
    method.seed += (part.channel + 1) * 0x9E3779B97F4A7C15 + part.pass * 0xC2B2AE3D27D4EB4F + calls_; // apart
    ++parts_;
    if constexpr (requires { method.checkpoint; })
      if (!method.checkpoint.file.empty())
        method.checkpoint.file += ".part" + std::to_string(parts_);
    return method;
  }

  Space exec_;
  Communicator ranks_;
  Method method_;
  std::uint64_t calls_ = 0; ///< by channels from the start
  std::uint64_t parts_ = 0; ///< integrated in this call
  std::vector<double> numbers_;
  PeakChannels<Space> channels_;
  SearchMemory<Space> search_;
  std::vector<std::optional<VegasMap>> maps_; ///< of the parts
};

} // namespace kubature::detail

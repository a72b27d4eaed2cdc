#pragma once

#include <kubature/detail/spaces.hpp>
#include <kubature/precision.hpp>

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

/// The execution spaces that this build enables, and their products with the precisions, for typed tests.
namespace spaces {

template <class... T>
struct List {
  using Types = ::testing::Types<T...>;
};

template <class... A, class... B>
List<A..., B...> join(List<A...>, List<B...>);

template <class First, class... Space>
List<Space...> rest(List<First, Space...>);

#define SPACES_APPEND(Space) , Space
#ifdef KOKKOS_ENABLE_CUDA // other builds test the spaces of the host, and nvcc takes twice as long with them
using AllSpaces = decltype(rest(List<void KUBATURE_FOR_CUDA(SPACES_APPEND)>{}));
#else
using AllSpaces = decltype(rest(List<void KUBATURE_FOR_EACH_SPACE(SPACES_APPEND)>{}));
#endif
#undef SPACES_APPEND

template <class Space, class P>
struct Case {
  using space = Space;
  using precision = P;
};

template <class... Space>
auto times(List<Space...>) {
  using namespace kubature;
  return join(join(List<Case<Space, Fp64>...>{}, List<Case<Space, Fp32>...>{}),
              join(List<Case<Space, Fp32Pure>...>{}, List<Case<Space, Fp16>...>{}));
}

using All = AllSpaces::Types;
using WithPrecisions = decltype(times(AllSpaces{}))::Types;

struct Names {
  template <class T>
  static std::string GetName(int) {
    if constexpr (requires { typename T::precision; }) {
      auto const name = kubature::precision_name(typename T::precision{});
      return std::string(T::space::name()) + '_' + name.substr(0, name.find(' '));
    } else {
      return T::name();
    }
  }
};

} // namespace spaces

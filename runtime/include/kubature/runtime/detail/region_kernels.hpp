#pragma once

#include <kubature/detail/cubature/evaluate_regions.hpp>
#include <kubature/detail/cubature/region_integral.hpp>
#include <kubature/expression.hpp>
#include <kubature/precision.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The kernels with which cubature evaluates formulas in a number of variables known at run time. nvcc needs minutes
/// for them, so the library contains them: include this wherever the templates integrate formulas.

namespace kubature::detail {

using FormulaSpace = Kokkos::DefaultExecutionSpace;
using FormulaIntegral = RegionIntegral<Fp64, DeviceExpression<FormulaSpace::memory_space>, dynamic>;

extern template void evaluate_regions_by<Workers::team>(FormulaSpace const&, FormulaIntegral const&, Regions const&,
                                                        NewRegions const&, std::uint64_t, std::uint64_t);
extern template void evaluate_regions_by<Workers::thread>(FormulaSpace const&, FormulaIntegral const&, Regions const&,
                                                          NewRegions const&, std::uint64_t, std::uint64_t);
extern template void evaluate_regions_by<Workers::lane>(FormulaSpace const&, FormulaIntegral const&, Regions const&,
                                                        NewRegions const&, std::uint64_t, std::uint64_t);

} // namespace kubature::detail

#pragma once

/// \file
/// Everything that integrating requires: the methods, integrands, boxes, tolerances and results.

#include <kubature/automatic.hpp>
#include <kubature/box.hpp>
#include <kubature/expectation.hpp>
#include <kubature/integrand.hpp>
#include <kubature/integrator.hpp>
#include <kubature/mcubes.hpp>
#include <kubature/mixed_precision.hpp>
#include <kubature/pagani.hpp>
#include <kubature/plain_monte_carlo.hpp>
#include <kubature/precision.hpp>
#include <kubature/precision_selection.hpp>
#include <kubature/quasi_monte_carlo.hpp>
#include <kubature/result.hpp>
#include <kubature/tolerance.hpp>
#include <kubature/two_phase.hpp>
#include <kubature/vegas_plus.hpp>

#pragma once

#include <kubature/box.hpp>
#include <kubature/formula_parameters.hpp>
#include <kubature/histogram.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kubature::app {

// Parsers of arguments of the command line. All of them throw BadInput, which begins with the argument.

std::vector<std::string> split(std::string const& text, char separator);

/// "0:1,-inf:pi/2".
std::vector<Side> box(std::string const& text);

/// Whether sides have names, as in "x=0:1,y=0:x" and "x~normal(0,1)".
bool names_sides(std::string const& text);

/// "ball 0,0,0 1", whose parts FormulaDomain::parse reads.
std::string shape(std::string const& text);

/// "a=3,b=pi/2": names in the expression and the numbers for which they stand.
std::vector<FormulaParameter> parameters(std::string const& argument, std::string const& text);

/// "1/2,3/2": pairs of components, counted from 1, whose ratios are wanted.
std::vector<std::pair<int, int>> ratios(std::string const& argument, std::string const& text);

/// "x+y:0:2:20": an observable, and the range and number of its bins.
std::pair<std::string, Bins> histogram(std::string const& argument, std::string const& text);

/// A whole number, such as 1000000 or 1e6.
std::uint64_t whole(std::string const& argument, std::string const& text, std::uint64_t least = 0);

/// The name of a file; must not be empty.
std::string file(std::string const& argument, std::string const& text);

} // namespace kubature::app

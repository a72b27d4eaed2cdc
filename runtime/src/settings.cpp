#include <kubature/runtime/settings.hpp>

#include "find.hpp"
#include "option_list.hpp"
#include "renamed.hpp"
#include "text.hpp"

#include <kubature/runtime/options.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kubature::runtime {
namespace {

template <class T, class Allowed>
void assign(std::string_view name, std::string_view text, T& value, Allowed const& allowed,
            std::source_location where) {
  T parsed = value;
  auto const problem = read(text, parsed);
  require(problem.empty(), name, text, problem, where);
  if constexpr (requires { allowed.sentence; })
    require(allowed.holds(parsed), name, text, allowed.sentence, where);
  value = parsed;
}

void assign(detail::AnyValues& values, std::string_view name, std::string_view text, std::source_location where) {
  std::visit(
      [&](auto& of) {
        detail::with_option(of, name,
                            [&](auto& value, auto const& allowed) { assign(name, text, value, allowed, where); });
      },
      values);
}

/// The name under which a value is kept: `evaluations` is another name of max_evaluations, unless the method has its
/// own option of this name.
std::string_view kept_as(MethodInfo const& method, std::string_view option) {
  bool const limit = option == "evaluations" &&
                     std::visit([]<class M>(detail::Values<M> const&) { return !detail::has_own<M>("evaluations"); },
                                detail::entry(method).defaults());
  return limit ? "max_evaluations" : option;
}

/// The names of a method's options.
std::vector<std::string_view> options_of(MethodInfo const& method) {
  std::vector<std::string_view> names;
  for (auto const& option : options())
    if (std::ranges::find(option.uses, method.name, &OptionUse::method) != option.uses.end())
      names.push_back(option.name);
  return names;
}

[[noreturn]] void refuse(MethodInfo const& method, std::string_view name, std::source_location where) {
  auto text = std::string(method.name) + " has no such option";
  if (auto const other = std::ranges::find(options(), name, &OptionInfo::name); other != options().end()) {
    text += "; methods that have it: " + listed(other->uses, &OptionUse::method);
  } else {
    auto const own = options_of(method);
    auto const hint = did_you_mean(name, own);
    text += hint + (hint.empty() ? "; its" : " Its") + " options are " + listed(own, std::identity());
  }
  throw InvalidArgument("option", std::string(name), text, where);
}

} // namespace

Settings::Settings(std::string_view method, std::string_view precision, std::source_location where)
    : method_(&find_method(method, where)),
      precision_(precision.empty() ? &default_precision(*method_) : &find_precision(precision, where)) {
  require(default_precision(*method_).name != adaptive_name || precision_->name == adaptive_name ||
              precision_->name == "fp64",
          "precision", precision,
          "the method " + std::string(method) + " chooses its precisions (" + std::string(adaptive_name) +
              ") or uses fp64",
          where);
}

Settings& Settings::set(std::string_view option, std::string_view value, std::source_location where) {
  if (!has(option))
    refuse(*method_, option, where);
  auto values = detail::entry(*method_).defaults();
  assign(values, option, value, where);
  given_.insert_or_assign(std::string(kept_as(*method_, option)), std::string(value));
  return *this;
}

bool Settings::has(std::string_view option) const {
  auto const& entry = detail::entry(*method_);
  return option != entry.fixed &&
         std::visit([&](auto const& of) { return detail::with_option(of, option, [](auto const&...) {}); },
                    entry.defaults());
}

std::string Settings::get(std::string_view option, std::source_location where) const {
  if (!has(option))
    refuse(*method_, option, where);
  std::string text;
  std::visit(
      [&](auto const& of) { detail::with_option(of, option, [&](auto const& value, auto&) { text = write(value); }); },
      detail::values_of(*this));
  return text;
}

Tolerance Settings::tolerance() const {
  return std::visit([](auto const& of) { return of.tolerance; }, detail::values_of(*this));
}

bool Settings::own_tolerance() const {
  return method_->name == Described<Auto<>>::name && !given_.contains("relative") && !given_.contains("absolute");
}

Limits Settings::limits() const {
  return std::visit([](auto const& of) { return of.limits; }, detail::values_of(*this));
}

void Settings::check(int dimension, int processes, std::source_location where) const {
  require(processes == 1 || method_->distributed, "method", method_->name, "it works in one process, not several",
          where);
  check_dimension(dimension, where);
  by_name([&] {
    std::visit(
        [&](auto const& of) {
          kubature::detail::check_options(of.method, where);
          if constexpr (requires { CubatureRule(of.method.rule, dimension); })
            CubatureRule(of.method.rule, dimension, where);
          if constexpr (requires { of.method.transform; })
            kubature::detail::check_transform(of.method.transform, dimension, where);
        },
        detail::values_of(*this));
  });
}

void Settings::check_dimension(int dimension, std::source_location where) const {
  if (dimension <= max_dimension)
    return;
  require(dimension <= most_variables, "dimension", dimension, "there are at most 1024 variables", where);
  need(*method_, &MethodInfo::many_variables,
       "it does not integrate over more than 20 variables, and there are " + std::to_string(dimension), where);
  require(precision_->name == "fp64", "precision", precision_->name,
          "more than 20 variables are integrated over in fp64, and there are " + std::to_string(dimension), where);
  require(!kubature::detail::on_device_of_its_own<Kokkos::DefaultExecutionSpace>, "dimension", dimension,
          "GPUs integrate over up to 20 variables whose number is known at run time, hosts over more", where);
}

namespace detail {

AnyValues values_of(Settings const& settings) {
  auto values = entry(settings.method()).defaults();
  for (auto const& [name, text] : settings.given())
    assign(values, name, text, std::source_location::current()); // set() has checked them
  std::visit(
      [&](auto& of) {
        if (settings.own_tolerance() && !settings.given().contains("seconds") &&
            !settings.given().contains("max_evaluations"))
          of.limits.seconds = auto_seconds;
        if (settings.given().contains("absolute") && !settings.given().contains("relative"))
          of.tolerance.relative = 0;
        // Cubature, whose options do not limit its work, treats a number of iterations as a limit.
        if constexpr (requires {
                        CubatureRule(of.method.rule, 1);
                        of.method.iterations;
                      })
          if (settings.given().contains("iterations"))
            of.limits.iterations = of.method.iterations;
        // Skip at most half of the iterations.
        if constexpr (requires { of.method.skip; })
          if (of.method.iterations > 0 && !settings.given().contains("skip"))
            of.method.skip = std::min(of.method.skip, of.method.iterations / 2);
      },
      values);
  return values;
}

} // namespace detail

InvalidArgument renamed(InvalidArgument const& refused) {
  auto name = refused.argument();
  auto const strip = [&](std::string_view prefix) {
    if (name.starts_with(prefix) && name.size() > prefix.size() && name[prefix.size()] == '.')
      name.erase(0, prefix.size() + 1);
  };
  strip("Tolerance");
  strip("Limits");
  for (auto const& entry : detail::entries())
    std::visit([&]<class M>(detail::Values<M> const&) { strip(Described<M>::type); }, entry.defaults());
  if (name == "checkpoint.file")
    name = "checkpoint";
  std::ranges::replace(name, '.', name.starts_with("checkpoint.") ? '_' : '.');
  return {name, refused.value(), refused.problem(), refused.where()};
}

} // namespace kubature::runtime

#include "distributions.hpp"

#include "names.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kubature::detail::expression {
namespace {

// Quantiles take the nearer end's probability: below 0 it is that of the upper tail.
constexpr std::array distributions{
    Distribution{"uniform",
                 {{{"lower bound"}, {"upper bound"}}},
                 "($q*$1+$u*$2)",
                 "min(max(($x-$1)/($2-$1),0),1)",
                 "min(max(($2-$x)/($2-$1),0),1)"},
    Distribution{"normal",
                 {{{"mean"}, {"standard deviation", true}}},
                 "($1+$2*copysign(norminv(min($u,$q)),$u-1/2))",
                 "normcdf(($x-$1)/$2)",
                 "normcdf(($1-$x)/$2)"},
    Distribution{"lognormal",
                 {{{"mean of the logarithm"}, {"standard deviation of the logarithm", true}}},
                 "exp($1+$2*copysign(norminv(min($u,$q)),$u-1/2))",
                 "normcdf((log(max($x,0))-$1)/$2)",
                 "normcdf(($1-log(max($x,0)))/$2)"},
    Distribution{"exponential",
                 {{{"rate", true}}},
                 "(-if($u<1/2,log1p(-$u),log($q))/$1)",
                 "(-expm1(-$1*max($x,0)))",
                 "exp(-$1*max($x,0))"},
    Distribution{"gamma",
                 {{{"shape", true}, {"scale", true}}},
                 "($2*gamma_quantile($1,if($u<1/2,$u,-$q)))",
                 "gamma_p($1,max($x,0)/$2)",
                 "gamma_q($1,max($x,0)/$2)"},
    Distribution{"beta",
                 {{{"first shape", true}, {"second shape", true}}},
                 "beta_quantile($1,$2,if($u<1/2,$u,-$q))",
                 "beta_i($1,$2,min(max($x,0),1))",
                 "beta_i($2,$1,1-min(max($x,0),1))"},
    Distribution{"student_t",
                 {{{"number of degrees of freedom", true}, {"location"}, {"scale", true}}},
                 "($2+$3*student_t_quantile($1,if($u<1/2,$u,-$q)))",
                 "student_t_cdf($1,($x-$2)/$3)",
                 "student_t_cdf($1,($2-$x)/$3)",
                 {"", "0", "1"}},
};

} // namespace

std::size_t Distribution::count() const {
  return static_cast<std::size_t>(std::ranges::count_if(parameters, [](auto const& one) { return !one.name.empty(); }));
}

std::string Distribution::pattern() const {
  std::string text(name);
  for (std::size_t k = 0; k < count(); ++k)
    text.append(k == 0                ? "("
                : defaults[k].empty() ? ", "
                                      : "[, ")
        .append(parameters[k].name)
        .append(defaults[k].empty() ? "" : "]");
  return text + ")";
}

Distribution const* find_distribution(std::string_view name) {
  auto const found = std::ranges::find(distributions, name, &Distribution::name);
  return found == distributions.end() ? nullptr : &*found;
}

std::string distribution_names() {
  std::vector<std::string> names;
  for (auto const& one : distributions)
    names.emplace_back(one.name);
  return listed(names);
}

std::string filled(std::string_view text, std::span<std::string const> parameters,
                   std::map<char, std::string> const& others) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '$')
      result += text[i];
    else if (char const name = text[++i]; name >= '1' && name <= '3')
      result += parameters[static_cast<std::size_t>(name - '1')];
    else
      result += others.at(name);
  return result;
}

} // namespace kubature::detail::expression

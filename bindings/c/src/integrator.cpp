#include "batches.hpp"
#include "handles.hpp"

#ifdef KUBATURE_WITH_MPI
#include <kubature/mpi.hpp>
#endif

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>
#include <utility>

using namespace kubature;
using namespace kubature::c;

Working& kubature_integrator::work() {
  check_process();
  if (!working) {
    begin_kokkos(ranks);
    working.reset(
        new Working{NeedsKokkos(*this), runtime::Integrator(Kokkos::DefaultExecutionSpace(), ranks, settings), {}});
    if (map)
      working->integrator.use(*map);
  }
  return *working;
}

void kubature_integrator::forget() {
  if (working && (!Kokkos::is_initialized() || forked_without_kokkos()))
    working.release(); // its memory was released with Kokkos, or belongs to another process
  working.reset();
}

namespace {

std::unique_ptr<kubature_result> made(runtime::SeveralResult result) {
  std::ostringstream text;
  text << result;
  return std::unique_ptr<kubature_result>(new kubature_result{std::move(result), text.str()});
}
std::unique_ptr<kubature_result> made(Result<> const& result) { return made(kubature::detail::to_several(result)); }

/// @tparam Domain Box or FormulaDomain
template <class Domain>
std::unique_ptr<kubature_result> integrate(kubature_integrator& integrator, kubature_integrand const& integrand,
                                           Domain const& box) {
  Computing const computing;
  auto& work = integrator.work();
  auto const run = [&](auto const&... f) {
    return made(work.integrator.integrate(f..., box, integrator.settings.tolerance(), integrator.settings.limits(),
                                          integrator.callback));
  };
  if (auto const* expression = std::get_if<Expression>(&integrand.f))
    return run(*expression);
  if (auto const* expressions = std::get_if<Expressions>(&integrand.f))
    return run(*expressions);
  return with_batches(integrand, work.rows, [&](runtime::BatchFunction const& f, int components) {
    return components == 1 ? run(f) : run(f, components);
  });
}

/// The method where none is named.
constexpr char const* by_default = "auto";

void create(char const* method, char const* precision, Communicator const& ranks, kubature_integrator** integrator) {
  runtime::Settings const settings(method ? method : by_default, precision ? precision : "");
  auto made = std::make_unique<kubature_integrator>(settings);
  made->ranks = ranks;
  *integrator = made.release();
}

/// Options of a call, which may change without affecting the integrator's state.
bool of_calls(std::string_view option) {
  return option == "relative" || option == "absolute" || option == "error_norm" || option == "seconds" ||
         option == "bytes" || option == "max_evaluations";
}

void set(kubature_integrator& integrator, std::string_view option, std::string_view value) {
  integrator.settings.set(option, value);
  if (!of_calls(option))
    integrator.forget();
}

/// Sets what a text names: "relative=1e-6 max_evaluations=1e6".
void set_all(runtime::Settings& settings, std::string_view options) {
  for (auto begin = options.find_first_not_of(" ,"); begin != options.npos; begin = options.find_first_not_of(" ,")) {
    options.remove_prefix(begin);
    auto const word = options.substr(0, options.find_first_of(" ,"));
    auto const sign = word.find('=');
    require(sign != word.npos, "options", word, "options are written name=value, as in relative=1e-6 seconds=10");
    settings.set(word.substr(0, sign), word.substr(sign + 1));
    options.remove_prefix(word.size());
  }
}

} // namespace

int kubature_integrator_create(char const* method, char const* precision, kubature_integrator** integrator) {
  return guarded([&] {
    given(integrator, "integrator");
    create(method, precision, {}, integrator);
  });
}

int kubature_integrator_create_mpi(char const* method, char const* precision, [[maybe_unused]] int communicator,
                                   kubature_integrator** integrator) {
  return guarded([&] {
    given(integrator, "integrator");
#ifdef KUBATURE_WITH_MPI
    create(method, precision, kubature::communicator(MPI_Comm_f2c(communicator)), integrator);
#else
    static_cast<void>(method);
    static_cast<void>(precision);
    throw Unsupported("this kubature was built without MPI (KUBATURE_MPI)");
#endif
  });
}

void kubature_integrator_destroy(kubature_integrator* integrator) { delete integrator; }

int kubature_set(kubature_integrator* integrator, char const* option, double value) {
  return guarded([&] {
    char text[64];
    auto const end = std::to_chars(text, text + sizeof text, value).ptr;
    set(given(integrator, "integrator"), given_text(option, "option"), {text, static_cast<std::size_t>(end - text)});
  });
}

int kubature_set_text(kubature_integrator* integrator, char const* option, char const* value) {
  return guarded(
      [&] { set(given(integrator, "integrator"), given_text(option, "option"), given_text(value, "value")); });
}

int kubature_get_text(kubature_integrator* integrator, char const* option, char const** value) {
  return guarded([&] {
    auto& of = given(integrator, "integrator");
    given(value, "value");
    of.text = of.settings.get(given_text(option, "option"));
    *value = of.text.c_str();
  });
}

int kubature_set_callback(kubature_integrator* integrator, kubature_callback callback, void* user) {
  return guarded([&] {
    auto& of = given(integrator, "integrator");
    of.callback = {};
    if (callback)
      of.callback = [callback, user](Progress const& progress) {
        std::string const method(progress.method);
        kubature_progress const state{method.c_str(), progress.iteration, static_cast<int64_t>(progress.evaluations),
                                      progress.value, progress.error,     progress.seconds};
        return callback(&state, user) == 0;
      };
  });
}

int kubature_integrate(kubature_integrator* integrator, kubature_integrand const* integrand, kubature_box const* box,
                       kubature_result** result) {
  return guarded([&] {
    auto& with = given(integrator, "integrator");
    auto const& over = given(box, "box");
    auto const f = given(integrand, "integrand").on(over);
    given(result, "result");
    auto found = over.text.empty() ? integrate(with, f, over.box) : integrate(with, f, over.domain(f.variables()));
    found->choices = with.work().integrator.choices();
    *result = found.release();
  });
}

int kubature_integrate_once(char const* method, kubature_function f, int components, void* user, int dimension,
                            double const* lower, double const* upper, char const* options, double* value, double* error,
                            kubature_status* status) {
  return guarded([&] {
    given(f, "f");
    given(lower, "lower");
    given(upper, "upper");
    require(components >= 1, "components", components, "an integrand has at least one component");
    require(dimension >= 1 && dimension <= most_variables, "dimension", dimension,
            "a box has between 1 and 1024 sides");
    runtime::Settings settings(method ? method : by_default);
    set_all(settings, options ? options : "");
    auto const size = static_cast<std::size_t>(dimension);
    kubature_integrator integrator(settings);
    kubature_integrand const integrand{HostFunction{f, components, user}};
    auto const found = integrate(integrator, integrand, runtime::box({lower, size}, {upper, size}));
    if (value)
      std::ranges::copy(found->result.value, value);
    if (error)
      std::ranges::copy(found->result.error, error);
    if (status)
      *status = kubature_result_status(found.get());
  });
}

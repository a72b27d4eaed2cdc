#include <kubature/detail/mixed_precision/mixed_strategy.hpp>

#include <kubature/box.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/policies/precision_policy.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

namespace kubature::detail {
namespace {

/// Adds what a term contributes to the rounding of a sum of `terms` of its format: each of the additions rounds a
/// partial sum, no larger than all magnitudes together, by an error of its own.
void add_rounding_of_sum(PrecisionChoice& choice, std::size_t terms) {
  constexpr double unit[] = {0x1p-11, 0x1p-24}; // half an epsilon
  double const additions = std::sqrt(static_cast<double>(terms - 1) / 3);
  for (std::size_t format = 0; format < std::size(unit); ++format)
    choice.bound[format] += unit[format] * additions * choice.average;
}

} // namespace

MixedStrategy::MixedStrategy(MixedPrecision<Fp64> const& options, MixedEngine& engine, Estimates& estimates,
                             Communicator const& ranks, Request const& request, MixedCall const& call,
                             ComponentWeights weights, std::vector<PrecisionChoice>& choices)
    : options_(options), engine_(engine), run_(estimates), ranks_(ranks), request_(request), call_(call),
      weights_(std::move(weights)), choices_(choices),
      strategy_(options.strategy == Strategy::automatic ? Strategy::term : options.strategy),
      loop_(engine, estimates, ranks, options.non_finite, ValueScale()) {}

std::string_view MixedStrategy::parts_name() const {
  return strategy_ == Strategy::term ? "terms" : strategy_ == Strategy::region ? "regions" : "parts";
}

void MixedStrategy::run(std::uint32_t& stream) {
  auto const schedule =
      loop_.find_schedule(options_.evaluations, options_.iterations, [this](std::uint64_t n) -> SamplingPlan {
        engine_.limit_batches(request_.limits.bytes);
        auto const samples = take_whole(n);
        hold();
        return {.samples = samples};
      });
  engine_.limit_batches(request_.limits.bytes);
  auto const samples = run_.ended() ? 0 : plan(schedule);
  hold();
  loop_.iterate(schedule.iterations, {.samples = samples}, stream);
  if (spared_)
    run_.remark("fp64 throughout: mixing formats would not be faster here");
}

/// Reserves the memory of cells and sums.
void MixedStrategy::hold() {
  auto const bytes = engine_.bytes(cells_), limit = request_.limits.bytes;
  if (bytes > limit)
    run_.give_up(Status::memory_exhausted);
  engine_.limit_batches(limit - std::min(limit, bytes));
  if (!run_.ended())
    engine_.set_cells(cells_);
}

/// Makes the whole box the only cell, in fp64. @returns the samples of an iteration
std::uint64_t MixedStrategy::take_whole(std::uint64_t wanted) {
  View view;
  view.parts.resize(1);
  describe(view);
  return stratify(view.regions, wanted, 1);
}

/// Chooses regions, formats and samples. @returns the samples of an iteration
std::uint64_t MixedStrategy::plan(Schedule const& schedule) {
  auto const& by = policy<PrecisionPolicy>();
  auto allowed = request_.limits.evaluations;
  if (run_.counted() > 0) // probing cannot be stopped
    allowed = static_cast<std::uint64_t>(
        std::min(static_cast<double>(run_.evaluations_left()), std::max(2.0, schedule.left)));
  bool const room = !ranks_.any(!engine_.reserve_for_probing());
  std::uint64_t const each = engine_.evaluations_of_probe(), look = by.most_probes * each;
  auto const affordable =
      std::min<std::uint64_t>(static_cast<std::uint64_t>(options_.regions), allowed / by.probes_part / look);
  auto const most =
      room
          ? static_cast<int>(std::min(affordable, std::max<std::uint64_t>(1, schedule.samples / by.samples_per_region)))
          : 0;
  auto const wanted =
      std::max<std::uint64_t>(2, std::min(schedule.samples, allowed - static_cast<std::uint64_t>(most) * look));
  double const samples_of_call =
      static_cast<double>(wanted) * std::min(schedule.iterations, request_.limits.iterations);
  bool const many = samples_of_call >= by.samples_per_probe * static_cast<double>(most) * static_cast<double>(look);

  View view;
  if (most > 0)
    run_.count(see(view, most, options_.strategy == Strategy::automatic ? many : strategy_ != Strategy::term) * each);
  else
    view.parts.resize(parts());
  describe(view);
  double const rounding = rounding_tolerance(view.regions, dimension(), call_.volume, request_.tolerance,
                                             options_.rounding, samples_of_call);
  if (by.by_prediction) {
    predict_formats(choices_, rounding, call_.costs);
  } else {
    choose_formats(choices_, rounding, call_.costs);
    spared_ = spare(choices_, parts(), call_.costs, call_.overhead, call_.by_sums);
  }
  auto const samples = stratify(view.regions, wanted, parts());
  if (!room)
    run_.give_up(Status::memory_exhausted);
  return samples;
}

/// Probes the whole box, regions and terms, as the strategy requires; an automatic one is chosen.
/// @returns the number of probed boxes
std::uint64_t MixedStrategy::see(View& view, int most, bool tries_regions) {
  std::uint64_t probed = 0;
  auto const probe = [&](std::vector<SubBox> const& fresh) {
    auto seen = engine_.probe_components(fresh, probed);
    probed += fresh.size();
    return seen;
  };
  auto const whole = probe(std::vector<SubBox>(1));
  std::vector<double> magnitudes;
  for (auto const& component : whole)
    magnitudes.push_back(component.magnitude);
  weights_.learn(magnitudes);
  view.regions = {{SubBox{}, joined(whole, weights_.values())[0]}};
  if (tries_regions) {
    auto regions = split(view.regions[0].seen, call_.lengths, most,
                         [&](auto const& fresh) { return joined(probe(fresh), weights_.values()); });
    if (options_.strategy == Strategy::automatic &&
        variance_left(regions, view.regions[0].seen, dimension()) <= policy<PrecisionPolicy>().most_variance_left)
      strategy_ = Strategy::region;
    if (strategy_ != Strategy::term)
      view.regions = std::move(regions);
  }
  if (by_term() && call_.term_by_term) {
    std::vector<SubBox> all;
    for (auto const& region : view.regions)
      all.push_back(region.box);
    view.parts = engine_.probe_terms(all, probed);
    return probed + all.size();
  }
  for (auto const& region : view.regions)
    view.parts.push_back(region.seen);
  return probed;
}

/// Lists the choices to be made: for each region, of all terms or of the integrand.
void MixedStrategy::describe(View const& view) {
  bool const whole = view.parts.size() == view.regions.size();
  std::string const integrand = "integrand";
  std::span<std::string const> const names = whole ? std::span(&integrand, 1) : std::span(call_.names);
  std::span<int const> const operations =
      whole ? std::span(&call_.operations_of_whole, 1) : std::span(call_.operations);
  choices_.clear();
  for (std::size_t i = 0; i < view.parts.size(); ++i) {
    std::size_t const part = i % names.size();
    auto const& box = view.regions[i / names.size()].box;
    auto choice = view.parts[i].describe(operations[part]);
    choice.name = names[part];
    if (strategy_ != Strategy::term)
      choice.name = (by_term() ? choice.name + " in " : "") + detail::describe(box, call_.origins, call_.lengths);
    choice.share = box.volume(dimension());
    if (part >= static_cast<std::size_t>(TermFormats::most))
      choice.bound.fill(infinity);
    else if (call_.by_sums && names.size() > 1)
      add_rounding_of_sum(choice, names.size());
    choices_.push_back(choice);
  }
}

/// Turns the regions into cells, sorted by the mix of formats of their launches, with their samples and teams.
/// @param parts choices for each region
/// @returns the samples of an iteration
std::uint64_t MixedStrategy::stratify(std::vector<ProbedCell> const& regions, std::uint64_t wanted, std::size_t parts) {
  std::vector<double> costs;
  for (std::size_t r = 0; r < regions.size(); ++r) {
    double cost = 0;
    for (auto const& choice : std::span(choices_).subspan(r * parts, parts))
      cost += choice.operations * call_.costs.of[static_cast<std::size_t>(choice.format)];
    costs.push_back(cost);
  }
  auto const counts = deal(regions, dimension(), costs, wanted);
  auto const segment = engine_.segment_length(wanted);
  std::array<std::vector<Cell>, mixes> sorted;
  for (std::size_t r = 0; r < regions.size(); ++r) {
    auto const fresh = cell(regions[r], counts[r], std::span(choices_).subspan(r * parts, parts), segment);
    Mix const mix = fresh.formats.all(Format::binary64, call_.terms)                      ? Mix::doubles
                    : !call_.infinite && fresh.formats.all(Format::binary32, call_.terms) ? Mix::singles
                                                                                          : Mix::terms;
    sorted[static_cast<std::size_t>(mix)].push_back(fresh);
  }
  cells_.cells.clear();
  std::uint64_t first = 0;
  int team = 0;
  for (std::size_t mix = 0; mix < sorted.size(); ++mix) {
    auto& launch = cells_.launches[mix];
    launch = {static_cast<int>(cells_.cells.size()), static_cast<int>(sorted[mix].size()), 0};
    for (Cell& fresh : sorted[mix]) {
      fresh.first = first;
      fresh.first_team = team;
      first += fresh.samples;
      team += fresh.teams;
      launch.teams += fresh.teams;
      cells_.cells.push_back(fresh);
    }
  }
  return first;
}

/// @param choices one for each term, or one for all
/// @param segment samples of a segment of a draw of the whole box
Cell MixedStrategy::cell(ProbedCell const& region, std::uint64_t samples, std::span<PrecisionChoice const> choices,
                         std::uint64_t segment) const {
  std::uint64_t const least = call_.least_samples;
  auto const segments = static_cast<std::uint64_t>(engine_.segments_per_team());
  Cell cell;
  cell.box = region.box;
  cell.share = region.box.volume(dimension());
  cell.samples = samples / least * least;
  for (int k = 0; k < std::min(call_.terms, TermFormats::most); ++k)
    cell.formats.set(k, choices[choices.size() > 1 ? static_cast<std::size_t>(k) : 0].format);
  cell.teams = static_cast<int>(Partition::ceil(cell.samples, segment * segments));
  cell.length = Partition::ceil(cell.samples, static_cast<std::uint64_t>(cell.teams) * segments);
  cell.length = Partition::ceil(cell.length, least) * least;
  return cell;
}

} // namespace kubature::detail

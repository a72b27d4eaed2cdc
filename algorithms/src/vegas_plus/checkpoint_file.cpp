#include <kubature/detail/vegas_plus/checkpoint_file.hpp>

#include <kubature/detail/checkpoint/file.hpp>
#include <kubature/detail/vegas_plus/restratification.hpp>
#include <kubature/error.hpp>

#include <filesystem>
#include <locale>
#include <sstream>
#include <tuple>
#include <type_traits>
#include <utility>

namespace kubature::detail {
namespace {

constexpr std::string_view kind = Described<VegasPlus<>>::name;

} // namespace

void CheckpointFile::serve_adaptive() { policy_ = precision_name(adaptive); }

std::string CheckpointFile::precision(std::source_location where) const {
  std::string precision;
  if (auto archive = open(where))
    archive->transfer(precision);
  return precision;
}

void CheckpointFile::forget() const {
  if (wanted() && ranks_.rank() == 0)
    std::filesystem::remove(path());
}

std::string CheckpointFile::agreement(std::string const& sides, std::string const& components, bool correlated,
                                      int driver) const {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(17);
  auto const write = [&]<class T>(T const& value) {
    if constexpr (std::is_same_v<T, double>)
      if (value == own_choice) {
        text << "automatic ";
        return;
      }
    text << value << ' ';
  };
  auto const add = [&](auto const& option) {
    if constexpr (requires { text << options_.*option.member; })
      if (option.resumed) {
        text << option.name << ' ';
        write(options_.*option.member);
      }
  };
  std::apply([&](auto const&... option) { (add(option), ...); }, Described<VegasPlus<>>::options);
  if (options_.restratify == true)
    text << "restratify ";
  else if (Restratification(options_.restratify, options_.evaluations).learns())
    text << "restratify automatic ";
  if (driver != 0)
    text << "driver " << driver << ' ';
  text << "precision " << policy_ << " components " << components << (correlated ? " covariance full" : "") << " box"
       << sides;
  return text.str();
}

bool CheckpointFile::load(std::string const& agreement, std::source_location where,
                          std::function<void(Archive&, std::string const&)> const& transfer) const {
  auto archive = open(where);
  if (!archive)
    return false;
  std::string precision, found;
  archive->transfer(precision);
  archive->transfer(found);
  require(found == agreement, "VegasPlus.checkpoint.file", path(), "it belongs to a call with other options: " + found,
          where);
  bool const same = precision == precision_;
  archive->expect(same || policy_ == precision_name(adaptive), "its precision is not that of the call");
  transfer(*archive, same ? std::string() : precision);
  return true;
}

void CheckpointFile::save(std::string agreement, std::source_location where,
                          std::function<void(Archive&)> const& transfer) const {
  Archive archive;
  std::string precision = precision_;
  archive.transfer(precision);
  archive.transfer(agreement);
  transfer(archive);
  if (ranks_.rank() == 0)
    write_file(path(), archive.save(kind), where);
}

std::optional<Archive> CheckpointFile::open(std::source_location where) const {
  if (!wanted())
    return {};
  bool const here = ranks_.rank() == 0 && std::filesystem::exists(path());
  if (!ranks_.any(here))
    return {};
  std::string contents = here ? read_file(path(), where) : std::string();
  ranks_.broadcast(contents);
  return Archive(std::move(contents), kind, path(), where);
}

} // namespace kubature::detail

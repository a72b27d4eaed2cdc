#pragma once

#include <kubature/box.hpp>
#include <kubature/checkpoint.hpp>
#include <kubature/communicator.hpp>
#include <kubature/detail/checkpoint/archive.hpp>
#include <kubature/detail/checkpoint/file.hpp>
#include <kubature/detail/vegas_plus/restratification.hpp>
#include <kubature/error.hpp>
#include <kubature/options.hpp>
#include <kubature/precision.hpp>

#include <filesystem>
#include <locale>
#include <optional>
#include <source_location>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace kubature {

template <class P>
struct VegasPlus;

namespace detail {

/// The file of a VEGAS+ checkpoint: which call it belongs to, and in which precision (docs/files.md). Process 0 reads
/// it for all, and writes it.
template <class P>
class CheckpointFile {
public:
  CheckpointFile(VegasPlus<P> const& options, Communicator const& ranks)
      : options_(options), ranks_(ranks), policy_(precision_name(P{})) {}

  /// Whether a file is named.
  bool wanted() const { return !options_.checkpoint.file.empty(); }

  /// With the policy `adaptive`, calls in fp32 and in fp64 share a checkpoint.
  void serve_adaptive() { policy_ = precision_name(adaptive); }

  /// The precision of the iterations in the file; empty if there is no file.
  std::string precision(std::source_location where) const {
    std::string precision;
    if (auto archive = open(where))
      archive->transfer(precision);
    return precision;
  }

  void forget() const {
    if (wanted() && ranks_.rank() == 0)
      std::filesystem::remove(path());
  }

  /// What a call has to agree with to resume from the file.
  template <int D>
  std::string agreement(Box<D> const& box, std::string const& components, bool correlated, int driver) const {
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
    std::apply([&](auto const&... option) { (add(option), ...); }, Described<VegasPlus<P>>::options);
    if (options_.restratify == true)
      text << "restratify ";
    else if (Restratification(options_.restratify, options_.evaluations).learns())
      text << "restratify automatic ";
    if (driver != 0)
      text << "driver " << driver << ' ';
    text << "precision " << policy_ << " components " << components << (correlated ? " covariance full" : "") << " box";
    for (int i = 0; i < box.dimension(); ++i)
      text << ' ' << box[i].lower << ':' << box[i].upper;
    return text.str();
  }

  /// Resumes from the file, if there is one, by transfer(archive, other), where `other` is the precision of the file if
  /// it is not that of the call. @returns whether there was one
  template <class Transfer>
  bool load(std::string const& agreement, std::source_location where, Transfer const& transfer) const {
    auto archive = open(where);
    if (!archive)
      return false;
    std::string precision, found;
    archive->transfer(precision);
    archive->transfer(found);
    require(found == agreement, "VegasPlus.checkpoint.file", path(),
            "it belongs to a call with other options: " + found, where);
    bool const same = precision == precision_name(options_.precision);
    archive->expect(same || policy_ == precision_name(adaptive), "its precision is not that of the call");
    transfer(*archive, same ? std::string() : precision);
    return true;
  }

  template <class Transfer>
  void save(std::string agreement, std::source_location where, Transfer const& transfer) const {
    Archive archive;
    std::string precision = precision_name(options_.precision);
    archive.transfer(precision);
    archive.transfer(agreement);
    transfer(archive);
    if (ranks_.rank() == 0)
      write_file(path(), archive.save(kind), where);
  }

private:
  static constexpr std::string_view kind = Described<VegasPlus<P>>::name;

  std::string const& path() const { return options_.checkpoint.file; }

  std::optional<Archive> open(std::source_location where) const {
    if (!wanted())
      return {};
    bool const here = ranks_.rank() == 0 && std::filesystem::exists(path());
    if (!ranks_.any(here))
      return {};
    std::string contents = here ? read_file(path(), where) : std::string();
    ranks_.broadcast(contents);
    return Archive(std::move(contents), kind, path(), where);
  }

  VegasPlus<P> options_;
  Communicator ranks_;
  std::string policy_; ///< requested by the user
};

} // namespace detail
} // namespace kubature

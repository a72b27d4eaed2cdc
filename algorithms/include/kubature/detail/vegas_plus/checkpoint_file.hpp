#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/checkpoint/archive.hpp>
#include <kubature/vegas_plus_options.hpp>

#include <functional>
#include <optional>
#include <source_location>
#include <string>

namespace kubature::detail {

/// The file of a VEGAS+ checkpoint: the call it belongs to, and its precision (docs/files.md). Rank 0 reads it for all,
/// and writes it.
class CheckpointFile {
public:
  /// @param precision of the call
  CheckpointFile(VegasPlus<Fp64> const& options, std::string const& precision, Communicator const& ranks)
      : options_(options), ranks_(ranks), precision_(precision), policy_(precision) {}

  /// Whether a file is named.
  bool wanted() const { return !path().empty(); }

  /// With the policy `adaptive`, calls in fp32 and in fp64 share a checkpoint.
  void serve_adaptive();

  /// The precision of the iterations in the file; empty if there is no file.
  std::string precision(std::source_location where) const;

  void forget() const;

  /// The properties of a call that must equal those of the file to resume from it.
  /// @param sides of the box, in words
  std::string agreement(std::string const& sides, std::string const& components, bool correlated, int driver) const;

  /// Resumes from the file, if there is one, by transfer(archive, other), where `other` is the precision of the file if
  /// it is not that of the call. @returns whether there was one
  bool load(std::string const& agreement, std::source_location where,
            std::function<void(Archive&, std::string const&)> const& transfer) const;

  void save(std::string agreement, std::source_location where, std::function<void(Archive&)> const& transfer) const;

private:
  std::string const& path() const { return options_.checkpoint.file; }
  std::optional<Archive> open(std::source_location where) const;

  VegasPlus<Fp64> options_;
  Communicator ranks_;
  std::string precision_;
  std::string policy_; ///< requested by the user
};

} // namespace kubature::detail

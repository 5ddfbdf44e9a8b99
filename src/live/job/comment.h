#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/job.h"

namespace penstock {

/// What a user states about a job in `sbatch --comment "penstock: gpus=1-8 deadline=6h"`.
struct UserOptions {
  std::string profile{};  ///< how it scales: a kind of the catalogue
  /// The numbers of GPUs with which it may be started, and restarted: it has checkpoints.
  struct Bounds {
    std::uint32_t least = 1;
    std::uint32_t most = 1;
    friend bool operator==(const Bounds&, const Bounds&) = default;
  };
  std::optional<Bounds> gpus{};
  std::optional<Duration> deadline_after{};  ///< its submission
  std::optional<Time> deadline{};
  std::optional<double> priority{};  ///< 1 to 5
  std::optional<double> batch{};     ///< over all GPUs
  std::optional<double> work{};      ///< samples in all
  bool checkpoint = false;           ///< may be stopped: it saves what it has when it is told to
  Duration grace{};                  ///< that it needs for this; 0 if it does not say
  std::string home{};                ///< the site where its files are
  double files_gb = 0;
  friend bool operator==(const UserOptions&, const UserOptions&) = default;
};

struct ReadComment {
  bool is_for_us = false;  ///< it has a part that begins with "penstock:"
  UserOptions user_options{};
  std::vector<std::string> problems{};  ///< a sentence for each word that was ignored
};

/// Reads a comment. Words that cannot be parsed are ignored, each with a problem: the job runs
/// whatever its comment says. The part for Penstock ends with the text or with ';'.
ReadComment read_comment(std::string_view comment);

/// Applies the user's options to a submitted job. A job without checkpoints is pinned.
void apply(const UserOptions& user_options, Job& job);

}  // namespace penstock

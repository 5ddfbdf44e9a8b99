#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/job.h"

namespace penstock {

/// What a user tells Penstock about a job, in `sbatch --comment "penstock: gpus=1-8 deadline=6h"`.
struct Wish {
  std::string profile{};  ///< how it scales: a kind of the catalogue
  /// Between these it may be started, and started again: it has checkpoints.
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
  friend bool operator==(const Wish&, const Wish&) = default;
};

struct ReadComment {
  bool is_for_us = false;  ///< it has a part that begins with "penstock:"
  Wish wish{};
  std::vector<std::string> complaints{};  ///< a sentence for each word that was passed over
};

/// Whatever a comment says, the job runs: what cannot be read is passed over and complained of. The
/// part for us ends with the text or with ';'.
ReadComment read_comment(std::string_view comment);

/// What a wish changes about a job that was submitted. One without checkpoints is pinned.
void apply(const Wish& wish, Job& job);

}  // namespace penstock

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace penstock {

/// POST /api/v1/jobs.
struct Submission {
  std::string script{};    ///< its text; begins with "#!"
  std::string work_dir{};  ///< absolute
  std::string name{};
  std::string partition{};
  std::string site{};  ///< empty: Penstock chooses
  std::string gpu_type{};
  std::string account{};
  std::string std_out{};
  std::optional<std::uint32_t> time_limit_min{};
  std::optional<std::uint32_t> node_count{};
  std::optional<std::uint32_t> gpus{};  ///< that Slurm is asked for
  std::string comment{};                ///< "penstock: ...", or empty
};

/// POST /api/v1/jobs/ID/progress.
struct ProgressReport {
  double done = 0;                ///< samples
  std::optional<double> saved{};  ///< of these in a checkpoint
  std::optional<Time> when{};
};

// Each refuses with every problem at once, as "body: gpus_most: what".
Result<Submission> parse_submission(std::string_view body);
Result<ProgressReport> parse_progress(std::string_view body);
/// POST /api/v1/pause: why; the body may be empty.
Result<std::string> parse_pause(std::string_view body);

}  // namespace penstock

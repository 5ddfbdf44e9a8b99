#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace penstock {

/// The user's options of a job, as the fields of a comment: {"gpus", "1-8"}.
using CommentFields = std::vector<std::pair<std::string, std::string>>;

/// "penstock: gpus=1-8 deadline=6h", which read_comment() reads without problems; empty if there
/// are no fields. The error names every word that is not possible, and what is.
Result<std::string> write_comment(const CommentFields& fields);

/// The options of `penstock submit`.
struct SubmitRequest {
  std::string profile{};
  std::string gpus{};  ///< "4" or "1-8"
  std::string deadline{};
  std::string priority{};
  std::string batch{};
  std::string work{};
  bool checkpoint = false;
  std::string grace{};
  std::string site{};
  std::string partition{};
  std::string name{};
  std::vector<std::string> words{};  ///< the script and its arguments, or what is for sbatch
};

/// What of a request belongs into the job's comment. "2m" of a length of time is two minutes.
CommentFields comment_fields(const SubmitRequest& request);

/// The lower bound of a number of GPUs, which is what Slurm is asked for; nothing if none are
/// named. They must have been checked by write_comment().
std::optional<std::uint32_t> least_gpus(const std::string& gpus);

/// The script with its arguments set on its second line, which only shells understand.
Result<std::string> with_arguments(const std::string& script,
                                   const std::vector<std::string>& words);

/// The command line for the user's own sbatch: what Penstock knows, then the user's own words, so
/// that what these say counts.
Result<std::vector<std::string>> sbatch_line(const SubmitRequest& request);

/// The body of POST /api/v1/jobs (docs/formats/api.md). Reads the script; it runs in this process's
/// folder.
Result<nlohmann::ordered_json> submission_json(const SubmitRequest& request);

}  // namespace penstock

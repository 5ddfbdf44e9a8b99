#pragma once

#include <slurm/slurm.h>

#include <optional>
#include <string>
#include <vector>

#include "bridge/command.h"

namespace penstock::slurm {

/// GPUs, clock and nodes in Slurm's words; an empty text makes Slurm forget an earlier wish.
struct WishText {
  std::optional<std::string> gpus_per_node{};
  std::optional<std::string> gpus_per_job{};
  std::optional<std::string> gpus_per_task{};
  std::optional<std::string> clock{};
  std::optional<std::string> nodes{};

  /// Must outlive the call that the job is handed to.
  void lend_to(job_desc_msg_t& job) const;
};

/// "gres:gpu:v100:4"; without a type: of any.
std::string gpu_text(const std::string& type, std::int64_t count);

/// "gpu:1200"; 0: none.
std::string clock_text(std::int64_t megahertz);

}  // namespace penstock::slurm

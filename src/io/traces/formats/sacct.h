#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace penstock {

/// GPUs that Slurm's text about resources names, and their types as "a100|v100".
struct NamedGpus {
  std::uint32_t count = 0;
  std::string types{};
};

/// Of what a job has in all: "cpu=8,gres/gpu=4,gres/gpu:a100=4,mem=64G".
NamedGpus gpus_in_tres(std::string_view text);

/// Of what was asked for, per node, job or task: "gres:gpu:a100:2", "gpu:3" or "gres:gpu", which
/// is one.
NamedGpus gpus_in_gres(std::string_view text);

}  // namespace penstock

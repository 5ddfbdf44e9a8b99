#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::bridge {

/// GPUs of one type as Slurm writes them: "gpu:v100:2(IDX:0-1)", "gres:gpu:4", "gpu:a100:8(S:0-1)".
struct GpuCount {
  std::string type{};  ///< "": any
  std::int64_t count = 0;
  std::vector<std::int64_t> indices{};
};

/// The GPUs of a list of generic resources; others are passed over, and so is what makes no sense.
std::vector<GpuCount> gpus_of(std::string_view resources);

/// "0-2,5" as numbers.
std::vector<std::int64_t> numbers_of(std::string_view ranges);

/// The clock in MHz of "gpu:1200,memory=900"; 0 if none is stated as a number.
std::int64_t clock_of(std::string_view frequencies);

}  // namespace penstock::bridge

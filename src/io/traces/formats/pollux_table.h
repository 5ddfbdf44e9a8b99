#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace penstock {

/// How long the whole training of one application takes on so many T4 GPUs, in
/// seconds, at batch sizes `smallest_batch` · 1, 2, 4 …; 0 where there is no more.
struct PolluxRunTimes {
  std::string_view application{};
  std::uint32_t gpus = 0;
  std::uint32_t smallest_batch = 0;
  std::array<double, 8> seconds{};
};
std::span<const PolluxRunTimes> pollux_run_times();

}  // namespace penstock

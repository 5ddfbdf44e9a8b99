#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace penstock {

/// Steps per second of a job alone on so many V100s of one machine.
std::optional<double> gavel_throughput(std::string_view job_type, std::uint32_t gpus);

}  // namespace penstock

#pragma once

#include <string>
#include <string_view>

namespace penstock {

/// "jobs" and "J3" are "jobs.J3", fit for a message: without control characters and not endless.
std::string json_path(std::string_view outer, std::string_view key);

}  // namespace penstock

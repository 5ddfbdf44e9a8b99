#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace penstock {

/// Those that run, those that wait in the order of submission, those that have ended, the latest
/// first.
void sort_queue(std::vector<nlohmann::ordered_json>& jobs);

/// For a terminal, units in the head; with `bills` what ended jobs have used.
std::string queue_table(const std::vector<nlohmann::ordered_json>& jobs, bool bills);

}  // namespace penstock

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "live/job/tracked_job.h"
#include "model/bill.h"

namespace penstock {

/// What the ledger says of a job that has ended.
struct EndedBill {
  Bill bill{};
  std::optional<Money> predicted{};
};

/// The journal's entry of a job that has ended, and of one of its runs (docs/formats/journal.md).
nlohmann::json ended_detail(const TrackedJob& job, const EndedBill& bill);
nlohmann::json run_detail(const std::string& ref, const LiveRun& run);
/// A run as run_detail() wrote it; nothing if it is not one.
std::optional<std::pair<std::string, LiveRun>> read_run(const nlohmann::json& detail);

}  // namespace penstock

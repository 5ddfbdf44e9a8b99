#pragma once

#include <nlohmann/json.hpp>

#include "page/run_tables.h"

namespace penstock {

/// What a run's options say of it beyond its files, as the head of a page has it.

/// A mean power that the policy may not pass: {"watts": …, "text": "40 kWh/h"}; null if it has no
/// such budget, or one for the whole run.
nlohmann::ordered_json budget_json(const RunSummary& run);

/// The curve of a learned policy, if it lies beside its weights; null if not.
nlohmann::ordered_json learning_json(const RunSummary& run);

/// Who went where.
nlohmann::ordered_json flows_json(const StoredRun& run, const RunTables& tables);

}  // namespace penstock

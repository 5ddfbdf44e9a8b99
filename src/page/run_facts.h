#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "page/stored/run.h"
#include "page/stored/tables.h"

namespace penstock {

/// Jobs whose files were at one site and that ran last at another, or at the same.
struct JobFlow {
  std::string from{};
  std::string to{};
  std::uint64_t jobs = 0;
  double gigabytes = 0;  ///< sent
  double gpu_hours = 0;  ///< held, wherever
};

/// Flows by the names of both sites; empty if there is one site only or jobs have no home.
std::vector<JobFlow> flows_of(std::span<const StoredJob> jobs, std::span<const std::string> sites);

/// Facts about a run beyond its files, for the head of a page.

/// A mean power that the policy may not pass: {"watts": …, "text": "40 kWh/h"}; null if it has no
/// such budget, or one for the whole run.
nlohmann::ordered_json budget_json(const RunSummary& run);

/// The curve of a learned policy, if it lies beside its weights; null if not.
nlohmann::ordered_json learning_json(const RunSummary& run);

/// The flows of jobs between sites.
nlohmann::ordered_json flows_json(const StoredRun& run, const RunTables& tables);

}  // namespace penstock

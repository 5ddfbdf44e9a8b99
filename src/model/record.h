#pragma once

#include <optional>

#include "model/bill.h"
#include "model/job.h"
#include "model/network.h"
#include "model/placement.h"

namespace penstock {

/// What became of one job, told once when it has ended.
struct JobRecord {
  const Job& job;
  Outcome outcome = Outcome::completed;
  Time first_start{};
  Time finish{};
  Duration held{};         ///< wall time during which it held GPUs, over all its runs
  const Placement& where;  ///< of its last run
  SiteId site{};           ///< of its last run
  double gpus_mean = 0;    ///< over the time it held any
  double clock_mean_mhz = 0;
  std::uint32_t preemptions = 0;
  std::uint32_t interruptions = 0;  ///< runs lost to failed nodes
  std::uint32_t resizes = 0;
  std::uint32_t migrations = 0;
  Bill bill{};
  TransferBill sent{};               ///< of its files between sites; not in `bill`
  std::optional<Money> predicted{};  ///< cost and rent, by what was believed; see engine/audit.h
};

}  // namespace penstock

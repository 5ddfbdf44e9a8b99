#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/bill.h"
#include "model/job.h"
#include "model/placement.h"

namespace penstock {

/// The record of one job, made once when it has ended.
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

/// Why a stretch ended.
enum class StretchEnd : std::uint8_t {
  finished,
  killed,
  preempted,
  resized,
  migrated,
  clock,        ///< another clock was set
  batch,        ///< another batch was set
  interrupted,  ///< a node failed
};

/// What files and pages call them, indexed by StretchEnd.
inline constexpr std::array<std::string_view, 8> kStretchEnds{
    "finished", "killed", "preempted", "resized", "migrated", "clock", "batch", "interrupted"};

/// A period in which a job held the same GPUs at the same clock and batch size; reported when it
/// ends. It is never empty: of several changes at one instant only the first ends a stretch.
struct Stretch {
  const Job& job;
  Time from{};
  Time to{};
  const Placement& where;
  SiteId site{};
  std::uint32_t clock_mhz = 0;  ///< 0 where clocks are not modelled
  double batch = 0;             ///< over all GPUs; 0 for a rigid job that names none
  StretchEnd ended_by = StretchEnd::finished;
};

}  // namespace penstock

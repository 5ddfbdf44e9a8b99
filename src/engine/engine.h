#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/backend.h"
#include "engine/ledger.h"
#include "engine/observer.h"
#include "model/models.h"
#include "policy/policy.h"

namespace penstock {

/// Refuses legal actions that are forbidden for other reasons.
class Fence {
 public:
  virtual ~Fence() = default;
  /// Why the action must not be carried out, or nothing if it may.
  virtual std::optional<std::string> refuses(const Action& action, const State& state) = 0;
};

/// What does not change during a run: machines, signals, costs, start.
struct Setting {
  const Cluster& cluster;
  std::span<const SiteSignals> signals;      ///< indexed by SiteId
  std::span<const SiteForecasts> forecasts;  ///< indexed by SiteId
  Costs costs{};
  Time start{};
  Learner* learner = nullptr;  ///< without one all jobs run rigid
  /// With a fence an action that is refused, or illegal, is left out and the policy is told;
  /// without one an illegal action is a bug and ends the program.
  Fence* fence = nullptr;
  bool explain = false;  ///< the policy is asked to say why
};

struct SiteResult {
  SiteBill bill{};
  Duration gpu_time{};  ///< GPUs times the time that jobs held them
  TransferBill sent{};  ///< files that left it
};

/// The sums of a run.
struct RunResult {
  std::vector<SiteResult> sites{};  ///< indexed by SiteId
  std::uint64_t submitted = 0;
  std::uint64_t ended = 0;
  std::uint64_t events = 0;
  std::uint64_t decisions = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t resizes = 0;
  std::uint64_t migrations = 0;
  std::uint64_t interruptions = 0;
  std::uint64_t node_sleeps = 0;
  std::optional<Time> first_submission{};
  std::optional<Time> last_finish{};
};

/// Runs `policy` against `backend` until the world ends. Simulated and live runs share this loop.
RunResult run(Backend& backend, Policy& policy, const Setting& setting, Observer& observer);

}  // namespace penstock

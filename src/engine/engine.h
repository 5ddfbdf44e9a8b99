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

/// Someone who may say no to what is legal.
class Fence {
 public:
  virtual ~Fence() = default;
  /// Why the action must not be carried out, or nothing if it may.
  virtual std::optional<std::string> refuses(const Action& action, const State& state) = 0;
};

/// The world's fixed side: machines, what they cost, when the run begins.
struct Setting {
  const Cluster& cluster;
  std::span<const SiteSignals> signals;      ///< indexed by SiteId
  std::span<const SiteForecasts> forecasts;  ///< indexed by SiteId
  Costs costs{};
  Time start{};
  Learner* learner = nullptr;  ///< nobody believes anything if absent: jobs run rigid
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

/// What a run added up to.
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

/// Runs `policy` against `backend` until the world ends. The one loop of the
/// program: simulated and live worlds go through it alike.
RunResult run(Backend& backend, Policy& policy, const Setting& setting, Observer& observer);

}  // namespace penstock

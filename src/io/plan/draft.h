#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/survival.h"
#include "io/json/object_reader.h"
#include "io/plan/request.h"

namespace penstock {

using NamePlaces = std::unordered_map<std::string_view, std::uint32_t>;

/// A part of a GPU that may be planned with.
struct GpuFraction {
  double inflation = 1;  ///< of the time on one GPU
  double memory = 0;     ///< GB
};

/// Slices of one GPU where requests name fractions: a quarter is one, a half two.
inline constexpr std::uint32_t kSlices = 4;
inline constexpr std::array<std::string_view, 2> kFractions = {"0.25", "0.5"};

/// The properties of a GPU type in a request.
struct PlannedType {
  std::vector<std::optional<double>> cost{};  ///< money an hour by GPUs in use, from 1 on
  std::uint32_t most = 0;                     ///< GPUs of its largest node
  std::string_view largest{};                 ///< that node
  std::array<std::optional<GpuFraction>, kFractions.size()> fractions{};  ///< as kFractions
};

/// A clock at which a job may run.
struct PlannedClock {
  std::uint32_t type = 0;
  std::uint32_t mhz = 0;
  double slowdown = 1;  ///< of the times at the clock of ProfilingData
  double cost = 0;      ///< money an hour for each GPU, more than GPUcosts; less if negative
};

/// GPUs of a node as the request counts them.
struct NodeCount {
  std::uint32_t free = 0;
  std::uint32_t total = 0;
  std::uint64_t running = 0;  ///< slices held by jobs of this request
  double cost = 0;            ///< money an hour, beside its GPUs
};

/// A request that is being read. Names are views into the document.
struct PlanDraft {
  PlanRequest request{};
  double restart = 0;
  std::vector<std::string_view> type_names{};
  std::vector<PlannedType> types{};
  std::vector<std::string_view> node_names{};
  std::vector<NodeCount> counts{};
  NamePlaces type_places{};
  NamePlaces node_places{};
  NamePlaces job_places{};  ///< filled only where jobs are running
  bool sound_nodes = true;  ///< all could be read
  /// Jobs whose epochs are uncertain, by their places, and the epochs that they may need.
  std::vector<std::pair<std::size_t, Survival>> uncertain{};
  /// Jobs whose clocks may be lowered, by their places.
  std::vector<std::pair<std::size_t, std::vector<PlannedClock>>> clocked{};
};

/// An instant in the form of currentTime.
std::optional<double> read_instant(ObjectReader& reader, std::string_view key, InstantForm form);
/// "4" is 4: no sign, no leading zero; nothing if it is no count of GPUs.
std::optional<std::uint32_t> gpu_count(std::string_view key);

// Sections of a request, in the order in which they must be read.
void read_costs(ObjectReader& root, PlanDraft& draft);
void read_fractions(ObjectReader& root, PlanDraft& draft);
void read_nodes(ObjectReader& root, PlanDraft& draft);
void read_jobs(ObjectReader& root, PlanDraft& draft);
void read_running(ObjectReader& root, PlanDraft& draft);
/// Jobs whose epochs are uncertain may run as is best for them. There must be no problems.
void settle_epochs(PlanDraft& draft);
/// Where GPUs suffice for all deadlines, jobs may run at the cheapest clock that is in time. There
/// must be no problems, and nodes are settled.
void settle_clocks(PlanDraft& draft);
/// How many GPUs each node has for the plan, and what they cost.
void settle_nodes(ObjectReader& root, PlanDraft& draft);

}  // namespace penstock

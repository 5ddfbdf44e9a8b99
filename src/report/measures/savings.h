#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace penstock {

/// The compared measures, in this order.
inline constexpr std::array<std::string_view, 6> kSavingMeasures{
    "energy_kwh", "cost", "carbon_kg", "jct_mean_s", "wait_mean_s", "tardiness_mean_s"};
inline constexpr std::size_t kMeasureCount = kSavingMeasures.size();

/// One value per measure; nothing where it is undefined (tardiness without deadlines).
using MeasureValues = std::array<std::optional<double>, kMeasureCount>;

/// One job as it really went, and as it goes when it is simulated under two policies: per measure
/// what it adds to the sum, or to the mean.
struct ComparedJob {
  MeasureValues happened{};
  MeasureValues former{};
  MeasureValues ours{};
};

struct Saving {
  double value = 0;  ///< less than under the former policy
  double low = 0;    ///< of the 95 % interval, see kSavingsMethod
  double high = 0;
  std::optional<double> percent{};  ///< of what the former policy would have used
};

/// What a policy saves. Where nothing can be concluded, `saved` is empty and `notes` say why.
struct Savings {
  std::string mode{};    ///< "shadow": the former policy really ran; otherwise ours did
  std::string policy{};  ///< "powerflow:energy_budget=40 kWh/h"
  std::string former{};
  std::string currency{};
  std::uint64_t jobs = 0;
  std::optional<Time> from{};
  std::optional<Time> until{};
  MeasureValues happened{};
  MeasureValues former_would{};  ///< simulated
  MeasureValues policy_would{};  ///< simulated
  std::array<std::optional<Saving>, kMeasureCount> saved{};
  MeasureValues
      model_error{};  ///< of the simulation of what really ran, as a part: 0.02 is too much
  std::vector<std::string> notes{};

  /// Simulated under the policy that really ran.
  const MeasureValues& replayed() const { return mode == "shadow" ? former_would : policy_would; }
};

/// How the interval is computed, in a sentence for readers.
inline constexpr std::string_view kSavingsMethod =
    "saved = simulated under the former policy - simulated under the policy, same jobs and models; "
    "low to high is the 95 % range of 1000 draws of blocks of jobs, widened on both sides by what "
    "the simulation of the policy that really ran misses of what happened";

/// Fills in what follows from the jobs, which are in order of submission; `savings.mode` says which
/// policy really ran. Seeded: same jobs, same interval.
void compare(std::span<const ComparedJob> jobs, Savings& savings);

/// One object on one line.
std::string savings_json(const Savings& savings);
/// A table for people; where nothing can be concluded, only the reason.
std::string savings_text(const Savings& savings);

}  // namespace penstock

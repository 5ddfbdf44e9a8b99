// jobs.ID.EpochsDistribution: jobs of which it is not known how many epochs they need.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "io/plan/draft.h"
#include "joint/stochastic.h"

namespace penstock {
namespace {

constexpr std::string_view kKey = "EpochsDistribution";
constexpr double kAgree = 1e-3;  // how far probabilities may be from 1 in all
constexpr double kSecondsPerHour = 3600;

std::optional<Survival::Outcome> outcome_of(const JsonValue& entry) {
  const auto epochs = entry.kind() == JsonKind::list ? entry.first() : std::nullopt;
  const auto probability = epochs ? epochs->next() : std::nullopt;
  const bool two = probability && entry.size() == 2 && epochs->kind() == JsonKind::number &&
                   probability->kind() == JsonKind::number;
  if (!two) return std::nullopt;
  return Survival::Outcome{.needed = epochs->number(), .probability = probability->number()};
}

std::string wrong_entry(std::size_t place, std::string_view what) {
  return fmt::format("entry {}: {}", place, what);
}

/// Why an entry cannot be; empty if it can.
std::string refusal(const std::optional<Survival::Outcome>& outcome, double most) {
  if (!outcome) return "must be [epochs, probability], two numbers";
  if (!(outcome->needed > 0 && outcome->needed <= most))
    return fmt::format("{} epochs are not above 0 and at most Epochs, {}", outcome->needed, most);
  if (!(outcome->probability >= 0 && outcome->probability <= 1))
    return fmt::format("{} is not a probability from 0 to 1", outcome->probability);
  return {};
}

/// Money a second of a way, as if the job were alone on its node.
double rate_of(const JointOption& option, const PlanDraft& draft) {
  const std::uint32_t slices = draft.request.problem.slices;
  const std::uint32_t gpus = gpus_for(option.slices, slices);
  const auto& cost = draft.types[option.type].cost;
  const double hourly = gpus < cost.size() ? cost[gpus].value_or(0) : 0;
  return hourly * option.slices / (double(gpus) * slices) / kSecondsPerHour;
}

/// Leaves of a job's options the best one of each type, and that by which it runs at present.
class Choosing {
 public:
  Choosing(JointJob& job, const Survival& needed, const PlanDraft& draft)
      : job_(job), needed_(needed), draft_(draft), chosen_(job.options.size(), false) {}

  void choose() {
    std::set<std::uint32_t> types;
    for (const JointOption& option : job_.options) types.insert(option.type);
    for (JointOption& option : job_.options)
      option.seconds *= needed_.expected(0, needed_.most()) / needed_.most();
    for (const std::uint32_t type : types) choose_for(type);
    leave_out();
  }

 private:
  void choose_for(std::uint32_t type) {
    std::vector<StochasticOption> ways;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < job_.options.size(); ++i) {
      const JointOption& option = job_.options[i];
      if (option.type != type) continue;
      ways.push_back({.speed = needed_.most() / option.worst, .rate = rate_of(option, draft_)});
      places.push_back(i);
    }
    const StochasticChoice choice =
        choose_stochastic(needed_, ways, job_.deadline - draft_.request.problem.now);
    JointOption& best = job_.options[places[choice.option]];
    best.seconds = choice.expected_seconds;
    best.worst = choice.worst_seconds;
    chosen_[places[choice.option]] = true;
  }

  void leave_out() {
    std::vector<JointOption> left;
    std::uint32_t running = 0;
    for (std::uint32_t i = 0; i < job_.options.size(); ++i) {
      const bool runs_so = job_.running && job_.running->option == i;
      if (runs_so) running = static_cast<std::uint32_t>(left.size());
      if (chosen_[i] || runs_so) left.push_back(job_.options[i]);
    }
    if (job_.running) job_.running->option = running;
    job_.options = std::move(left);
  }

  JointJob& job_;
  const Survival& needed_;
  const PlanDraft& draft_;
  std::vector<bool> chosen_;
};

}  // namespace

std::optional<Survival> read_distribution(ObjectReader& job, double most) {
  const auto list = job.value(kKey);
  if (!list || list->kind() != JsonKind::list || list->size() == 0) {
    job.problem(kKey, "must be a list of [epochs, probability]");
    return std::nullopt;
  }
  std::vector<Survival::Outcome> outcomes;
  double sum = 0;
  for (auto entry = list->first(); entry; entry = entry->next()) {
    const auto outcome = outcome_of(*entry);
    if (const std::string what = refusal(outcome, most); !what.empty()) {
      job.problem(kKey, wrong_entry(outcomes.size() + 1, what));
      return std::nullopt;
    }
    sum += outcome->probability;
    outcomes.push_back(*outcome);
  }
  if (std::abs(sum - 1) > kAgree) {
    job.problem(kKey, fmt::format("probabilities add up to {:.6g}, not to 1", sum));
    return std::nullopt;
  }
  std::ranges::stable_sort(outcomes, {}, &Survival::Outcome::needed);
  return Survival::steps(outcomes, most);
}

void settle_epochs(PlanDraft& draft) {
  for (const auto& [job, needed] : draft.uncertain)
    Choosing(draft.request.problem.jobs[job], needed, draft).choose();
}

}  // namespace penstock

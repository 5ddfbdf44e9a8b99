// jobs.ID.EpochsDistribution: jobs of which it is not known how many epochs they need.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "io/plan/draft.h"
#include "io/text/nearest.h"
#include "io/text/number.h"
#include "joint/objective.h"
#include "joint/stochastic.h"

namespace penstock {
namespace {

constexpr std::string_view kDistributionKey = "EpochsDistribution";
constexpr double kMostFromOne = 1e-3;  // how far probabilities may be from 1 in all

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
std::string refusal_of(const std::optional<Survival::Outcome>& outcome, double most) {
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
  return hourly * option.slices / (double(gpus) * slices) / kSecondsAnHour;
}

/// Leaves of a job's options the best one of each type, and that by which it runs at present.
class OptionChooser {
 public:
  OptionChooser(JointJob& job, const Survival& needed, const PlanDraft& draft)
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

/// How likely a job is to need how many epochs, `most` at worst.
std::optional<Survival> read_distribution(ObjectReader& job, double most) {
  const auto list = job.value(kDistributionKey);
  if (!list || list->kind() != JsonKind::list || list->size() == 0) {
    job.problem(kDistributionKey, "must be a list of [epochs, probability]");
    return std::nullopt;
  }
  std::vector<Survival::Outcome> outcomes;
  double sum = 0;
  for (auto entry = list->first(); entry; entry = entry->next()) {
    const auto outcome = outcome_of(*entry);
    if (const std::string what = refusal_of(outcome, most); !what.empty()) {
      job.problem(kDistributionKey, wrong_entry(outcomes.size() + 1, what));
      return std::nullopt;
    }
    sum += outcome->probability;
    outcomes.push_back(*outcome);
  }
  if (std::abs(sum - 1) > kMostFromOne) {
    job.problem(kDistributionKey, fmt::format("probabilities add up to {:.6g}, not to 1", sum));
    return std::nullopt;
  }
  std::ranges::stable_sort(outcomes, {}, &Survival::Outcome::needed);
  return Survival::steps(outcomes, most);
}

}  // namespace

void settle_epochs(PlanDraft& draft) {
  for (const auto& [job, needed] : draft.uncertain)
    OptionChooser(draft.request.problem.jobs[job], needed, draft).choose();
}

// jobs: what is to be planned, and how long each way to run it takes.
namespace {

constexpr auto kJobKeys =
    std::to_array<std::string_view>({"SubmissionTime", "Deadline", "Priority", "Epochs",
                                     "ProfilingData", "Memory", "EpochsDistribution", "Clocks"});
/// Money for each second past the deadline, by priority from 1 on: the published service's.
constexpr auto kPriorityWeights =
    std::to_array<double>({0.00025371, 0.00030128, 0.00034885, 0.00039642, 0.00044399});
constexpr JsonRange kEpochs{.most = 1e9, .above = true};
constexpr JsonRange kEpochSeconds{.most = 1e9, .above = true};
constexpr double kMostSeconds = 1e10;  // three hundred years

/// The published samples write epochs as text.
std::optional<double> read_stated_epochs(ObjectReader& reader) {
  const auto value = reader.value("Epochs");
  if (!value) return std::nullopt;
  if (value->kind() != JsonKind::text) return reader.number("Epochs", kEpochs);
  const auto epochs = parse_number<double>(value->text());
  if (epochs && *epochs > 0 && *epochs <= kEpochs.most) return *epochs;
  reader.problem("Epochs", epochs ? fmt::format("must be above 0 and at most {}; it is {}",
                                                kEpochs.most, *epochs)
                                  : epochs.error().message);
  return std::nullopt;
}

/// How long one job takes, and on what.
class JobOptionReader {
 public:
  JobOptionReader(const PlanDraft& draft, double epochs, std::optional<double> memory)
      : draft_(&draft), epochs_(epochs), memory_(memory) {}

  void read_type(ObjectReader& profile, JsonValue entry) {
    auto reader = profile.inner(entry);
    if (!reader) {
      sound_ = false;
      return;
    }
    const auto place = draft_->type_places.find(entry.key());
    for (auto time = reader->first(); time; time = time->next()) {
      const auto gpus = gpu_count(time->key());
      if (!gpus) reader->problem(time->key(), "is not a number of GPUs, from 1 to 10000");
      const auto seconds = whole_time(*reader, time->key());
      if (!gpus || !seconds) {
        sound_ = false;
      } else if (place != draft_->type_places.end()) {
        add(place->second, *gpus, *seconds);
      }
    }
  }

  /// All entries could be read.
  bool sound() const { return sound_; }
  std::vector<JointOption> take() && { return std::move(options_); }

 private:
  std::optional<double> whole_time(ObjectReader& reader, std::string_view gpus) {
    const auto epoch = reader.number(gpus, kEpochSeconds);
    if (!epoch || *epoch * epochs_ <= kMostSeconds) return epoch ? *epoch * epochs_ : epoch;
    reader.problem(gpus, fmt::format("{} s for each of {} epochs are more than {} s in all", *epoch,
                                     epochs_, kMostSeconds));
    return std::nullopt;
  }

  void add(std::uint32_t type, std::uint32_t gpus, double seconds) {
    const PlannedType& known = draft_->types[type];
    if (gpus > known.most) return;  // no node is so large
    const std::uint32_t slices = draft_->request.problem.slices;
    add_option(type, gpus * slices, seconds);
    if (gpus != 1 || !memory_) return;
    for (std::size_t i = 0; i < known.fractions.size(); ++i)
      if (known.fractions[i] && *memory_ <= known.fractions[i]->memory)
        add_option(type, i == 0 ? 1 : 2, seconds * known.fractions[i]->inflation);
  }

  void add_option(std::uint32_t type, std::uint32_t slices, double seconds) {
    options_.push_back({.type = type, .slices = slices, .seconds = seconds, .worst = seconds});
  }

  const PlanDraft* draft_;
  double epochs_;
  std::optional<double> memory_;
  std::vector<JointOption> options_;
  bool sound_ = true;
};

std::string node_sizes(const PlanDraft& draft) {
  std::string text;
  for (std::size_t i = 0; i < draft.types.size(); ++i)
    if (draft.types[i].most != 0)
      text += fmt::format("{}{} with up to {} GPUs", text.empty() ? "" : ", ", draft.type_names[i],
                          draft.types[i].most);
  return text.empty() ? "none" : text;
}

std::vector<JointOption> read_job_options(ObjectReader& job, double epochs,
                                          const PlanDraft& draft) {
  const auto memory =
      job.has("Memory") ? job.number("Memory", {.most = 1e6, .above = true}) : std::nullopt;
  auto profile = job.object("ProfilingData");
  if (!profile) return {};
  JobOptionReader reader(draft, epochs, memory);
  for (auto entry = profile->first(); entry; entry = entry->next())
    reader.read_type(*profile, *entry);
  if (!reader.sound()) return {};  // what is left would only mislead
  std::vector<JointOption> options = std::move(reader).take();
  if (options.empty() && draft.sound_nodes)
    profile->problem("fits no node; there are: " + node_sizes(draft));
  return options;
}

constexpr auto kClockKeys = std::to_array<std::string_view>({"slowdown", "cost"});
constexpr JsonRange kSlowdown{.most = 1000, .above = true};

/// The least that one of the GPUs of a node of this type costs, however many are in use.
double least_gpu_cost(const PlannedType& type) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t gpus = 1; gpus < type.cost.size(); ++gpus)
    if (type.cost[gpus]) least = std::min(least, *type.cost[gpus] / static_cast<double>(gpus));
  return std::isfinite(least) ? least : 0;
}

std::optional<PlannedClock> read_clock_entry(ObjectReader& clocks, JsonValue entry,
                                             const PlannedType& type) {
  constexpr std::uint32_t kMostMhz = 10'000;
  const auto mhz = parse_number<std::uint32_t>(entry.key());
  if (!mhz || *mhz < 1 || *mhz > kMostMhz) {
    clocks.problem(entry.key(), "is not a clock in MHz, a whole number from 1 to 10000");
    return std::nullopt;
  }
  auto reader = clocks.inner(entry, kClockKeys);
  if (!reader) return std::nullopt;
  const auto slowdown = reader->number("slowdown", kSlowdown);
  const auto cost = reader->number("cost", {.least = 0.0 - least_gpu_cost(type), .most = 1e9});
  if (!slowdown || !cost) return std::nullopt;
  return PlannedClock{.mhz = *mhz, .slowdown = *slowdown, .cost = *cost};
}

/// Clocks of types that neither nodes nor costs name are ignored.
void read_clocks(ObjectReader& job, PlanDraft& draft) {
  auto types = job.object("Clocks");
  if (!types) return;
  std::vector<PlannedClock> all;
  for (auto type = types->first(); type; type = type->next()) {
    auto clocks = types->inner(*type);
    const auto place = draft.type_places.find(type->key());
    if (!clocks || place == draft.type_places.end()) continue;
    for (auto entry = clocks->first(); entry; entry = entry->next()) {
      auto clock = read_clock_entry(*clocks, *entry, draft.types[place->second]);
      if (!clock) continue;
      clock->type = place->second;
      all.push_back(*clock);
    }
  }
  draft.clocked.emplace_back(draft.request.problem.jobs.size() - 1, std::move(all));
}

void add_planned_job(ObjectReader& jobs, JsonValue entry, PlanDraft& draft) {
  auto reader = jobs.inner(entry, kJobKeys);
  if (!reader) return;
  JointJob& job = draft.request.problem.jobs.emplace_back();
  job.name = entry.key();
  job.restart = draft.restart;
  const auto submitted = read_instant(*reader, "SubmissionTime", draft.request.form);
  const auto deadline = read_instant(*reader, "Deadline", draft.request.form);
  job.submitted = submitted.value_or(0);
  job.deadline = deadline.value_or(job.deadline);
  if (submitted && deadline && *deadline < *submitted)
    reader->problem("Deadline", "is before SubmissionTime");
  if (const auto priority =
          reader->whole("Priority", {.least = 1, .most = kPriorityWeights.size()}))
    job.weight = kPriorityWeights[*priority - 1];
  const auto epochs = read_stated_epochs(*reader);
  job.options = read_job_options(*reader, epochs.value_or(1), draft);
  if (reader->has("Clocks")) read_clocks(*reader, draft);
  if (!epochs || !reader->has("EpochsDistribution")) return;
  if (auto needed = read_distribution(*reader, *epochs))
    draft.uncertain.emplace_back(draft.request.problem.jobs.size() - 1, *std::move(needed));
}

}  // namespace

void read_jobs(ObjectReader& root, PlanDraft& draft) {
  auto jobs = root.object("jobs");
  if (!jobs) return;
  std::size_t count = 0;
  for (auto entry = jobs->first(); entry; entry = entry->next()) ++count;
  draft.request.problem.jobs.reserve(count);
  for (auto entry = jobs->first(); entry; entry = entry->next())
    add_planned_job(*jobs, *entry, draft);
}

// jobs.ID.Clocks: clocks at which a job may run.
namespace {

/// Money an hour for so many slices of a node of this type that is full, the cheapest there is.
double full_share(const PlanDraft& draft, const JointOption& option) {
  const JointProblem& problem = draft.request.problem;
  const auto& cost = draft.types[option.type].cost;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t n = 0; n < problem.nodes.size(); ++n) {
    const NodeCount& node = draft.counts[n];
    if (problem.nodes[n].type != option.type || node.total == 0) continue;
    least = std::min(least, (cost[node.total].value_or(0) + node.cost) / node.total);
  }
  return std::isfinite(least) ? least * option.slices / problem.slices : 0;
}

void lower_clock(JointOption& option, const PlanDraft& draft, const JointJob& job,
                 const std::vector<PlannedClock>& clocks) {
  const JointProblem& problem = draft.request.problem;
  const double share = full_share(draft, option);
  const double gpus = option.slices / static_cast<double>(problem.slices);
  const auto number = static_cast<std::uint32_t>(&option - job.options.data());
  const double lost = job.running && job.running->option != number ? job.restart : 0;
  const JointOption usual = option;
  for (const PlannedClock& clock : clocks) {
    if (clock.type != usual.type) continue;
    JointOption slow = usual;
    slow.seconds *= clock.slowdown;
    slow.worst *= clock.slowdown;
    slow.own_rate += clock.cost * gpus;
    slow.clock_mhz = clock.mhz;
    if (is_better_clock(slow, option, share, lost, job.deadline - problem.now)) option = slow;
  }
}

}  // namespace

void settle_clocks(PlanDraft& draft) {
  JointProblem& problem = draft.request.problem;
  if (draft.clocked.empty() || gpus_are_scarce(problem)) return;
  for (const auto& [number, clocks] : draft.clocked)
    for (JointOption& option : problem.jobs[number].options)
      lower_clock(option, draft, problem.jobs[number], clocks);
}

// currentScheduling: which jobs run at present, and where.
namespace {

constexpr auto kRunningKeys = std::to_array<std::string_view>({"node", "GPUtype", "nGPUs"});

std::optional<std::uint32_t> read_node(ObjectReader& reader, const PlanDraft& draft) {
  const auto name = reader.text("node");
  if (!name) return std::nullopt;
  const auto place = draft.node_places.find(*name);
  if (place != draft.node_places.end()) return place->second;
  if (draft.sound_nodes)
    reader.problem("node", fmt::format("there is no node {}; there are: {}", in_quotes(*name),
                                       listed(draft.node_names)));
  return std::nullopt;
}

void check_type(ObjectReader& reader, const JointNode& node, const PlanDraft& draft) {
  if (!reader.has("GPUtype")) return;
  const auto type = reader.text("GPUtype");
  if (type && *type != draft.type_names[node.type])
    reader.problem("GPUtype", fmt::format("{} is not what node {} has: {}", in_quotes(*type),
                                          in_quotes(node.name), draft.type_names[node.type]));
}

/// In slices.
std::optional<std::uint32_t> read_running_size(ObjectReader& reader, std::uint32_t total,
                                               std::uint32_t slices) {
  const auto value = reader.value("nGPUs");
  if (!value) return std::nullopt;
  const bool part = slices > 1 && value->kind() == JsonKind::number &&
                    (value->number() == 0.25 || value->number() == 0.5);
  if (part) return static_cast<std::uint32_t>(value->number() * slices);
  const auto gpus = reader.whole("nGPUs", {.least = 1, .most = 10'000});
  if (!gpus) return std::nullopt;
  if (*gpus <= total) return static_cast<std::uint32_t>(*gpus) * slices;
  reader.problem("nGPUs", fmt::format("{} are more than the {} of its node", *gpus, total));
  return std::nullopt;
}

std::string options_text(const JointJob& job, std::uint32_t type, std::uint32_t slices) {
  std::string text;
  for (const JointOption& option : job.options)
    if (option.type == type) text += fmt::format(" {}", option.slices / double(slices));
  return text.empty() ? " none" : text;
}

void set_running(ObjectReader& reader, JointJob& job, PlanDraft& draft) {
  const auto node = read_node(reader, draft);
  if (!node) return;
  JointProblem& problem = draft.request.problem;
  const std::uint32_t type = problem.nodes[*node].type;
  check_type(reader, problem.nodes[*node], draft);
  const auto size = read_running_size(reader, draft.counts[*node].total, problem.slices);
  if (!size) return;
  draft.counts[*node].running += *size;
  const auto option = std::ranges::find_if(job.options, [&](const JointOption& known) {
    return known.type == type && known.slices == *size;
  });
  if (option != job.options.end()) {
    job.running = Assignment{.node = *node,
                             .option = static_cast<std::uint32_t>(option - job.options.begin())};
  } else if (!job.options.empty()) {
    reader.problem("nGPUs",
                   fmt::format("{} have no time in the job's ProfilingData.{}; there are:{}",
                               *size / double(problem.slices), draft.type_names[type],
                               options_text(job, type, problem.slices)));
  }
}

/// Answers of the published service call the node of a job that waits "nan".
bool waits(const JsonValue& entry) {
  const auto node = entry.find("node");
  return node && (node->kind() == JsonKind::null ||
                  (node->kind() == JsonKind::text && node->text() == "nan"));
}

}  // namespace

void read_running(ObjectReader& root, PlanDraft& draft) {
  if (!root.has("currentScheduling")) return;
  auto running = root.object("currentScheduling");
  if (!running) return;
  std::vector<JointJob>& jobs = draft.request.problem.jobs;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    draft.job_places.emplace(jobs[i].name, static_cast<std::uint32_t>(i));
  for (auto entry = running->first(); entry; entry = entry->next()) {
    auto reader = running->inner(*entry, kRunningKeys);
    const auto job = draft.job_places.find(entry->key());
    if (!reader || job == draft.job_places.end() || waits(*entry)) continue;  // or it has ended
    set_running(*reader, jobs[job->second], draft);
  }
}

}  // namespace penstock

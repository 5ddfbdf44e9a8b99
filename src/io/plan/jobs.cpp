// jobs: what is to be planned, and how long each way to run it takes.
#include <fmt/format.h>

#include <algorithm>

#include "io/plan/draft.h"
#include "io/text/number.h"

namespace penstock {
namespace {

constexpr auto kJobKeys =
    std::to_array<std::string_view>({"SubmissionTime", "Deadline", "Priority", "Epochs",
                                     "ProfilingData", "Memory", "EpochsDistribution"});
/// Money for each second past the deadline, by priority from 1 on: the published service's.
constexpr auto kWeights =
    std::to_array<double>({0.00025371, 0.00030128, 0.00034885, 0.00039642, 0.00044399});
constexpr JsonRange kEpochs{.most = 1e9, .above = true};
constexpr JsonRange kEpochSeconds{.most = 1e9, .above = true};
constexpr double kLongest = 1e10;  // three hundred years

/// The published samples write epochs as text.
std::optional<double> read_epochs(ObjectReader& reader) {
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
class ProfileReader {
 public:
  ProfileReader(const PlanDraft& draft, double epochs, std::optional<double> memory)
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
    if (!epoch || *epoch * epochs_ <= kLongest) return epoch ? *epoch * epochs_ : epoch;
    reader.problem(gpus, fmt::format("{} s for each of {} epochs are more than {} s in all", *epoch,
                                     epochs_, kLongest));
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

std::string sizes(const PlanDraft& draft) {
  std::string text;
  for (std::size_t i = 0; i < draft.types.size(); ++i)
    if (draft.types[i].most != 0)
      text += fmt::format("{}{} with up to {} GPUs", text.empty() ? "" : ", ", draft.type_names[i],
                          draft.types[i].most);
  return text.empty() ? "none" : text;
}

std::vector<JointOption> read_profile(ObjectReader& job, double epochs, const PlanDraft& draft) {
  const auto memory =
      job.has("Memory") ? job.number("Memory", {.most = 1e6, .above = true}) : std::nullopt;
  auto profile = job.object("ProfilingData");
  if (!profile) return {};
  ProfileReader reader(draft, epochs, memory);
  for (auto entry = profile->first(); entry; entry = entry->next())
    reader.read_type(*profile, *entry);
  if (!reader.sound()) return {};  // what is left would only mislead
  std::vector<JointOption> options = std::move(reader).take();
  if (options.empty() && draft.sound_nodes)
    profile->problem("fits no node; there are: " + sizes(draft));
  return options;
}

void add_job(ObjectReader& jobs, JsonValue entry, PlanDraft& draft) {
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
  if (const auto priority = reader->whole("Priority", {.least = 1, .most = kWeights.size()}))
    job.weight = kWeights[*priority - 1];
  const auto epochs = read_epochs(*reader);
  job.options = read_profile(*reader, epochs.value_or(1), draft);
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
  for (auto entry = jobs->first(); entry; entry = entry->next()) add_job(*jobs, *entry, draft);
}

}  // namespace penstock

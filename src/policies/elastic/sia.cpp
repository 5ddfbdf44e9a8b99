// Sia (Jayaram Subramanya et al., "Sia: Heterogeneity-aware, goodput-optimized ML-cluster
// scheduling", SOSP'23): in each round an integer program gives every job at most one GPU type and
// number of GPUs, so that the sum of powers of their goodputs is best. The goodputs of a job are
// multiples of its least one, and those of a running job count less where it would have to change.
#include "policies/elastic/sia.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "policies/elastic/curve.h"
#include "policy/reasons.h"

namespace penstock {

double restart_factor(Duration age, std::uint32_t restarts, Duration restart) {
  if (age <= restart) return 1;
  const Duration worked = std::max(age - restarts * restart, Duration::zero());
  return seconds(worked) / seconds(age + restart);
}

double sia_value(double gain, const SiaOptions& options) {
  const double power = std::pow(gain, options.fairness);
  return options.queue_penalty + (options.fairness < 0 ? -power : power);
}

namespace {

/// A number of GPUs of one type, with the batch that gives the highest goodput.
struct SiaSize {
  std::uint32_t gpus = 0;
  std::optional<double> batch{};  ///< absent: as asked
  double goodput = 0;
};

/// Powers of two within a node, and whole nodes.
std::vector<std::uint32_t> sia_gpus(std::uint32_t node_gpus, std::uint32_t most) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t gpus = 1; gpus < node_gpus && gpus <= most; gpus *= 2) all.push_back(gpus);
  for (std::uint32_t gpus = node_gpus; gpus <= most; gpus += node_gpus) all.push_back(gpus);
  return all;
}

std::optional<SiaSize> sia_size(const Profile& profile, double asked, std::uint32_t gpus,
                                const AllocationProblem& problem) {
  Config config{
      .gpus = gpus, .nodes = (gpus + problem.node_gpus - 1) / problem.node_gpus, .batch = asked};
  SiaSize size{.gpus = gpus};
  if (adapts_batch(profile)) {
    size.batch = fastest_batch(profile, config);
    if (!size.batch) return std::nullopt;
    config.batch = *size.batch;
  } else if (!runs(profile, config)) {
    return std::nullopt;
  }
  size.goodput = throughput(profile, config);
  return size;
}

/// All sizes that its profile allows. What was asked for where none does, or where that is more
/// than the kind was measured on.
std::vector<SiaSize> sia_sizes(const Profile& profile, const Job& asked,
                               const AllocationProblem& problem) {
  const std::uint32_t total = problem.packing.pool().total();
  std::vector<SiaSize> sizes;
  for (const std::uint32_t gpus : sia_gpus(problem.node_gpus, std::min(total, profile.gpus_most)))
    if (const auto size = sia_size(profile, asked.batch, gpus, problem)) sizes.push_back(*size);
  if ((sizes.empty() || asked.gpus > profile.gpus_most) && asked.gpus <= total) {
    const Config config{.gpus = asked.gpus,
                        .nodes = (asked.gpus + problem.node_gpus - 1) / problem.node_gpus,
                        .batch = asked.batch};
    sizes.push_back(
        {.gpus = asked.gpus, .batch = asked.batch, .goodput = throughput(profile, config)});
  }
  return sizes;
}

/// What a job is to have until the next round.
struct SiaPlanned {
  std::uint32_t pool = 0;
  SiaSize size{};
  double gain = 1;  ///< its goodput over the least it could have
};

class SiaRounds final : public SharedByPools, public PoolChooser {
 public:
  explicit SiaRounds(const SiaOptions& options) : options_(options) {}

  PoolChooser* pool_chooser() override { return this; }

  std::vector<PoolChange> choose(std::span<const AllocationProblem> problems) override {
    if (problems.front().view.now < next_round_) return {};
    next_round_ = problems.front().view.now + options_.interval;
    if (version_ != problems.front().view.models.version()) sizes_.clear();
    version_ = problems.front().view.models.version();
    pools_.clear();
    for (const AllocationProblem& problem : problems)
      pools_.emplace_back(problem.site, problem.type);
    note_sizes(problems);
    return plan(problems);
  }

  /// Null if the job waits, joined since the last round, or was not planned for this pool.
  const SiaPlanned* planned(JobId job, const AllocationProblem& problem) const {
    const auto found = plan_.find(job);
    if (found == plan_.end()) return nullptr;
    const bool here = pools_[found->second.pool] == std::pair(problem.site, problem.type);
    return here ? &found->second : nullptr;
  }
  Time next_round() const { return next_round_; }
  Duration interval() const { return options_.interval; }

 private:
  /// A size in one of the pools.
  struct Candidate {
    std::uint32_t pool = 0;
    SiaSize size{};
    std::uint32_t least_gpus = 0;  ///< of the job's sizes in this pool
  };
  /// One job and all that it could have.
  struct Row {
    const AllocationJob* job = nullptr;
    std::uint32_t pool = 0;  ///< where it is
    std::vector<Candidate> candidates{};
    double least = 1;  ///< of the goodputs
    bool is_now(const Candidate& candidate) const {
      return candidate.pool == pool && candidate.size.gpus == job->gpus_now;
    }
  };
  /// Jobs for which these are the same have the same sizes.
  struct SizesKey {
    KindId kind{};
    std::uint32_t pool = 0;
    double batch = 0;
    std::uint32_t gpus = 0;
    auto operator<=>(const SizesKey&) const = default;
  };

  void note_sizes(std::span<const AllocationProblem> problems) {
    std::map<JobId, std::uint32_t> had;
    for (const AllocationProblem& problem : problems)
      for (const AllocationJob& job : problem.jobs) {
        const auto before = had_.find(job.id);
        had[job.id] = std::max(job.gpus_now, before == had_.end() ? 0 : before->second);
      }
    had_ = std::move(had);
  }

  /// May the job, which is in the pool of `home`, go to that of `there`?
  static bool may_go(const AllocationJob& job, const AllocationProblem& home,
                     const AllocationProblem& there) {
    const JobState& state = *job.state;
    if ((state.job.gpu_types >> there.type.index & 1) == 0) return false;
    if (job.gpus_now > 0) return home.site == there.site;
    return state.at == kNoSite || state.at == there.site;
  }

  const std::vector<SiaSize>& sizes_of(const Profile& profile, const Job& asked, std::uint32_t pool,
                                       const AllocationProblem& problem) {
    const SizesKey key{*asked.kind_id, pool, asked.batch, asked.gpus};
    const auto [at, fresh] = sizes_.try_emplace(key);
    if (fresh) at->second = sia_sizes(profile, asked, problem);
    return at->second;
  }

  /// A job whose kind is known on some of its types runs on those only; one that is known on none,
  /// or is rigid, as it asked.
  std::vector<Candidate> candidates_of(const AllocationJob& job, std::uint32_t home,
                                       std::span<const AllocationProblem> problems) {
    const Job& asked = job.state->job;
    std::vector<Candidate> known;
    std::vector<Candidate> as_asked;
    for (std::uint32_t pool = 0; pool < problems.size(); ++pool) {
      const AllocationProblem& problem = problems[pool];
      if (!may_go(job, problems[home], problem)) continue;
      if (asked.gpus <= problem.packing.pool().total())
        as_asked.push_back({pool, {.gpus = asked.gpus, .goodput = 1}, asked.gpus});
      const Profile* profile = problem.view.models.find(asked, problem.type);
      if (profile == nullptr) continue;
      const std::vector<SiaSize>& sizes = sizes_of(*profile, asked, pool, problem);
      for (const SiaSize& size : sizes) known.push_back({pool, size, sizes.front().gpus});
    }
    return known.empty() ? as_asked : known;
  }

  /// Added for what a running job has, so that jobs that are worth the same do not take turns.
  static constexpr double kStays = 1e-3;

  Row row_of(const AllocationJob& job, std::uint32_t home,
             std::span<const AllocationProblem> problems) {
    Row row{.job = &job, .pool = home, .candidates = candidates_of(job, home, problems)};
    const auto goodput = [](const Candidate& candidate) { return candidate.size.goodput; };
    if (!row.candidates.empty())
      row.least = goodput(*std::ranges::min_element(row.candidates, {}, goodput));
    const auto is_now = [&](const Candidate& candidate) { return row.is_now(candidate); };
    if (job.gpus_now > 0 && std::ranges::none_of(row.candidates, is_now))  // others started it so
      row.candidates.push_back({home, {.gpus = job.gpus_now, .goodput = row.least}, job.gpus_now});
    return row;
  }

  double gain(const Row& row, const Candidate& candidate) const {
    return candidate.size.goodput / row.least;
  }

  /// What each candidate is worth; nothing where it would grow too fast.
  std::vector<ItemChoice> choices_of(const Row& row, const View& view) const {
    const JobState& state = *row.job->state;
    const bool runs = row.job->gpus_now > 0;
    const double factor =
        runs ? restart_factor(view.now - state.job.submitted, restarts(state), row.job->restart)
             : 1;
    std::vector<ItemChoice> choices;
    for (const Candidate& candidate : row.candidates) {
      const bool stays = runs && row.is_now(candidate);
      const double counts = gain(row, candidate) * (stays ? 1 : factor);
      const std::uint32_t most = std::max(candidate.least_gpus, 2 * had_.at(row.job->id));
      const bool may = counts > 0 && (stays || candidate.size.gpus <= most);
      const double value = sia_value(counts, options_) + (stays ? kStays : 0);
      choices.push_back({may ? value : 0, candidate.pool, candidate.size.gpus});
    }
    return choices;
  }

  static std::uint32_t restarts(const JobState& state) {
    return state.starts - std::min(state.starts, 1u) + state.resizes + state.migrations;
  }

  /// A job that still restores its checkpoint goes on: else some would never get to work.
  static bool must_stay(const Row& row, const View& view) {
    return row.job->gpus_now > 0 && view.now <= row.job->state->work_begins;
  }

  std::vector<PoolChange> plan(std::span<const AllocationProblem> problems) {
    const View& view = problems.front().view;
    ChoiceProblem choice;
    for (const AllocationProblem& problem : problems) choice.capacities.push_back(problem.gpus);
    plan_.clear();
    std::vector<Row> rows;
    for (std::uint32_t pool = 0; pool < problems.size(); ++pool)
      for (const AllocationJob& job : problems[pool].jobs) {
        Row row = row_of(job, pool, problems);
        if (must_stay(row, view))
          keep(row, choice.capacities);
        else
          rows.push_back(std::move(row));
      }
    std::ranges::sort(rows, {}, [](const Row& row) { return row.job->id; });
    for (const Row& row : rows) choice.items.push_back(choices_of(row, view));
    return write_down(rows, choose_within(choice, options_.limits));
  }

  void keep(const Row& row, std::vector<std::uint32_t>& capacities) {
    const auto now = std::ranges::find_if(
        row.candidates, [&](const Candidate& candidate) { return row.is_now(candidate); });
    capacities[row.pool] -= std::min(capacities[row.pool], now->size.gpus);
    plan_[row.job->id] = {row.pool, now->size, gain(row, *now)};
  }

  std::vector<PoolChange> write_down(std::span<const Row> rows, const ChoicePlan& chosen) {
    std::vector<PoolChange> changes;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Row& row = rows[i];
      if (!chosen.chosen[i]) {
        plan_[row.job->id] = {.pool = row.pool};
        continue;
      }
      const Candidate& candidate = row.candidates[*chosen.chosen[i]];
      plan_[row.job->id] = {candidate.pool, candidate.size, gain(row, candidate)};
      if (candidate.pool != row.pool) changes.push_back({row.job->id, candidate.pool});
    }
    return changes;
  }

  SiaOptions options_;
  Time next_round_{};
  std::uint64_t version_ = ~0ull;  ///< of the models that sizes were made of
  std::map<SizesKey, std::vector<SiaSize>> sizes_;
  std::map<JobId, std::uint32_t> had_;  ///< the most GPUs that a job has had
  std::vector<std::pair<SiteId, GpuTypeId>> pools_;
  std::map<JobId, SiaPlanned> plan_;  ///< of the last round
};

/// Carries out what the rounds have planned for one pool.
class SiaAllocator final : public Allocator {
 public:
  explicit SiaAllocator(const SiaRounds& rounds) : rounds_(rounds) {}

  void allocate(AllocationProblem& problem) override {
    // Nodes may have failed since the round: those who run go first.
    std::uint32_t free = problem.gpus;
    for (AllocationJob& job : problem.jobs) {
      job.gpus = std::min(wanted(job, problem), job.gpus_now);
      free -= job.gpus;
    }
    for (AllocationJob& job : problem.jobs) {
      const std::uint32_t more = wanted(job, problem) - job.gpus;
      if (more > free) continue;
      job.gpus += more;
      free -= more;
      if (const SiaPlanned* planned = rounds_.planned(job.id, problem))
        job.knobs.batch = planned->size.batch;
    }
    if (!problem.jobs.empty()) problem.ask_again = rounds_.next_round();
    if (problem.view.explain)
      for (AllocationJob& job : problem.jobs) job.why = why(job, problem);
  }

 private:
  /// What was not planned stays as it is.
  std::uint32_t wanted(const AllocationJob& job, const AllocationProblem& problem) const {
    const SiaPlanned* planned = rounds_.planned(job.id, problem);
    return planned == nullptr ? job.gpus_now : planned->size.gpus;
  }

  std::string why(const AllocationJob& job, const AllocationProblem& problem) const {
    const SiaPlanned* planned = rounds_.planned(job.id, problem);
    const std::string next = clock_label(rounds_.next_round(), problem.view.now);
    if (planned == nullptr) return "the next round is at " + next;
    if (!job.runs())
      return fmt::format("others add more by these GPUs; the next round is at {}", next);
    return fmt::format("{:.1f} times the least goodput that it could have; the next round is at {}",
                       planned->gain, next);
  }

  const SiaRounds& rounds_;
};

}  // namespace

std::unique_ptr<Policy> make_sia(const PolicySetting& setting, const SiaOptions& options) {
  auto rounds = std::make_unique<SiaRounds>(options);
  const auto make = [&rounds = *rounds] { return std::make_unique<SiaAllocator>(rounds); };
  return make_elastic_policy(setting, make, std::move(rounds));
}

}  // namespace penstock

// Pollux (Qiao et al., "Pollux: Co-adaptive Cluster Scheduling for Goodput-Optimized Deep
// Learning", OSDI'21). Goodput is throughput weighted by statistical efficiency, which is what
// throughput() counts. Every `interval` GPUs are divided for the largest power mean of
//     speedup = goodput with the best batch / that with a fair share of the GPUs
// over all jobs, running and waiting; a job whose GPUs would change counts less (see
// reallocation_factor). A job gets at most twice the GPUs that it had at most, from one upwards.
//
// Pollux searches placements by a genetic algorithm. Here the fitness does not depend on the
// placement beyond the number of nodes, which buddy blocks keep least. So it is a sum over jobs,
// and the best of all divisions into numbers of GPUs that buddy blocks allow, powers of two, is
// found exactly, or nearly where that would take long. The genetic algorithm may also give 3 or 6
// GPUs.
#include "policies/elastic/pollux.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "policies/elastic/curve.h"
#include "policies/elastic/gpu_choices.h"
#include "policy/reasons.h"

namespace penstock {

double reallocation_factor(const AllocationJob& job, Time now) {
  const JobState& state = *job.state;
  if (state.starts == 0) return 1;
  const double age = seconds(now - state.job.submitted);
  const double restart = seconds(job.restart);
  const double times = state.starts - 1.0 + state.resizes + state.migrations;
  if (age + restart <= 0) return 1;
  return std::max(0.0, age - times * restart) / (age + restart);
}

double fitness_of(double speedup, double fairness) {
  // Pollux's own simulator adds 0.001 too. More where that would lose the other jobs to rounding.
  constexpr double kLeast = 1e-3;
  constexpr double kMostLoss = 1e9;
  if (fairness > 0) return std::pow(speedup, fairness);
  if (fairness == 0) return std::log(speedup + kLeast);
  const double least = std::max(kLeast, std::pow(kMostLoss, 1 / fairness));
  return -std::pow(speedup + least, fairness);
}

namespace {

/// More than this and the division is not searched exactly: about a millisecond.
constexpr std::size_t kMostExactSteps = 1'000'000;
/// Speedups this close are equal: then a job keeps the GPUs it has.
constexpr double kEqual = 1e-4;

/// What a job has with so many GPUs at the highest clock.
struct Size {
  std::uint32_t gpus = 0;
  std::optional<double> batch{};  ///< absent for a rigid job
  Speed speed{};
};

/// What a job could have.
struct Sizes {
  std::vector<Size> all{};  ///< the fewest GPUs first; never empty
  Speed with_fair_share{};
};

class Pollux final : public Allocator {
 public:
  explicit Pollux(const PolluxOptions& options) : options_(options) {}

  void allocate(AllocationProblem& problem) override {
    note(problem);
    if (next_ && problem.view.now < *next_) {
      for (AllocationJob& job : problem.jobs) keep(job, problem);
    } else {
      next_ = problem.view.now + options_.interval;
      plan(problem);
    }
    if (!problem.jobs.empty()) problem.ask_again = next_;
  }

 private:
  /// How a job of one kind gets on with so many GPUs; the batch is 0 where it is free.
  struct SizeKey {
    KindId kind{};
    double batch = 0;
    std::uint32_t gpus = 0;
    auto operator<=>(const SizeKey&) const = default;
  };

  void note(const AllocationProblem& problem) {
    std::erase_if(most_gpus_, [&](const auto& noted) {
      return !std::ranges::binary_search(problem.jobs, noted.first, {}, &AllocationJob::id);
    });
    for (const AllocationJob& job : problem.jobs) {
      std::uint32_t& most = most_gpus_[job.id];
      most = std::max(most, job.gpus_now);
    }
    if (version_ == problem.view.models.version()) return;
    version_ = problem.view.models.version();
    sizes_.clear();
  }

  void keep(AllocationJob& job, const AllocationProblem& problem) const {
    job.gpus = job.gpus_now;
    if (problem.view.explain) job.why = "plans are made every " + duration_label(options_.interval);
  }

  void plan(AllocationProblem& problem) {
    if (problem.jobs.empty()) return;
    const auto jobs = static_cast<std::uint32_t>(problem.jobs.size());
    const std::uint32_t fair = std::max(1u, (problem.gpus + jobs - 1) / jobs);
    std::vector<Sizes> sizes;
    std::vector<GpuChoices> choices;
    std::size_t steps = 0;
    for (const AllocationJob& job : problem.jobs) {
      sizes.push_back(sizes_of(job, fair, problem));
      choices.push_back(choices_of(job, sizes.back(), problem.view.now));
      steps += choices.back().size() * problem.gpus;
    }
    const ChosenGpus chosen = steps <= kMostExactSteps ? best_choices(choices, problem.gpus)
                                                       : steepest_choices(choices, problem.gpus);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      AllocationJob& job = problem.jobs[i];
      if (problem.view.explain) job.why = why(sizes[i], chosen[i], fair);
      if (chosen[i] == 0) continue;
      const Size& size = sizes[i].all[chosen[i] - 1];
      job.gpus = size.gpus;
      job.knobs.batch = size.batch;
    }
  }

  static std::string why(const Sizes& sizes, std::uint32_t chosen, std::uint32_t fair) {
    const std::string share = "a fair share of " + gpus_label(fair);
    if (chosen == 0) return "others gain more over " + share;
    return fmt::format("{:.2f} times as fast as with {}",
                       sizes.all[chosen - 1].speed / sizes.with_fair_share, share);
  }

  /// No GPUs, and then all sizes that it may have now.
  GpuChoices choices_of(const AllocationJob& job, const Sizes& sizes, Time now) const {
    const double penalty = reallocation_factor(job, now) * (1 - kEqual);
    const std::uint32_t most = std::max(2 * most_gpus_.at(job.id), sizes.all.front().gpus);
    GpuChoices choices{{0, fitness_of(0, options_.fairness)}};
    for (const Size& size : sizes.all) {
      if (size.gpus > most) break;
      const double factor = size.gpus == job.gpus_now ? 1 : penalty;
      const double speedup = size.speed / sizes.with_fair_share * factor;
      choices.push_back({size.gpus, fitness_of(speedup, options_.fairness)});
    }
    return choices;
  }

  static bool runs_as_asked(const AllocationJob& job) {
    return job.profile == nullptr || job.state->job.gpus > job.profile->gpus_most;
  }

  /// Where a job does not run on a fair share, it has the speed of its fewest GPUs in proportion.
  Sizes sizes_of(const AllocationJob& job, std::uint32_t fair, const AllocationProblem& problem) {
    Sizes sizes{.all = powers_of_two(job, problem)};
    if (sizes.all.empty()) {
      const Job& asked = job.state->job;
      sizes.all.push_back({.gpus = asked.gpus, .speed = speed_with(job, asked.gpus, problem)});
      if (job.profile != nullptr) sizes.all.front().batch = asked.batch;
    } else if (const auto size = size_with(job, std::min(fair, job.profile->gpus_most), problem)) {
      sizes.with_fair_share = size->speed;
      return sizes;
    }
    const Size& fewest = sizes.all.front();
    sizes.with_fair_share = fewest.speed * (double(fair) / fewest.gpus);
    return sizes;
  }

  /// On which it runs, as long as each is faster than the one before.
  std::vector<Size> powers_of_two(const AllocationJob& job, const AllocationProblem& problem) {
    std::vector<Size> sizes;
    if (runs_as_asked(job)) return sizes;
    const std::uint32_t most = std::min(job.profile->gpus_most, problem.gpus);
    for (std::uint32_t gpus = 1; gpus <= most; gpus *= 2) {
      const auto size = size_with(job, gpus, problem);
      if (size && (sizes.empty() || size->speed > sizes.back().speed)) sizes.push_back(*size);
    }
    return sizes;
  }

  /// With the batch of most goodput or, where it is fixed, the one asked for.
  std::optional<Size> size_with(const AllocationJob& job, std::uint32_t gpus,
                                const AllocationProblem& problem) {
    const Profile& profile = *job.profile;
    const bool is_free = adapts_batch(profile);
    const Job& asked = job.state->job;
    const auto [known, is_new] =
        sizes_.try_emplace({*asked.kind_id, is_free ? 0 : asked.batch, gpus});
    if (!is_new) return known->second;
    Config config{.gpus = gpus,
                  .nodes = (gpus + problem.node_gpus - 1) / problem.node_gpus,
                  .batch = asked.batch};
    if (is_free) config.batch = fastest_batch(profile, config).value_or(0);
    if (config.batch > 0 && runs(profile, config))
      known->second = Size{gpus, config.batch, Speed(throughput(profile, config) / 1e3)};
    return known->second;
  }

  PolluxOptions options_;
  std::optional<Time> next_{};                ///< when it plans again
  std::map<JobId, std::uint32_t> most_gpus_;  ///< that each job had so far
  std::uint64_t version_ = ~0ull;             ///< of the models that `sizes_` come from
  std::map<SizeKey, std::optional<Size>> sizes_;
};

}  // namespace

std::unique_ptr<Allocator> make_pollux(const PolluxOptions& options) {
  return std::make_unique<Pollux>(options);
}

}  // namespace penstock

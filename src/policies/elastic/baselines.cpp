// AFS-L (Hwang et al., "Elastic Resource Sharing for Distributed Deep Learning", NSDI'21):
// GPUs are given one step at a time to the job that wins against all others. Of two, the
// shorter wins unless the longer gains more from the step than the shorter.
// Optimus (Peng et al., EuroSys'18): every job gets its least, the shortest first; then each
// further step goes to the job whose remaining time it shortens most for each GPU.
// Tiresias (Gu et al., NSDI'19), discretised two-dimensional least attained service: a job
// sinks through three queues by the GPU-time it has had; within a queue, first come first
// served. Thresholds as in the public simulators.
// Gandiva (Xiao et al., OSDI'18): jobs run at the size they asked for; when some wait, all
// take turns in time slices; when none waits, idle GPUs are lent to running jobs. Packing two
// jobs on a GPU is left out: no measurements of it are used here.
#include "policies/elastic/baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <queue>
#include <tuple>

#include "policy/reasons.h"

namespace penstock {

std::optional<std::uint32_t> next_size(const AllocationJob& job, std::uint32_t gpus,
                                       const AllocationProblem& problem) {
  if (job.profile == nullptr) return gpus == 0 ? std::optional(job.state->job.gpus) : std::nullopt;
  const Speed now = speed_with(job, gpus, problem);
  for (std::uint32_t next = std::bit_ceil(gpus + 1); next <= problem.gpus; next *= 2)
    if (speed_with(job, next, problem) > now) return next;
  // No power of two may do for its batch, or it asked for more GPUs than its kind was measured on.
  const std::uint32_t asked = job.state->job.gpus;
  const bool is_larger = asked > gpus && asked > job.profile->gpus_most && asked <= problem.gpus;
  if (gpus == 0 || (is_larger && speed_with(job, asked, problem) > now)) return asked;
  return std::nullopt;
}

void keep_unless_growth_pays(AllocationProblem& problem) {
  for (AllocationJob& job : problem.jobs) {
    if (job.gpus_now == 0 || job.gpus <= job.gpus_now) continue;
    const Duration as_is = job.left / speed_with(job, job.gpus_now, problem);
    if (job.left / speed_with(job, job.gpus, problem) + job.restart >= as_is)
      job.gpus = job.gpus_now;
  }
}

namespace {

struct Applicant {
  AllocationJob* job = nullptr;
  std::uint32_t next = 0;  ///< GPUs after the step
  Speed now{};
  Speed then{};
  Duration ahead{};  ///< as it is; with its first GPUs if it has none
};

class Afs final : public Allocator {
 public:
  void allocate(AllocationProblem& problem) override {
    std::vector<Applicant> applicants;
    for (AllocationJob& job : problem.jobs)
      if (auto applicant = applicant_for(job, problem)) applicants.push_back(*applicant);
    std::uint32_t free = problem.gpus;
    while (!applicants.empty()) {
      std::erase_if(applicants, [&](const Applicant& c) { return c.next - c.job->gpus > free; });
      if (applicants.empty()) break;
      Applicant& winner = best(applicants);
      free -= winner.next - winner.job->gpus;
      winner.job->gpus = winner.next;
      if (const auto again = applicant_for(*winner.job, problem))
        winner = *again;
      else
        applicants.erase(applicants.begin() + (&winner - applicants.data()));
    }
    keep_unless_growth_pays(problem);
    if (problem.view.explain)
      for (AllocationJob& job : problem.jobs) job.why = why(job, free, problem);
  }

 private:
  static std::string why(const AllocationJob& job, std::uint32_t free,
                         const AllocationProblem& problem) {
    if (!job.runs())
      return fmt::format("needs {} at least, and those that won before it leave {} of {}",
                         gpus_label(*next_size(job, 0, problem)), free, problem.gpus);
    return fmt::format(
        "{} left so; steps go to the shorter of two jobs unless the longer gains more",
        duration_label(job.left / speed_with(job, job.gpus, problem)));
  }

  static std::optional<Applicant> applicant_for(AllocationJob& job,
                                                const AllocationProblem& problem) {
    const auto next = next_size(job, job.gpus, problem);
    if (!next) return std::nullopt;
    Applicant c{
        &job, *next, speed_with(job, job.gpus, problem), speed_with(job, *next, problem), {}};
    c.ahead = job.left / (job.gpus == 0 ? c.then : c.now);
    return c;
  }

  static bool wins(const Applicant& a, const Applicant& b) {
    const bool a_is_shorter = std::pair(a.ahead, a.job->id) < std::pair(b.ahead, b.job->id);
    return a_is_shorter ? !longer_gains_more(a, b) : longer_gains_more(b, a);
  }

  static bool longer_gains_more(const Applicant& shorter, const Applicant& longer) {
    if (shorter.job->gpus == 0) return false;
    return (longer.then - longer.now) / longer.then > (shorter.then - shorter.now) / shorter.now;
  }

  static Applicant& best(std::vector<Applicant>& applicants) {
    Applicant* best = &applicants.front();
    for (Applicant& c : applicants)
      if (&c != best && wins(c, *best)) best = &c;
    return *best;
  }
};

}  // namespace

std::unique_ptr<Allocator> make_afs() {
  return std::make_unique<Afs>();
}

namespace {

struct Gain {
  double seconds_per_gpu = 0;
  std::uint32_t job = 0;  ///< its place on the problem
  std::uint32_t next = 0;
  bool operator<(const Gain& other) const {  // priority_queue keeps the largest on top
    return std::pair(seconds_per_gpu, other.job) < std::pair(other.seconds_per_gpu, job);
  }
};

class Optimus final : public Allocator {
 public:
  explicit Optimus(Duration interval) : interval_(interval) {}

  void allocate(AllocationProblem& problem) override {
    free_ = problem.gpus;
    give_least(problem);
    give_more(problem);
    keep_unless_growth_pays(problem);
    if (!problem.jobs.empty()) problem.ask_again = problem.view.now + interval_;
    if (problem.view.explain)
      for (AllocationJob& job : problem.jobs) job.why = why(job, problem);
  }

 private:
  std::string why(const AllocationJob& job, const AllocationProblem& problem) const {
    const std::uint32_t least = *next_size(job, 0, problem);
    if (!job.runs())
      return fmt::format("needs {} at least, and shorter jobs leave {} of {}", gpus_label(least),
                         free_, problem.gpus);
    const Duration ahead = job.left / speed_with(job, job.gpus, problem);
    if (job.gpus <= least) return fmt::format("{} left so", duration_label(ahead));
    const Duration saved = job.left / speed_with(job, least, problem) - ahead;
    return fmt::format("{} left so, {} less than with {}", duration_label(ahead),
                       duration_label(saved), least);
  }

  void give_least(AllocationProblem& problem) {
    std::vector<AllocationJob*> order;
    order.reserve(problem.jobs.size());
    for (AllocationJob& job : problem.jobs) order.push_back(&job);
    std::ranges::stable_sort(order, {}, [&](const AllocationJob* job) {
      return job->left / speed_with(*job, *next_size(*job, 0, problem), problem);
    });
    for (AllocationJob* job : order) {
      const std::uint32_t least = *next_size(*job, 0, problem);
      if (least > free_) continue;
      job->gpus = least;
      free_ -= least;
    }
  }

  void give_more(AllocationProblem& problem) {
    for (std::uint32_t i = 0; i < problem.jobs.size(); ++i) offer(i, problem);
    while (!gains_.empty()) {
      const Gain gain = gains_.top();
      gains_.pop();
      AllocationJob& job = problem.jobs[gain.job];
      if (gain.next - job.gpus > free_) continue;
      free_ -= gain.next - job.gpus;
      job.gpus = gain.next;
      offer(gain.job, problem);
    }
  }

  void offer(std::uint32_t index, const AllocationProblem& problem) {
    const AllocationJob& job = problem.jobs[index];
    if (!job.runs()) return;
    const auto next = next_size(job, job.gpus, problem);
    if (!next) return;
    const Duration saved =
        job.left / speed_with(job, job.gpus, problem) - job.left / speed_with(job, *next, problem);
    gains_.push({seconds(saved) / (*next - job.gpus), index, *next});
  }

  Duration interval_;
  std::uint32_t free_ = 0;
  std::priority_queue<Gain> gains_;
};

}  // namespace

std::unique_ptr<Allocator> make_optimus(Duration interval) {
  return std::make_unique<Optimus>(interval);
}

namespace {

class Tiresias final : public Allocator {
 public:
  explicit Tiresias(const TiresiasOptions& options) : options_(options) {}

  void allocate(AllocationProblem& problem) override {
    forget_ended(problem);
    std::vector<Rank> ranks;
    ranks.reserve(problem.jobs.size());
    for (AllocationJob& job : problem.jobs) ranks.push_back(rank(job, problem));
    std::ranges::stable_sort(ranks, {},
                             [](const Rank& r) { return std::pair(r.queue, r.job->id); });
    std::uint32_t free = problem.gpus;
    for (const Rank& r : ranks) {
      const std::uint32_t gpus = r.job->state->job.gpus;
      if (problem.view.explain) r.job->why = why(r, free);
      if (gpus > free) continue;
      r.job->gpus = gpus;
      free -= gpus;
      if (const auto sinks = sinks_at(r, problem.view.now))
        problem.ask_again = std::min(problem.ask_again.value_or(*sinks), *sinks);
    }
  }

 private:
  struct Rank {
    AllocationJob* job = nullptr;
    int queue = 0;
    double service = 0;  ///< GPU-seconds that count
  };
  struct Note {
    double forgiven = 0;  ///< GPU-seconds that no longer count, since it was promoted
    std::optional<Time> waits_since{};
  };

  static std::string why(const Rank& r, std::uint32_t free) {
    const std::uint32_t gpus = r.job->state->job.gpus;
    std::string text =
        fmt::format("in queue {} of 3 with {:.0f} GPU-seconds so far", r.queue + 1, r.service);
    if (gpus > free)
      text += fmt::format("; asks for {}, those before it leave {}", gpus_label(gpus), free);
    return text;
  }

  Rank rank(AllocationJob& job, const AllocationProblem& problem) {
    const JobState& state = *job.state;
    const Time now = problem.view.now;
    const Duration ran = state.held + (job.gpus_now > 0 ? now - state.started : Duration::zero());
    const double served = seconds(ran) * state.job.gpus;
    Note& note = notes_[job.id];
    if (job.gpus_now > 0)
      note.waits_since.reset();
    else if (!note.waits_since)
      note.waits_since = now;
    const bool starves = options_.promote > 0 && note.waits_since && state.starts > 0 &&
                         now - *note.waits_since > options_.promote * ran;
    if (starves) note.forgiven = served;
    const double service = served - note.forgiven;
    return {&job, queue_of(service), service};
  }

  int queue_of(double service) const {
    if (service < options_.first_threshold) return 0;
    return service < options_.second_threshold ? 1 : 2;
  }

  void forget_ended(const AllocationProblem& problem) {
    std::erase_if(notes_, [&](const auto& note) {
      return !std::ranges::binary_search(problem.jobs, note.first, {}, &AllocationJob::id);
    });
  }

  /// When a job that runs from now on will have used up its queue.
  std::optional<Time> sinks_at(const Rank& r, Time now) const {
    if (r.queue == 2) return std::nullopt;
    const double threshold = r.queue == 0 ? options_.first_threshold : options_.second_threshold;
    const double left = std::max(0.0, threshold - r.service) / r.job->state->job.gpus;
    return now + std::max(ceil_duration(left), Duration(1000));
  }

  TiresiasOptions options_;
  std::map<JobId, Note> notes_;
};

}  // namespace

std::unique_ptr<Allocator> make_tiresias(const TiresiasOptions& options) {
  return std::make_unique<Tiresias>(options);
}

namespace {

class Gandiva final : public Allocator {
 public:
  explicit Gandiva(const GandivaOptions& options) : options_(options) {}

  void allocate(AllocationProblem& problem) override {
    take_turns(problem);
    const bool all_run = std::ranges::all_of(problem.jobs, &AllocationJob::runs);
    if (all_run && options_.grow) grow_into_idle(problem);
    keep_unless_growth_pays(problem);
    if (!all_run) problem.ask_again = next_turn(problem);
    if (problem.view.explain)
      for (AllocationJob& job : problem.jobs) job.why = why(job, problem.view.now);
  }

 private:
  Duration had(const AllocationJob& job, Time now) const {
    return job.state->held + (job.gpus_now > 0 ? now - job.state->started : Duration::zero());
  }

  std::string why(const AllocationJob& job, Time now) const {
    const std::uint32_t asked = job.state->job.gpus;
    if (job.gpus > asked)
      return fmt::format("asked for {}; the others are lent to it, since nobody waits", asked);
    const std::string turns = fmt::format("has had {} slices of {}", had(job, now) / options_.slice,
                                          duration_label(options_.slice));
    if (job.runs()) return "its turn, " + turns;
    return fmt::format("{}; asks for {}, those before it leave {}", turns, gpus_label(asked),
                       free_);
  }

  /// By the slices that jobs have had; nobody is stopped within one, and at its end those that
  /// wait go first.
  auto rank(const AllocationJob& job, Time now) const {
    const bool within = job.gpus_now > 0 && had(job, now) % options_.slice != Duration::zero();
    return std::tuple(had(job, now) / options_.slice, !within, job.gpus_now > 0, job.id);
  }

  void take_turns(AllocationProblem& problem) {
    std::vector<AllocationJob*> order;
    order.reserve(problem.jobs.size());
    for (AllocationJob& job : problem.jobs) order.push_back(&job);
    std::ranges::stable_sort(
        order, {}, [&](const AllocationJob* job) { return rank(*job, problem.view.now); });
    free_ = problem.gpus;
    for (AllocationJob* job : order) {
      const std::uint32_t gpus = job->state->job.gpus;
      if (gpus > free_) continue;
      job->gpus = gpus;
      free_ -= gpus;
    }
  }

  /// Doubles jobs in turn, the smallest first, for as long as it helps them.
  void grow_into_idle(AllocationProblem& problem) {
    for (bool grown = true; grown && free_ > 0;) {
      grown = false;
      for (AllocationJob& job : problem.jobs) {
        const auto next = next_size(job, job.gpus, problem);
        if (!next || *next - job.gpus > free_) continue;
        free_ -= *next - job.gpus;
        job.gpus = *next;
        grown = true;
      }
    }
  }

  Time next_turn(const AllocationProblem& problem) const {
    Time next = problem.view.now + options_.slice;
    for (const AllocationJob& job : problem.jobs) {
      if (job.gpus_now == 0) continue;
      const Duration into = had(job, problem.view.now) % options_.slice;
      next = std::min(next, problem.view.now + options_.slice - into);
    }
    return next;
  }

  GandivaOptions options_;
  std::uint32_t free_ = 0;
};

}  // namespace

std::unique_ptr<Allocator> make_gandiva(const GandivaOptions& options) {
  return std::make_unique<Gandiva>(options);
}

}  // namespace penstock

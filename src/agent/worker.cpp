#include "agent/worker.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <map>
#include <optional>
#include <set>

#include "base/descriptor.h"

namespace penstock::agent {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Duration kReportSoon(500);

Duration since_boot() {
  return std::chrono::duration_cast<Duration>(Clock::now().time_since_epoch());
}

Report begin_report(const WorkerOptions& options) {
  return {.node = options.node,
          .site = options.site,
          .time = std::chrono::floor<Duration>(std::chrono::system_clock::now())};
}

/// The record; one that cannot be understood counts as if every GPU had been changed.
ChangeRecord load_record(const WorkerOptions& options, unsigned gpus) {
  auto record = ChangeRecord::open(options.record);
  if (record) return std::move(*record);
  options.log(Level::warning, record.error().message + "; every GPU is reset");
  std::vector<ChangedGpu> all;
  all.reserve(gpus);
  for (unsigned index = 0; index < gpus; ++index)
    all.push_back({.index = index, .method = options.governor.method});
  return ChangeRecord::assume_changed(options.record, std::move(all));
}

/// Says each problem when it comes, and once more when it is over.
class ProblemLog {
 public:
  explicit ProblemLog(const Log& log) : log_(log) {}

  void update(const std::vector<std::string>& problems) {
    std::set<std::string> now(problems.begin(), problems.end());
    for (const std::string& problem : now)
      if (!known_.contains(problem)) log_(Level::warning, problem);
    for (const std::string& problem : known_)
      if (!now.contains(problem)) log_(Level::note, "over: " + problem);
    known_ = std::move(now);
  }

 private:
  const Log& log_;
  std::set<std::string> known_;
};

class Worker {
 public:
  Worker(const WorkerOptions& options, const Nvml& nvml, const GuardPipes& pipes)
      : options_(options),
        nvml_(nvml),
        pipes_(pipes),
        governor_(nvml, load_record(options, nvml.gpu_count()), with_heartbeat()),
        instruments_(nvml),
        problem_log_(options.log) {}

  int run();

 private:
  GovernorOptions with_heartbeat() {
    GovernorOptions options = options_.governor;
    options.heartbeat = [this] { heartbeat(kAlive); };
    return options;
  }
  void heartbeat(char kind) const { (void)!write(pipes_.heartbeats, &kind, 1); }
  void reset_leftovers();
  void round();
  void apply_plan(const Result<ClockPlan>& plan);
  bool log_changes(const std::vector<AppliedClock>& before) const;
  Duration pause() const;
  bool is_told_to_end(Duration within) const;
  int end();

  const WorkerOptions& options_;
  const Nvml& nvml_;
  GuardPipes pipes_;
  Governor governor_;
  GpuMeters instruments_;
  ProblemLog problem_log_;
  Descriptor signals_;
  std::optional<Duration> valid_until_;
  std::vector<std::string> problems_;  ///< of the last round, for the next report
  bool changed_ = false;               ///< in the last round
};

int Worker::run() {
  sigset_t set{};
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = Descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  reset_leftovers();
  do {
    round();
    heartbeat(kRound);
  } while (!is_told_to_end(pause()));
  return end();
}

void Worker::reset_leftovers() {
  if (governor_.is_clean()) return;
  options_.log(Level::note, "resetting what an earlier agent left set");
  problems_ = governor_.reset_all();
}

void Worker::round() {
  heartbeat(kAlive);
  Report report = begin_report(options_);
  instruments_.read(since_boot(), report);
  for (unsigned index = 0; index < nvml_.gpu_count(); ++index)
    for (std::string& problem : governor_.clock_problems(index, report.gpus[index].reading))
      report.problems.push_back(std::move(problem));
  report.applied = governor_.applied();
  std::vector<std::string> present = report.problems;
  report.problems.insert(report.problems.begin(), problems_.begin(), problems_.end());
  heartbeat(kAlive);
  const auto plan = options_.ask(to_json(report));
  heartbeat(kAlive);
  apply_plan(plan);
  present.insert(present.end(), problems_.begin(), problems_.end());
  problem_log_.update(present);
  changed_ = log_changes(report.applied);
}

void Worker::apply_plan(const Result<ClockPlan>& plan) {
  if (plan) {
    valid_until_ = since_boot() + plan->valid;
    problems_ = governor_.follow(*plan);
    return;
  }
  problems_ = {plan.error().message};
  if (valid_until_ && since_boot() < *valid_until_) return;
  if (valid_until_) options_.log(Level::warning, "the plan is too old; every GPU is reset");
  valid_until_.reset();
  for (std::string& problem : governor_.reset_all()) problems_.push_back(std::move(problem));
}

bool Worker::log_changes(const std::vector<AppliedClock>& before) const {
  const auto clocks = [](const std::vector<AppliedClock>& list) {
    std::map<unsigned, std::optional<unsigned>> by_index;
    for (const AppliedClock& applied : list) by_index[applied.index] = applied.clock_mhz;
    return by_index;
  };
  const auto old = clocks(before);
  const auto now = clocks(governor_.applied());
  for (const auto& [index, mhz] : now)
    if (!old.contains(index) || old.at(index) != mhz)
      options_.log(Level::note, fmt::format("GPU {}: set for {} MHz", index, mhz.value_or(0)));
  for (const auto& [index, mhz] : old)
    if (!now.contains(index)) options_.log(Level::note, fmt::format("GPU {}: reset", index));
  return old != now;
}

/// Until the next round: not longer than the plan holds, and short when there is a change to tell.
Duration Worker::pause() const {
  const Duration most = changed_ ? std::min(kReportSoon, options_.interval) : options_.interval;
  if (!valid_until_) return most;
  return std::clamp(*valid_until_ - since_boot(), Duration(1), most);
}

bool Worker::is_told_to_end(Duration within) const {
  std::array<pollfd, 2> watched{{{signals_.number(), POLLIN, 0}, {pipes_.guard, POLLIN, 0}}};
  const auto until = since_boot() + within;
  int came = 0;
  do {
    const Duration left = std::max(until - since_boot(), Duration::zero());
    came = poll(watched.data(), watched.size(), static_cast<int>(left.count()));
  } while (came < 0 && since_boot() < until);
  return came > 0;
}

int Worker::end() {
  const auto problems = governor_.reset_all();
  for (const std::string& problem : problems) options_.log(Level::warning, problem);
  options_.log(Level::note, governor_.is_clean() ? "ends; every GPU runs as it comes"
                                                 : "ends; not all could be reset");
  return governor_.is_clean() ? kEnded : kLeftSet;
}

}  // namespace

int work(const WorkerOptions& options, const GuardPipes& pipes) {
  const auto nvml = Nvml::open(options.library);
  if (!nvml) {
    options.log(Level::warning, nvml.error().message);
    return kNothingHere;
  }
  options.log(Level::note, fmt::format("{} GPUs: {}", nvml->gpu_count(), nvml->traits(0).name));
  return Worker(options, *nvml, pipes).run();
}

Result<Done> look_for_gpus(const WorkerOptions& options) {
  const auto nvml = Nvml::open(options.library);
  if (!nvml) return nvml.error();
  return Done{};
}

int clean_up(const WorkerOptions& options) {
  if (const auto record = ChangeRecord::open(options.record); record && record->changed().empty())
    return kEnded;
  const auto nvml = Nvml::open(options.library);
  if (!nvml) {
    options.log(Level::warning, "cannot reset: " + nvml.error().message);
    return kLeftSet;
  }
  Governor governor(*nvml, load_record(options, nvml->gpu_count()), options.governor);
  for (const std::string& problem : governor.reset_all()) options.log(Level::warning, problem);
  if (governor.is_clean()) options.log(Level::note, "reset what the dead worker had set");
  return governor.is_clean() ? kEnded : kLeftSet;
}

Result<std::string> report_once(const WorkerOptions& options) {
  const auto nvml = Nvml::open(options.library);
  if (!nvml) return nvml.error();
  Report report = begin_report(options);
  GpuMeters(*nvml).read(since_boot(), report);
  const auto record = ChangeRecord::open(options.record);
  if (!record) report.problems.push_back(record.error().message);
  if (record)
    for (const ChangedGpu& changed : record->changed())
      report.applied.push_back({changed.index, changed.clock_mhz});
  return to_json(report);
}

}  // namespace penstock::agent

#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "live/fake_slurm.h"
#include "live/site/slurm_site.h"

namespace penstock {

inline constexpr Time kNoon{std::chrono::sys_days(std::chrono::year(2026) / 5 / 4) +
                            std::chrono::hours(12)};

/// Two or more nodes n0, n1, … of four GPUs, and two kinds of training.
inline Cluster small_cluster(std::uint32_t nodes, std::uint32_t gpus = 4) {
  Cluster cluster;
  cluster.types = {{.name = "a",
                    .min_clock_mhz = 600,
                    .max_clock_mhz = 1200,
                    .clock_step_mhz = 100,
                    .idle = Watts(50),
                    .peak = Watts(400),
                    .sleep = Watts(5)}};
  add_site(
      cluster, "here",
      {{.count = nodes, .gpus = gpus, .type = {}, .base = Watts(100), .base_sleep = Watts(9)}});
  return cluster;
}

inline std::vector<Profile> small_catalogue() {
  Profile profile{.name = "resnet",
                  .gpu = "a",
                  .speed = {.alpha_c = 0.01, .beta_c = 0.002, .alpha_r = 0.01, .beta_r = 0.001},
                  .power = {.p0 = Watts(60), .p1 = Watts(60), .p3 = Watts(120)},
                  .batch = {.least = 8, .most = 256, .local_most = 64},
                  .batch_usual = 64,
                  .gpus_most = 8};
  Profile other = profile;
  other.name = "bert";
  other.speed.alpha_r = 0.05;
  other.speed.delta = 0.5;
  return {profile, other};
}

/// One site over a fake Slurm, as a world in virtual time. What SlurmBackend does with bridges and
/// clocks, without either.
class LiveWorld final : public Backend, public Fence {
 public:
  explicit LiveWorld(std::uint32_t nodes = 2, const std::function<void(SiteOptions&)>& change = {})
      : cluster(small_cluster(nodes)), slurm(kNoon), connection(slurm) {
    options.name = "here";
    options.partitions = {"main"};
    for (std::uint32_t i = 0; i < nodes; ++i) {
      options.nodes.push_back("n" + std::to_string(i));
      slurm.add_node(options.nodes.back(), "a", 4);
    }
    if (change) change(options);
    restart();
  }

  /// Penstock begins anew: nothing is left but what Slurm shows.
  void restart() {
    connection.restart();
    beliefs.emplace(catalogue, cluster, false);
    numbers = {};
    pool = {};
    site.emplace(options, connection,
                 SlurmSite::Context{cluster, *beliefs, numbers, permissions, pool, &agents});
  }

  bool wait(std::optional<Time> until, Batch& batch) override {
    batch = {};
    ++waits;
    slurm.advance_to(slurm.now() + std::chrono::milliseconds(5));  // deciding takes time
    until = std::min(until.value_or(Time::max()), latest);
    if (was_refused) until = std::min(*until, slurm.now() + std::chrono::seconds(1));
    was_refused = false;
    while (true) {
      flush();
      site->poll(slurm.now());
      flush();
      if (is_over && is_over()) return false;
      if (site->has_news() || slurm.now() >= *until) break;
      Time next = std::min({*until, site->next_look(), slurm.now() + std::chrono::seconds(1)});
      if (const auto answer = connection.next_answer()) next = std::min(next, *answer);
      slurm.advance_to(std::max(next, slurm.now() + std::chrono::milliseconds(1)));
      if (meddle) meddle();
    }
    batch.now = slurm.now();
    site->move_into(batch);
    return true;
  }
  void execute(const Action& action, const State& /*state*/) override {
    site->execute({action, {"the test wants it", slurm.now()}});
  }
  Pace pace(const JobState& job) const override {
    return {Speed(1), Watts(100) * gpu_count(job.where)};
  }
  /// What LiveFence says of what a cluster cannot do.
  std::optional<std::string> refuses(const Action& action, const State& /*state*/) override {
    auto why = refusal(action);
    was_refused = was_refused || why;
    return why;
  }

  /// Sends what was ordered.
  void flush() {
    for (QueuedCommand& command : site->take_commands()) {
      command.record.id = ++last_request;
      if (journal_works)
        site->dispatch(std::move(command));
      else
        site->drop(command, "the disk is full", slurm.now());
    }
    for (JournalEntry& note : site->take_notes()) notes.push_back(std::move(note));
    for (JournalAnswer& answer : site->take_answers()) answers.push_back(std::move(answer));
  }

  Cluster cluster;
  std::vector<Profile> catalogue = small_catalogue();
  FakeCluster slurm;
  FakeSlurm connection;
  SiteOptions options;
  std::optional<LiveBeliefs> beliefs;
  JobNumbers numbers;
  SitePermissions permissions{.acts = true, .holds = true};
  JobPool pool;
  Agents agents;
  std::optional<SlurmSite> site;
  bool journal_works = true;
  std::vector<JournalEntry> notes;
  std::vector<JournalAnswer> answers;
  std::int64_t last_request = 0;
  std::uint64_t waits = 0;
  Time latest = Time::max();
  bool was_refused = false;
  std::function<bool()> is_over;
  std::function<void()> meddle;
  std::function<bool()> is_against;  ///< refuses some at random

 private:
  std::optional<std::string> refusal(const Action& action) {
    if (std::holds_alternative<Route>(action) || std::holds_alternative<SetBatch>(action))
      return "that cannot be";
    const auto about = [](const Action& any) {
      return std::visit(
          [](const auto& a) -> std::pair<std::optional<JobId>, const Placement*> {
            std::pair<std::optional<JobId>, const Placement*> both{};
            if constexpr (requires { a.job; }) both.first = a.job;
            if constexpr (requires { a.where; }) both.second = &a.where;
            return both;
          },
          any);
    };
    const auto [job, where] = about(action);
    if (job && !site->knows(*job)) return "it is not a job of ours";
    if (!site->answers()) return "it does not answer: " + site->last_error();
    if (job && std::holds_alternative<Start>(action))
      if (auto reason = site->why_not_start(*job)) return reason;
    if (where != nullptr && !even_share(*where, cluster, site->mirror())) return "it is uneven";
    if (is_against && is_against()) return "somebody is against it";
    return std::nullopt;
  }
};

/// Looks whether the scheduler's picture and the site's agree, after each batch.
class Agreement final : public Observer {
 public:
  explicit Agreement(LiveWorld& world) : world_(world) {}
  void before(const Batch& /*batch*/, const State& /*state*/, const Ledger& /*l*/) override {}
  void decided(Time /*now*/, const Decision& /*decision*/, const State& state) override {
    if (!fault.empty()) return;
    for (std::uint32_t i = 0; i < world_.cluster.nodes.size(); ++i)
      if (state.node(NodeId{i}).free != world_.site->mirror().free_on(NodeId{i}))
        fault = "node " + std::to_string(i) + " has other GPUs free";
    for (const auto& [ref, job] : world_.site->jobs()) {
      if (!job.id) continue;
      const JobState* known = state.find(*job.id);
      if (known == nullptr) {
        fault = "job " + ref + " is not known";
        continue;
      }
      const bool runs = known->phase == Phase::running;
      if (runs != job.runs || (runs && known->where != job.where))
        fault = "job " + ref + " is thought to be elsewhere";
    }
    if (!world_.slurm.is_sound()) fault = "two jobs have one GPU";
  }
  void ended(const JobRecord& /*record*/) override { ++over; }
  void refused(Time /*now*/, const Action& /*action*/, const std::string& /*why*/) override {
    ++refusals;
  }

  std::string fault;
  std::uint64_t over = 0;
  std::uint64_t refusals = 0;

 private:
  LiveWorld& world_;
};

}  // namespace penstock

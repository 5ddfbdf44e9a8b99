#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "live/live_world.h"

namespace penstock {

/// Remembers what is sent, and says what a test puts into it.
class ScriptedConnection final : public BridgeConnection {
 public:
  std::vector<std::string> sent;

  std::uint64_t send(const bridge::Command& command) override {
    sent.push_back(bridge::to_json(command));
    return sent.size();
  }
  std::optional<BridgeMessage> next() override {
    if (waiting_.empty()) return std::nullopt;
    BridgeMessage message = std::move(waiting_.front());
    waiting_.pop_front();
    return message;
  }
  /// To the request that was sent as the `number`th, from 1 on.
  void answer(std::uint64_t number, const nlohmann::json& body) {
    waiting_.push_back(
        {BridgeMessage::Kind::answer, number, std::make_shared<const nlohmann::json>(body)});
  }
  void lose(std::uint64_t number) {
    waiting_.push_back({BridgeMessage::Kind::lost, number, nullptr});
  }
  void hint(const nlohmann::json& body) {
    waiting_.push_back(
        {BridgeMessage::Kind::event, 0, std::make_shared<const nlohmann::json>(body)});
  }

 private:
  std::deque<BridgeMessage> waiting_;
};

inline nlohmann::json refusal(const std::string& code, const std::string& text = "no") {
  return {{"ok", false}, {"error", {{"code", code}, {"text", text}}}};
}

/// The parts of a site "here" with nodes n0 and n1 of 4 GPUs each, without what puts them together.
class SiteParts : public testing::Test {
 protected:
  static SiteOptions options() {
    SiteOptions options;
    options.name = "here";
    options.nodes = {"n0", "n1"};
    options.partitions = {"main"};
    return options;
  }

  /// A job that Slurm shows waiting, and that the scheduler knows.
  TrackedJob& add_job(const std::string& ref, std::uint32_t count = 2) {
    TrackedJob& job = state.jobs.all()[ref];
    job.seen = {.number = std::stoll(ref),
                .ref = ref,
                .user = "ann",
                .partition = "main",
                .admin_comment = std::string(kHeldMark),
                .state = "pending",
                .held = true,
                .batch = true,
                .requeue = true,
                .submitted = kNoon,
                .gpus = count};
    job.asked = count;
    state.jobs.set_id(job, numbers.next());
    return job;
  }
  /// Such a job that the scheduler believes to run on the first GPUs of a node.
  TrackedJob& add_placed(const std::string& ref, std::uint32_t first, std::uint32_t count = 2) {
    TrackedJob& job = add_job(ref, count);
    feed.take_gpus(job, {{GpuId{first}, count}});
    return job;
  }
  /// Slurm shows it running there.
  static void show_running(TrackedJob& job, const std::string& node, Time since) {
    job.seen.phase = SlurmJob::Phase::running;
    job.seen.state = "running";
    job.seen.held = false;
    job.seen.started = since;
    job.seen.nodes = {node};
    job.seen.gpus_held = {{.node = node, .type = "a", .indices = {0, 1}}};
    job.held = job.seen.gpus_held;
  }
  /// What the scheduler would be told now, a word for each event.
  std::string reported() {
    Batch batch;
    batch.now = kNoon;
    meter.move_into(batch);
    state.events.move_into(batch);
    std::string text;
    for (const Event& event : batch.events) text += std::visit(Word{}, event) + " ";
    return text;
  }
  /// What was asked for: verb and JSON, a line each.
  std::string asked() {
    std::string text;
    for (const QueuedCommand& command : commands.take())
      text += command.record.verb + " " + bridge::to_json(command.command) + "\n";
    return text;
  }
  std::string noted() {
    std::string text;
    for (const JournalEntry& note : state.journal.take_notes()) text += note.what + "; ";
    return text;
  }
  std::string answered() {
    std::string text;
    for (const JournalAnswer& answer : state.journal.take_answers())
      text += std::to_string(answer.request) + " " + std::string(name_of(answer.state)) + ": " +
              answer.text + "; ";
    return text;
  }

  struct Word {
    std::string operator()(const JobSubmitted& e) const { return of("submitted", e.job); }
    std::string operator()(const JobStarted& e) const { return of("started", e.job); }
    std::string operator()(const JobFinished& e) const { return of("finished", e.job); }
    std::string operator()(const JobInterrupted& e) const { return of("interrupted", e.job); }
    std::string operator()(const JobWithdrawn& e) const { return of("withdrawn", e.job); }
    std::string operator()(const JobMeasured& e) const { return of("measured", e.job); }
    std::string operator()(const NodeFailed& e) const {
      return "failed" + std::to_string(e.node.index);
    }
    std::string operator()(const NodeRepaired& e) const {
      return "repaired" + std::to_string(e.node.index);
    }
    template <class Other>
    std::string operator()(const Other& /*e*/) const {
      return "other";
    }
    static std::string of(const char* what, JobId job) { return what + std::to_string(job.index); }
  };

  Cluster cluster = small_cluster(2);
  LiveBeliefs beliefs{small_catalogue(), cluster, false};
  JobNumbers numbers;
  SitePermissions permissions{.acts = true, .holds = true};
  JobPool pool;
  Agents agents;
  ScriptedConnection connection;
  SlurmSiteState state{options(), {cluster, beliefs, numbers, permissions, pool, &agents}};
  SlurmPoller poller{connection, state.options.poll};
  CommandQueue commands{state, poller};
  PaceModel pace{state};
  RunRecorder runs{state, pace};
  JobMeter meter{state, pace};
  GpuBlocks blocks{state};
  SchedulerFeed feed{{state, poller, commands, pace, runs, meter, blocks}};
  NodeMonitor nodes{state, poller, blocks, feed};
  ForeignJobs foreign{state, blocks, feed};
  PoolLaunches launches{state, poller, commands};
  Reconciler reconciler{{state, poller, commands, pace, runs, meter, feed, launches}};
  ActionExecutor actions{{state, commands, pace, feed, nodes}};
};

}  // namespace penstock

// Small runs as text in git: a change of behaviour is a difference someone reads.
// PENSTOCK_UPDATE_TRANSCRIPTS=1 writes the files anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "worlds/replay.h"
#include "worlds/run_log.h"
#include "worlds/text.h"
#include "worlds/world.h"

namespace penstock {
namespace {

std::string jobs_text(const World& world) {
  std::string text;
  for (const TracedJob& traced : world.jobs) {
    const Job& job = traced.job;
    text += "# job " + std::to_string(job.id.index) + ": " + std::to_string(job.gpus) +
            (job.gpus == 1 ? " GPU" : " GPUs") + ", asks for " + text_of(job.requested) +
            ", takes " + text_of(traced.actual);
    for (const JobId parent : job.parents) text += ", after job " + std::to_string(parent.index);
    text += '\n';
  }
  return text;
}

/// What the world draws just after `t`, counted GPU by GPU.
Watts power_after(const World& world, const Replay& replay, Time t) {
  Watts sum;
  for (std::uint32_t n = 0; n < world.cluster.nodes.size(); ++n) {
    const Node& node = world.cluster.nodes[n];
    const GpuType& type = world.cluster.type(node);
    NodePhase phase = NodePhase::awake;
    for (const NodeSpan& span : replay.nodes()[n])
      if (span.from <= t) phase = span.phase;
    if (phase == NodePhase::down) continue;
    sum += phase == NodePhase::asleep ? node.base_sleep : node.base;
    for (std::uint32_t g = 0; g < node.gpus; ++g) {
      const GpuId gpu{node.first.index + g};
      Watts draw = phase == NodePhase::asleep ? type.sleep : type.idle;
      for (const RunSegment& stay : replay.stays())
        if (stay.from <= t && t < stay.to && stay.covers(gpu)) draw = stay.draw;
      sum += draw;
    }
  }
  return sum;
}

std::string transcript(const std::string& title, const World& world, const char* policy,
                       const Options& options) {
  const RunLog log = run_logged(world, policy, options);
  const Replay replay(world, log);
  EXPECT_TRUE(replay.faults().empty()) << replay.faults().front();
  std::string text = "# " + title + '\n' + jobs_text(world) + '\n';
  for (const Turn& turn : log.turns) {
    if (turn.events.empty() && turn.actions.empty()) continue;
    text += text_of(turn.now - world.start()) + '\n';
    for (const Event& event : turn.events) text += "    " + text_of(event) + '\n';
    for (const Action& action : turn.actions) text += "    -> " + text_of(action) + '\n';
    const double power = power_after(world, replay, turn.now).value();
    text += "    " + std::to_string(static_cast<int>(power)) + " W\n";
  }
  return text;
}

void expect_as_in_git(const std::string& name, const std::string& text) {
  const std::string path = PENSTOCK_TEST_DIR "/sim/transcripts/" + name + ".txt";
  if (std::getenv("PENSTOCK_UPDATE_TRANSCRIPTS") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  std::ostringstream stored;
  stored << std::ifstream(path).rdbuf();
  EXPECT_EQ(stored.str(), text);
}

/// Two nodes of two GPUs: a long pair, a job that needs all, and small ones behind it.
World blocked_world() {
  World world = one_site(2, 2);
  add_job(world, {.submitted = 0, .gpus = 2, .requested = 100, .actual = 80});
  add_job(world, {.submitted = 10, .gpus = 4, .requested = 50, .actual = 50});
  add_job(world, {.submitted = 20, .gpus = 1, .requested = 60, .actual = 40});
  add_job(world, {.submitted = 20, .gpus = 2, .requested = 90, .actual = 30});
  return world;
}

TEST(Transcript, fifo_lets_nobody_pass) {
  expect_as_in_git("fifo", transcript("fifo on 2 nodes of 2 GPUs", blocked_world(), "fifo",
                                      {{"backfill", "none"}}));
}

TEST(Transcript, easy_lets_those_pass_who_are_done_in_time) {
  expect_as_in_git("easy", transcript("fifo with easy backfill on 2 nodes of 2 GPUs",
                                      blocked_world(), "fifo", {{"backfill", "easy"}}));
}

/// The last job delays not the first that waits, but the second.
TEST(Transcript, conservative_lets_nobody_delay_any_promise) {
  World world = one_site(2, 2);
  add_job(world, {.submitted = 0, .gpus = 2, .requested = 100, .actual = 100});
  add_job(world, {.submitted = 10, .gpus = 3, .requested = 50, .actual = 50});
  add_job(world, {.submitted = 10, .gpus = 4, .requested = 50, .actual = 50});
  add_job(world, {.submitted = 20, .gpus = 1, .requested = 140, .actual = 140});
  expect_as_in_git("conservative",
                   transcript("fifo with conservative backfill on 2 nodes of 2 GPUs", world, "fifo",
                              {{"backfill", "conservative"}}));
}

TEST(Transcript, srtf_stops_a_longer_job_which_pays_its_restart) {
  World world = one_site(1, 4);
  world.costs.restart = std::chrono::seconds(30);
  add_job(world, {.submitted = 0, .gpus = 4, .requested = 1000, .actual = 200});
  add_job(world, {.submitted = 60, .gpus = 1, .requested = 20, .actual = 20});
  add_job(world, {.submitted = 70, .gpus = 4, .requested = 2000, .actual = 10});
  expect_as_in_git("srtf", transcript("srtf on 1 node of 4 GPUs, a restart takes 30 s", world,
                                      "srtf", {{"backfill", "none"}}));
}

TEST(Transcript, a_workflow_starts_children_after_their_parents) {
  World world = one_site(1, 4);
  add_job(world, {.submitted = 0, .gpus = 1, .requested = 10, .actual = 10});
  add_job(world, {.gpus = 2, .requested = 30, .actual = 30, .parents = {JobId{0}}});
  add_job(world, {.gpus = 1, .requested = 20, .actual = 50, .parents = {JobId{0}}});
  add_job(world, {.gpus = 4, .requested = 5, .actual = 5, .parents = {JobId{1}, JobId{2}}});
  add_job(world, {.submitted = 100, .gpus = 1, .requested = 1, .actual = 1, .parents = {JobId{3}}});
  expect_as_in_git("workflow", transcript("fifo on 1 node of 4 GPUs, jobs with parents", world,
                                          "fifo", {{"backfill", "none"}}));
}

TEST(Transcript, a_failed_node_sends_its_jobs_back_to_their_checkpoints) {
  using std::chrono::seconds;
  World world = one_site(2, 2);
  world.costs.restart = seconds(5);
  world.sim.seed = 4;
  world.sim.failures = {.mtbf = seconds(200), .mttr = seconds(40), .checkpoint = seconds(30)};
  add_job(world, {.submitted = 0, .gpus = 3, .requested = 300, .actual = 150});
  add_job(world, {.submitted = 0, .gpus = 1, .requested = 100, .actual = 100});
  expect_as_in_git("failure", transcript("fifo on 2 nodes of 2 GPUs that fail; checkpoints every "
                                         "30 s, a restart takes 5 s",
                                         world, "fifo", {{"backfill", "none"}}));
}

TEST(Transcript, idle_nodes_fall_asleep_and_take_time_to_wake) {
  World world = one_site(2, 2);
  world.costs.sleep_after = std::chrono::seconds(60);
  world.costs.wake = std::chrono::seconds(90);
  add_job(world, {.submitted = 0, .gpus = 2, .requested = 40, .actual = 30});
  add_job(world, {.submitted = 200, .gpus = 3, .requested = 40, .actual = 30});
  add_job(world, {.submitted = 210, .gpus = 1, .requested = 40, .actual = 100});
  expect_as_in_git("sleep", transcript("fifo on 2 nodes of 2 GPUs that sleep after 60 s and wake "
                                       "in 90 s",
                                       world, "fifo", {{"backfill", "none"}}));
}

}  // namespace
}  // namespace penstock

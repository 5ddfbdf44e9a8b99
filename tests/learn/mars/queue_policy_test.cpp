#include "learn/mars/queue_policy.h"

#include <gtest/gtest.h>

#include "policy/place/one_site.h"
#include "worlds/policy_stage.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

/// First come, first served. Writes down which worlds it was shown and what came of its jobs.
class FirstComePlayer final : public QueuePlayer {
 public:
  struct Log {
    std::vector<std::uint32_t> tasks{};  ///< of each world
    std::vector<JobFeedback> ended{};
  };
  explicit FirstComePlayer(Log& log) : log_(log) {}
  PlayedBy play(QueueWorld& world, const Futures& /*futures*/, std::uint32_t /*pool*/) override {
    log_.tasks.push_back(world.tasks().size());
    const Time now = world.now();
    while (world.needs_choice() && world.now() == now) world.choose(world.first());
    return {.by = "first"};
  }
  void on_ended(const JobFeedback& feedback) override { log_.ended.push_back(feedback); }

 private:
  Log& log_;
};

std::unique_ptr<Policy> first_come(const PolicyStage& stage, FirstComePlayer::Log& log) {
  return std::make_unique<QueuePolicy>(
      PolicySetting{.cluster = stage.cluster(), .start = stage.start()}, QueuePolicyRules{},
      PastJobs{}, std::make_unique<FirstComePlayer>(log));
}

/// Where each job is started.
std::map<JobId, Placement> starts_in(const Decision& decision) {
  std::map<JobId, Placement> starts;
  for (const Action& action : decision.actions) {
    const auto& start = std::get<Start>(action);
    EXPECT_TRUE(starts.emplace(start.job, start.where).second) << "twice";
  }
  return starts;
}

using PlacedJobs = std::map<JobId, Placement>;

TEST(QueuePolicy, starts_whom_the_player_starts_at_once) {
  PolicyStage stage(cluster_of({{.count = 1, .gpus = 8}}));
  FirstComePlayer::Log log;
  const auto policy = first_come(stage, log);
  for (const std::uint32_t size : {3u, 4u, 2u, 1u})
    stage.submit({.id = {static_cast<std::uint32_t>(stage.state().queue().size())},
                  .gpus = size,
                  .requested = 1h});
  EXPECT_EQ(starts_in(stage.decide(*policy)),
            (PlacedJobs{{JobId{0}, gpus(0, 3)}, {JobId{1}, gpus(3, 4)}}))
      << "who does not fit blocks those behind it";
  EXPECT_EQ(log.tasks, (std::vector<std::uint32_t>{4}));
  stage.happen(JobFinished{{0}});
  EXPECT_EQ(starts_in(stage.decide(*policy)),
            (PlacedJobs{{JobId{2}, gpus(0, 2)}, {JobId{3}, gpus(2, 1)}}));
}

TEST(QueuePolicy, tells_the_player_whose_jobs_ended) {
  PolicyStage stage(cluster_of({{.count = 1, .gpus = 1}}));
  FirstComePlayer::Log log;
  const auto policy = first_come(stage, log);
  stage.submit({.id = {0}, .requested = 1h});
  stage.submit({.id = {1}, .requested = 1h});
  stage.decide(*policy);
  stage.wait_until(stage.start() + 100s);
  stage.happen(JobFinished{{0}});
  stage.decide(*policy);
  ASSERT_EQ(log.ended.size(), 1u);
  EXPECT_EQ(log.ended[0].job, JobId{0});
}

TEST(QueuePolicy, takes_back_the_gpus_of_a_refused_start) {
  PolicyStage stage(cluster_of({{.count = 1, .gpus = 2}}));
  FirstComePlayer::Log log;
  const auto policy = first_come(stage, log);
  stage.submit({.id = {0}, .gpus = 2, .requested = 1h});
  const Decision refused = policy->decide(stage.view());  // and nobody carries it out
  EXPECT_EQ(starts_in(refused), (PlacedJobs{{JobId{0}, gpus(0, 2)}}));
  EXPECT_TRUE(policy->decide(stage.view()).actions.empty());
  stage.happen(Refused{refused.actions.front()});
  EXPECT_EQ(starts_in(policy->decide(stage.view())), (PlacedJobs{{JobId{0}, gpus(0, 2)}}));
}

TEST(QueuePolicy, shows_each_pool_and_starts_nobody_in_two) {
  Cluster cluster = cluster_of({{.count = 1, .gpus = 2}});
  cluster.types.resize(2);
  add_site(cluster, "there", {{.count = 1, .gpus = 4, .type = {1}}});
  PolicyStage stage(std::move(cluster));
  FirstComePlayer::Log log;
  const auto policy = first_come(stage, log);
  stage.submit({.id = {0}, .gpus = 2, .requested = 1h});
  stage.submit({.id = {1}, .gpus = 2, .requested = 1h});
  EXPECT_EQ(starts_in(stage.decide(*policy)).size(), 2u);
  stage.submit({.id = {2}, .gpus = 2, .requested = 1h});
  stage.decide(*policy);
  EXPECT_EQ(stage.state().queue().size() + stage.state().running().size(), 3u);
}

}  // namespace
}  // namespace penstock

#include "training/training_data.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

QueueDataRequest lublin_request() {
  QueueDataRequest request;
  request.scenario = std::filesystem::path(PENSTOCK_ROOT) / "data/studies/mars/lublin.toml";
  request.overrides = {"workload.generate.jobs=200"};
  request.episodes = {.tasks = 20, .count = 3};
  request.validation = 2;
  return request;
}

TEST(QueueData, draws_the_episodes_that_were_asked_for) {
  const auto prepared = prepare_queue_data(lublin_request());
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_EQ(prepared->scenario, "lublin");
  EXPECT_EQ(prepared->machine.gpus, 256u);
  EXPECT_EQ(prepared->tasks, 200u);
  ASSERT_EQ(prepared->data.training.size(), 3u);
  ASSERT_EQ(prepared->data.validation.size(), 2u);
  EXPECT_EQ(prepared->data.training[0].tasks.size(), 20u);
}

TEST(QueueData, never_trains_on_what_is_held_out) {
  const auto prepared = prepare_queue_data(lublin_request());
  ASSERT_TRUE(prepared) << prepared.error().message;
  for (const Episode& training : prepared->data.training)
    for (const Episode& validation : prepared->data.validation)
      EXPECT_LT(training.tasks[19].id, validation.tasks[0].id);
}

TEST(QueueData, needs_jobs_for_an_episode_in_both_parts) {
  QueueDataRequest request = lublin_request();
  request.episodes.tasks = 100;  // 40 jobs are held out
  const auto refused = prepare_queue_data(request);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("the part held out for validation"), std::string::npos);
}

}  // namespace
}  // namespace penstock

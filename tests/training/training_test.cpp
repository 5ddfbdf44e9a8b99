#include "training/training.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/text/file.h"
#include "learn/mars/ensemble.h"

namespace penstock {
namespace {

namespace fs = std::filesystem;

/// A short training of one network on generated jobs, without files.
QueueTrainingRequest tiny_request(const std::string& teacher) {
  QueueTrainingRequest request;
  request.policy = "rl";
  request.teachers = {teacher};
  request.data.scenario = fs::path(PENSTOCK_ROOT) / "data/studies/mars/lublin.toml";
  request.data.overrides = {"workload.generate.jobs=400"};
  request.data.episodes = {.tasks = 30, .count = 4};
  request.data.validation = 2;
  request.settings.updates = 3;
  request.settings.worlds = 2;
  request.settings.validate_every = 1;
  request.settings.cloning.passes = 1;
  request.settings.ppo.policy_iterations = 1;
  request.settings.ppo.value_iterations = 1;
  return request;
}

/// A folder that is removed at the end.
class TrainingFolder : public testing::Test {
 protected:
  TrainingFolder() {
    std::string pattern = testing::TempDir() + "training-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~TrainingFolder() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST(TrainQueue, gives_the_same_weights_twice_and_on_any_number_of_threads) {
  QueueTrainingRequest request = tiny_request("sjf");
  const auto once = train_queue(request);
  ASSERT_TRUE(once) << once.error().message;
  request.settings.threads = request.data.threads = 3;
  const auto again = train_queue(request);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(once->weights, again->weights);
  EXPECT_EQ(training_csv(once->report), training_csv(again->report));
  EXPECT_EQ(once->table, again->table);
}

TEST(TrainQueue, returns_weights_that_can_be_read_and_a_curve_of_every_update) {
  const auto result = train_queue(tiny_request("none"));
  ASSERT_TRUE(result) << result.error().message;
  const auto ensemble = decode_ensemble(result->weights);
  ASSERT_TRUE(ensemble) << ensemble.error().message;
  ASSERT_EQ(ensemble->members.size(), 1u);
  EXPECT_EQ(ensemble->members[0].name, "rl");
  EXPECT_EQ(ensemble->about.at("scenario"), "lublin");
  EXPECT_EQ(result->report.curve.size(), 4u);  // before training, and after each of 3 updates
  EXPECT_NE(result->table.find("network rl"), std::string::npos);
}

TEST(TrainQueue, tells_listeners_what_it_trains_on_and_every_update) {
  std::vector<std::string> started;
  std::vector<std::uint64_t> updates;
  TrainingCallbacks callbacks;
  callbacks.started = [&](std::string_view text) { started.emplace_back(text); };
  callbacks.progress = [&](const TrainingReport& report) {
    updates.push_back(report.curve.back().update);
  };
  ASSERT_TRUE(train_queue(tiny_request("none"), callbacks));
  ASSERT_EQ(started.size(), 1u);
  EXPECT_TRUE(started[0].starts_with("training on lublin: 400 tasks, 256 x "));
  EXPECT_EQ(updates, (std::vector<std::uint64_t>{0, 1, 2, 3}));
}

TEST(TrainQueue, refuses_teachers_that_do_not_exist_or_are_too_many) {
  const auto unknown = train_queue(tiny_request("nobody"));
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(unknown.error().message.starts_with("--teachers: no teacher 'nobody'; there are:"));
  QueueTrainingRequest two = tiny_request("sjf");
  two.teachers.emplace_back("fifo");
  EXPECT_FALSE(train_queue(two));
}

TEST_F(TrainingFolder, a_checkpoint_resumes_to_the_same_bits) {
  QueueTrainingRequest request = tiny_request("sjf");
  request.files = {.out = (folder_ / "whole").string(), .checkpoint_every = 1};
  const std::string later = (folder_ / "resumed").string();
  TrainingCallbacks copy_after_one_update;
  copy_after_one_update.progress = [&](const TrainingReport& report) {
    if (report.curve.back().update == 2)  // the checkpoint still is that of the update before
      fs::copy_file(request.files.checkpoint(), later + ".checkpoint");
  };
  const auto whole = train_queue(request, copy_after_one_update);
  ASSERT_TRUE(whole) << whole.error().message;
  request.files.out = later;
  request.files.resume = true;
  const auto resumed = train_queue(request);
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(resumed->weights, whole->weights);
  EXPECT_EQ(*read_file(later), whole->weights);
  EXPECT_EQ(*read_file(later + ".csv"), training_csv(whole->report));
  EXPECT_TRUE(fs::exists(later + ".svg"));
}

TEST_F(TrainingFolder, a_checkpoint_of_other_settings_is_refused) {
  QueueTrainingRequest request = tiny_request("none");
  request.files = {.out = (folder_ / "weights").string()};
  ASSERT_TRUE(train_queue(request));
  request.settings.updates = 5;
  request.files.resume = true;
  const auto refused = train_queue(request);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("updates was '3' and is now '5'"), std::string::npos);
}

TEST(TrainGeo, gives_the_same_weights_twice) {
  GeoTrainingRequest request;
  request.data.scenario = fs::path(PENSTOCK_ROOT) / "data/scenarios/geo.toml";
  request.data.overrides = {"workload.limit=100"};
  request.data.episode = 15;
  request.data.episodes = 2;
  request.data.validation = 1;
  request.settings.updates = 1;
  request.settings.worlds = 1;
  request.settings.lessons = 1;
  request.settings.cloning.passes = 1;
  const auto once = train_geo(request);
  ASSERT_TRUE(once) << once.error().message;
  const auto again = train_geo(request);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(once->weights, again->weights);
  EXPECT_EQ(once->report.curve.size(), 2u);
  EXPECT_NE(once->table.find("thrifty"), std::string::npos);
}

TEST(TrainGeo, needs_sites_that_are_joined) {
  GeoTrainingRequest request;
  request.data.scenario = fs::path(PENSTOCK_ROOT) / "data/studies/mars/lublin.toml";
  request.data.overrides = {"workload.generate.jobs=50"};
  const auto refused = train_geo(request);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("possible: [network]"), std::string::npos);
}

}  // namespace
}  // namespace penstock

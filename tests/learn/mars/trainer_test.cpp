#include "learn/mars/trainer.h"

#include <gtest/gtest.h>

#include "learn/mars/small_data.h"

namespace penstock {
namespace {

QueueTrainingSettings quick_queue(std::vector<std::string> teachers = {"none"}) {
  QueueTrainingSettings settings{.teachers = std::move(teachers),
                                 .updates = 4,
                                 .worlds = 8,
                                 .lessons = 8,
                                 .warm_up = 1,
                                 .validate_every = 2,
                                 .cloning = {.rate = 3e-3, .passes = 4, .minibatch = 64}};
  settings.ppo.policy_rate = 3e-3;
  settings.ppo.minibatch = 128;
  return settings;
}

void finish(QueueTrainer& trainer) {
  while (!trainer.finished()) {
    const auto done = trainer.step();
    ASSERT_TRUE(done) << done.error().message;
  }
}

std::string result_of(const QueueTrainer& trainer) {
  return encode_ensemble({.members = trainer.members()}) + trainer.checkpoint();
}

TEST(Trainer, improves_on_knowing_nothing) {
  QueueTrainingSettings settings = quick_queue();
  settings.updates = 20;
  QueueTrainer trainer(settings, small_data());
  finish(trainer);
  const CurvePoint& first = trainer.curve().front();
  const CurvePoint& last = trainer.curve().back();
  EXPECT_EQ(last.update, 20u);
  EXPECT_GT(last.best, first.validation + 0.01);
}

TEST(Trainer, keeps_the_best_network_by_validation) {
  QueueTrainer trainer(quick_queue({"sjf"}), small_data());
  finish(trainer);
  double best = -1e300;
  for (const CurvePoint& point : trainer.curve())
    if (point.validation > best) best = point.validation;
  EXPECT_EQ(trainer.curve().back().best, best);
  EXPECT_EQ(trainer.members().front().name, "sjf");
}

TEST(Trainer, trains_one_network_for_each_teacher_and_tells_how_well_it_was_copied) {
  QueueTrainer trainer(quick_queue({"sjf", "none", "fifo"}), small_data());
  finish(trainer);
  ASSERT_EQ(trainer.members().size(), 3u);
  EXPECT_EQ(trainer.members()[0].name, "sjf");
  EXPECT_EQ(trainer.members()[1].name, "rl");
  EXPECT_EQ(trainer.members()[2].name, "fifo");
  for (const CurvePoint& point : trainer.curve()) {
    const bool cloned = point.update == 0 && point.member != 1;
    EXPECT_EQ(std::isnan(point.agreement), !cloned);
    if (cloned) {
      EXPECT_GT(point.agreement, 0.5);
    }
  }
}

TEST(Trainer, stops_early_when_validation_gets_no_better) {
  QueueTrainingSettings settings = quick_queue({"sjf"});
  settings.updates = 50;
  settings.validate_every = 1;
  settings.patience = 2;
  settings.ppo.policy_iterations = 0;  // nothing ever changes
  QueueTrainer trainer(settings, small_data());
  finish(trainer);
  EXPECT_EQ(trainer.curve().back().update, 2u);
}

TEST(Trainer, resumes_anywhere_to_the_same_bits) {
  const QueueTrainingSettings settings = quick_queue({"sjf", "none"});
  QueueTrainer whole(settings, small_data());
  std::vector<std::string> checkpoints{whole.checkpoint()};
  while (!whole.finished()) {
    ASSERT_TRUE(whole.step());
    checkpoints.push_back(whole.checkpoint());
  }
  for (std::size_t stopped = 0; stopped < checkpoints.size(); stopped += 3) {
    QueueTrainer other(settings, small_data());
    const auto resumed = other.resume(checkpoints[stopped]);
    ASSERT_TRUE(resumed) << resumed.error().message;
    finish(other);
    EXPECT_EQ(result_of(other), result_of(whole)) << "stopped after " << stopped;
  }
}

TEST(Trainer, is_the_same_on_any_number_of_threads) {
  QueueTrainingSettings settings = quick_queue({"sjf"});
  QueueTrainer one(settings, small_data());
  settings.threads = 3;
  QueueTrainer three(settings, small_data());
  finish(one);
  finish(three);
  EXPECT_EQ(result_of(one), result_of(three));
}

TEST(Trainer, refuses_a_checkpoint_of_another_training_and_says_why) {
  QueueTrainer trainer(quick_queue(), small_data());
  ASSERT_TRUE(trainer.step());
  const std::string checkpoint = trainer.checkpoint();
  const auto refusal = [&](const QueueTrainingSettings& settings, QueueTrainingData data) {
    QueueTrainer other(settings, std::move(data));
    const auto resumed = other.resume(checkpoint);
    return resumed ? std::string() : resumed.error().message;
  };
  QueueTrainingSettings longer = quick_queue();
  longer.updates = 5;
  EXPECT_EQ(refusal(longer, small_data()),
            "is of another training: updates was '4' and is now '5'; go on with the same, or train "
            "anew without --resume");
  QueueTrainingData elsewhere = small_data();
  elsewhere.origin = "other";
  EXPECT_NE(refusal(quick_queue(), elsewhere).find("origin was 'generated' and is now 'other'"),
            std::string::npos);
  EXPECT_EQ(refusal(quick_queue(), small_data()), "");
}

TEST(Trainer, refuses_a_damaged_checkpoint) {
  QueueTrainer trainer(quick_queue(), small_data());
  ASSERT_TRUE(trainer.step());
  const std::string whole = trainer.checkpoint();
  QueueTrainer other(quick_queue(), small_data());
  EXPECT_FALSE(other.resume(whole.substr(0, whole.size() / 2)));
  EXPECT_FALSE(other.resume(encode_ensemble({})));
  EXPECT_EQ(other.curve().size(), 0u);
}

TEST(Trainer, stops_at_a_loss_that_is_not_finite_and_keeps_what_was_good) {
  QueueTrainingData data = small_data();
  for (Episode& contest : data.training) contest.reference = 0;
  QueueTrainer trainer(quick_queue(), std::move(data));
  ASSERT_TRUE(trainer.step());
  const std::string good = trainer.checkpoint();
  const auto done = trainer.step();
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("is not finite in update 1"), std::string::npos)
      << done.error().message;
  EXPECT_EQ(trainer.checkpoint(), good);
}

TEST(Trainer, says_so_where_no_queue_forms) {
  QueueTrainingData data = small_data({.tasks = 1});
  QueueTrainer trainer(quick_queue(), data);
  ASSERT_TRUE(trainer.step());
  const auto done = trainer.step();
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("no queue forms"), std::string::npos);
}

TEST(Teachers, must_be_orders_named_once) {
  EXPECT_TRUE(check_teachers({"sjf", "none"}));
  EXPECT_EQ(check_teachers({"sjf", "sjf"}).error().message, "names 'sjf' twice");
  EXPECT_NE(check_teachers({"best"}).error().message.find("no teacher 'best'; there are: none"),
            std::string::npos);
}

}  // namespace
}  // namespace penstock

#include "learn/geo/geo_trainer.h"

#include <gtest/gtest.h>

#include "learn/geo/geo_episode.h"
#include "learn/geo/toy.h"

namespace penstock {
namespace {

GeoTrainer trained(GeoTrainingSettings settings) {
  auto trainer = GeoTrainer::make(settings, Toy::data());
  EXPECT_TRUE(trainer);
  while (!trainer->finished()) {
    const auto done = trainer->step();
    EXPECT_TRUE(done) << done.error().message;
    if (!done) break;
  }
  return *std::move(trainer);
}

/// Long jobs by the hour; short ones go home.
class Script final : public SiteChooser {
 public:
  Script(std::uint32_t by_day, std::uint32_t at_night) : by_day_(by_day), at_night_(at_night) {}
  void choose(const Windows& windows, std::vector<SiteChoice>& out) override {
    const auto names = geo_item_features(*find_geo_variant("marl"));
    const auto feature = [&](std::size_t w, std::string_view name) {
      return windows[w]
          .items[static_cast<std::size_t>(std::ranges::find(names, name) - names.begin())];
    };
    out.clear();
    for (std::size_t w = 0; w < windows.size(); ++w) {
      const bool is_long = feature(w, "job.run") > 1;
      const bool by_day = feature(w, "hour.cos") < 0;
      std::uint32_t item = !is_long ? 0 : by_day ? by_day_ : at_night_;
      if (windows[w].barred[item] != 0) item = 0;  // waited as long as it may
      out.push_back({item, 0});
    }
  }

 private:
  std::uint32_t by_day_;
  std::uint32_t at_night_;
};

/// What a job brings if long jobs go to one site by day and to another at night; 2 is to wait.
double return_of(std::uint32_t by_day, std::uint32_t at_night, const GeoTrainer& trainer) {
  const GeoTrainingData& data = trainer.data();
  const auto played = play_geo(data.world, data.validation[0], trainer.rules(),
                               std::make_unique<Script>(by_day, at_night));
  EXPECT_TRUE(played);
  return played->mean_return;
}

double best_return(const GeoTrainer& trainer) {
  return trainer.curve().back().best;
}

TEST(GeoTrainer, reaches_the_optimum_as_a_team_where_independent_agents_do_not) {
  const GeoTrainer team = trained(Toy::settings("marl"));
  double best = -1e9;
  for (const std::uint32_t by_day : {0u, 1u, 2u})
    for (const std::uint32_t at_night : {0u, 1u, 2u})
      best = std::max(best, return_of(by_day, at_night, team));
  EXPECT_DOUBLE_EQ(best, return_of(1, 0, team));
  EXPECT_GE(best_return(team), best / 0.98);
  EXPECT_GE(best_return(trained(Toy::settings("single-rl"))), best / 0.98);
  const double selfish = return_of(0, 0, team);
  EXPECT_LT(selfish, 1.15 * best);
  EXPECT_NEAR(best_return(trained(Toy::settings("independent-rl"))), selfish, 1e-9);
}

TEST(GeoTrainer, trains_a_team_whose_critic_sees_no_more_than_its_actors) {
  GeoTrainingSettings settings = Toy::settings("marl");
  settings.variant.joint_critic = false;
  const GeoTrainer team = trained(settings);
  EXPECT_EQ(team.best().shape().global_features, 0u);
  EXPECT_TRUE(team.rules().variant.team_reward);
  EXPECT_GE(best_return(team), return_of(1, 0, team) / 0.98);
}

TEST(GeoTrainer, gives_the_same_bits_for_any_number_of_threads) {
  GeoTrainingSettings settings = Toy::settings("marl");
  settings.updates = 3;
  settings.teacher = GeoTeacher::thrifty_wait;
  const GeoTrainer one = trained(settings);
  settings.threads = 3;
  const GeoTrainer three = trained(settings);
  EXPECT_EQ(one.best().actor.values, three.best().actor.values);
  EXPECT_EQ(one.best().critic.values, three.best().critic.values);
  EXPECT_EQ(one.curve().back().mean_return, three.curve().back().mean_return);
  settings.seed = 2;
  EXPECT_NE(one.best().actor.values, trained(settings).best().actor.values);
}

TEST(GeoTrainer, begins_with_what_its_teacher_does) {
  GeoTrainingSettings settings = Toy::settings("marl");
  settings.updates = 1;
  settings.teacher = GeoTeacher::thrifty;
  settings.cloning.passes = 60;
  const GeoTrainer cloned = trained(settings);
  EXPECT_GT(cloned.curve().front().agreement, 0.95);
  EXPECT_NEAR(cloned.curve().front().validation, return_of(0, 0, cloned), 1e-9);
}

GeoTrainingSettings quick_geo() {
  GeoTrainingSettings settings = Toy::settings("marl");
  settings.updates = 4;
  settings.teacher = GeoTeacher::thrifty_wait;
  settings.cloning.passes = 4;
  return settings;
}

GeoTrainer made(const GeoTrainingSettings& settings, GeoTrainingData data = Toy::data()) {
  auto trainer = GeoTrainer::make(settings, std::move(data));
  EXPECT_TRUE(trainer);
  return *std::move(trainer);
}

TEST(GeoTrainer, resumes_anywhere_to_the_same_bits_on_any_number_of_threads) {
  GeoTrainingSettings settings = quick_geo();
  GeoTrainer whole = made(settings);
  std::vector<std::string> checkpoints{whole.checkpoint()};
  while (!whole.finished()) {
    ASSERT_TRUE(whole.step());
    checkpoints.push_back(whole.checkpoint());
  }
  ASSERT_EQ(checkpoints.size(), 6u);
  for (std::size_t stopped = 0; stopped < checkpoints.size(); ++stopped) {
    settings.threads = 1 + static_cast<std::uint32_t>(stopped) % 3;
    GeoTrainer other = made(settings);
    const auto resumed = other.resume(checkpoints[stopped]);
    ASSERT_TRUE(resumed) << resumed.error().message;
    while (!other.finished()) ASSERT_TRUE(other.step());
    EXPECT_EQ(other.checkpoint(), checkpoints.back()) << "stopped after " << stopped;
    EXPECT_EQ(other.best().actor.values, whole.best().actor.values);
  }
}

TEST(GeoTrainer, refuses_a_checkpoint_of_another_training_and_says_what_differs) {
  GeoTrainer trainer = made(quick_geo());
  ASSERT_TRUE(trainer.step());
  const std::string checkpoint = trainer.checkpoint();
  const auto refusal = [&](const GeoTrainingSettings& settings, GeoTrainingData data) {
    const auto resumed = made(settings, std::move(data)).resume(checkpoint);
    return resumed ? std::string() : resumed.error().message;
  };
  EXPECT_EQ(refusal(quick_geo(), Toy::data()), "");
  GeoTrainingSettings other = quick_geo();
  other.updates = 5;
  other.seed = 2;
  EXPECT_EQ(refusal(other, Toy::data()),
            "is of another training: seed was '1' and is now '2', updates was '4' and is now '5'; "
            "go on with the same, or train anew without --resume");
  GeoTrainingData elsewhere = Toy::data();
  elsewhere.origin = "other";
  elsewhere.world.slack = 1;
  EXPECT_NE(
      refusal(quick_geo(), elsewhere).find("origin was '' and is now 'other', slack was '0.5'"),
      std::string::npos);
  EXPECT_NE(refusal(Toy::settings("single-rl"), Toy::data()).find("policy was 'marl'"),
            std::string::npos);
  GeoTrainingSettings bare = quick_geo();
  bare.waiting = bare.transfers = bare.variant.joint_critic = false;
  EXPECT_EQ(refusal(bare, Toy::data()),
            "is of another training: critic was 'joint' and is now 'local', transfers was 'known' "
            "and is now 'not known', waiting was 'allowed' and is now 'barred'; go on with the "
            "same, or train anew without --resume");
}

TEST(GeoTrainer, refuses_a_damaged_checkpoint) {
  GeoTrainer trainer = made(quick_geo());
  ASSERT_TRUE(trainer.step());
  const std::string whole = trainer.checkpoint();
  GeoTrainer other = made(quick_geo());
  EXPECT_FALSE(other.resume(whole.substr(0, whole.size() / 2)));
  EXPECT_FALSE(other.resume(encode_weights({})));
  EXPECT_TRUE(other.curve().empty());
}

TEST(GeoTrainer, stops_early_when_validation_gets_no_better) {
  GeoTrainingSettings settings = quick_geo();
  settings.updates = 50;
  settings.validate_every = 1;
  settings.patience = 2;
  settings.ppo.policy_iterations = 0;  // nothing ever changes
  EXPECT_EQ(trained(settings).curve().back().update, 2u);
}

TEST(GeoTrainer, stops_at_what_is_not_finite_and_keeps_what_was_good) {
  GeoTrainingData data = Toy::data();
  for (GeoEpisode& episode : data.training)
    for (TracedJob& traced : episode.jobs) traced.job.files_gb = 10;
  for (Link& link : data.world.cluster.network.links) link.per_gigabyte = Money(1e308);
  for (GeoEpisode& episode : data.validation)
    for (TracedJob& traced : episode.jobs) traced.job.files_gb = 0;
  GeoTrainer trainer = made(Toy::settings("marl"), std::move(data));
  ASSERT_TRUE(trainer.step());
  const std::string good = trainer.checkpoint();
  const auto done = trainer.step();
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("is not finite"), std::string::npos) << done.error().message;
  EXPECT_EQ(trainer.checkpoint(), good);
}

}  // namespace
}  // namespace penstock

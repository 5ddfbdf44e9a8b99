#include "learn/geo/geo_trainer.h"

#include <gtest/gtest.h>

#include "learn/geo/geo_play.h"
#include "learn/geo/toy.h"

namespace penstock {
namespace {

GeoTrainer trained(GeoTrainingSettings settings) {
  auto trainer = GeoTrainer::make(settings, Toy::grounds());
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
  const GeoGrounds& grounds = trainer.grounds();
  const auto played = play_geo(grounds.world, grounds.validation[0], trainer.rules(),
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
  const GeoTrainer taught = trained(settings);
  EXPECT_GT(taught.curve().front().agreement, 0.95);
  EXPECT_NEAR(taught.curve().front().validation, return_of(0, 0, taught), 1e-9);
}

}  // namespace
}  // namespace penstock

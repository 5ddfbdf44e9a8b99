#include "model/models.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

Profile taking(double alpha_c, double p0) {
  return {.speed = {.alpha_c = alpha_c, .gamma = 1 + alpha_c, .delta = alpha_c / 10},
          .power = {.p0 = Watts(p0)}};
}

Models three_kinds() {
  Models models(2);
  for (const double scale : {1.0, 4.0, 9.0})
    models.set(models.add_kind(), {}, taking(scale, 100 * scale));
  return models;
}

TEST(Guess, is_the_geometric_mean_of_the_others) {
  const Models guesses = guess_from_other_kinds(three_kinds());
  const Profile& guess = *guesses.find(KindId{0}, {});
  EXPECT_NEAR(guess.speed.alpha_c, 6, 1e-12);
  EXPECT_NEAR(guess.power.p0.value(), 600, 1e-9);
  EXPECT_EQ(guess.speed.gamma, 7.5);  // plain means
  EXPECT_NEAR(guess.speed.delta, 0.65, 1e-12);
}

TEST(Guess, leaves_out_what_is_next_to_nothing) {
  Models models = three_kinds();
  models.set(KindId{1}, {}, taking(1e-8, 0));
  const Models guesses = guess_from_other_kinds(models);
  EXPECT_NEAR(guesses.find(KindId{0}, {})->speed.alpha_c, 9, 1e-12);
  EXPECT_EQ(guesses.find(KindId{0}, {})->speed.alpha_r, 0);
}

TEST(Guess, keeps_what_the_user_of_a_job_declares) {
  Models models = three_kinds();
  Profile declared = taking(1, 100);
  declared.name = "bert";
  declared.batch = {.least = 3, .most = 5, .local_most = 4};
  declared.gpus_most = 6;
  models.set(KindId{0}, {}, declared);
  const Models guesses = guess_from_other_kinds(models);
  const Profile& guess = *guesses.find(KindId{0}, {});
  EXPECT_EQ(guess.name, "bert");
  EXPECT_EQ(guess.batch, declared.batch);
  EXPECT_EQ(guess.gpus_most, 6u);
}

TEST(Guess, is_marked_as_one_until_it_is_set) {
  Models guesses = guess_from_other_kinds(three_kinds());
  EXPECT_TRUE(guesses.is_guess(KindId{2}, {}));
  guesses.set(KindId{2}, {}, taking(9, 900));
  EXPECT_FALSE(guesses.is_guess(KindId{2}, {}));
  EXPECT_TRUE(guesses.is_guess(KindId{1}, {}));
}

TEST(Guess, is_not_made_of_a_kind_that_has_no_others) {
  Models models(1);
  models.set(models.add_kind(), {}, taking(1, 100));
  const Models guesses = guess_from_other_kinds(models);
  EXPECT_FALSE(guesses.is_guess(KindId{0}, {}));
  EXPECT_EQ(guesses.find(KindId{0}, {})->speed.alpha_c, 1);
}

TEST(Guess, of_a_table_is_the_geometric_mean_of_other_tables_entry_by_entry) {
  Models models = three_kinds();  // formulas, which tell nothing about tables
  const auto add = [&](const std::vector<std::pair<std::uint32_t, double>>& seconds) {
    const KindId kind = models.add_kind();
    models.set(kind, {}, table_profile("", "", seconds));
    return kind;
  };
  const KindId first = add({{1, 5.0}, {2, 4.0}, {4, 3.0}});
  add({{1, 10.0}, {2, 8.0}});
  add({{1, 40.0}, {2, 2.0}, {3, 1.0}});
  const Models guesses = guess_from_other_kinds(models);
  const auto& guess = guesses.find(first, {})->epoch_seconds;
  ASSERT_EQ(guess.size(), 4u);
  EXPECT_NEAR(guess[0], 20, 1e-12);
  EXPECT_NEAR(guess[1], 4, 1e-12);
  EXPECT_EQ(guess[2], 0);  // its user says that it cannot run so
  EXPECT_EQ(guess[3], 3);  // nobody else knows
  EXPECT_NEAR(guesses.find(KindId{0}, {})->speed.alpha_c, 6, 1e-12);
}

}  // namespace
}  // namespace penstock

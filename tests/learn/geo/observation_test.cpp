#include "learn/geo/observation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "learn/geo/toy.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

GeoRules rules_named(std::string_view variant) {
  return {.variant = *find_geo_variant(variant)};
}

/// Knows the world as a router sees it, in one instant: a job at the first of two sites has just
/// come, and others wait at the second.
class Instant {
 public:
  explicit Instant(std::uint32_t others) : world_(Toy::world()), state_(world_.cluster, {}, at()) {
    for (std::uint32_t i = 0; i <= others; ++i) {
      const bool mine = i == others;
      state_.admit({.id = {i},
                    .submitted = at(),
                    .requested = mine ? Duration(1h) : Duration(i * 7min + 1min),
                    .deadline = at() + (mine ? 4h : 1h + i * 5min),
                    .home = SiteId{mine ? 0u : 1u}});
      state_.apply(JobSubmitted{{i}}, at());
      waiting_.push_back({i});
    }
  }
  Window show(GeoObserver& sight, bool inner_wanted) {
    EXPECT_TRUE(can_show(sight, inner_wanted));
    return sight.window();
  }
  bool can_show(GeoObserver& sight, bool inner_wanted) {
    const Outlook outlook(world_.signals, world_.forecasts, at());
    const std::vector<HeldJobs> held(2);
    sight.look({.now = at(),
                .waiting = waiting_,
                .fresh = 1,
                .sites = news,
                .state = state_,
                .models = world_.models,
                .outlook = outlook},
               inner_wanted);
    return sight.show(state_.job(waiting_.back()), news, held);
  }

  std::vector<SiteNews> news =
      std::vector<SiteNews>(2, {.gpus = 1, .free = 1});  ///< what each site publishes

 private:
  static Time at() { return Time(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1)); }
  GeoWorld world_;
  State state_;
  std::vector<JobId> waiting_;
};

TEST(GeoObserver, shows_an_agent_nothing_that_other_sites_keep_to_themselves) {
  Instant calm(0);
  Instant busy(9);
  for (const char* name : {"marl", "independent-rl"}) {
    GeoObserver one(rules_named(name));
    GeoObserver two(rules_named(name));
    const Window at_rest = calm.show(one, true);
    const Window in_haste = busy.show(two, true);
    EXPECT_TRUE(std::ranges::equal(at_rest.items, in_haste.items)) << name;
    EXPECT_TRUE(std::ranges::equal(at_rest.barred, in_haste.barred)) << name;
    EXPECT_EQ(std::ranges::equal(at_rest.globals, in_haste.globals), name[0] == 'i') << name;
  }
  GeoObserver one(rules_named("single-rl"));
  GeoObserver two(rules_named("single-rl"));
  EXPECT_FALSE(std::ranges::equal(calm.show(one, true).items, busy.show(two, true).items));
}

using Barred = std::vector<std::uint8_t>;

Barred barred_in(const Window& window) {
  return {window.barred.begin(), window.barred.end()};
}

TEST(GeoObserver, bars_waiting_only_if_the_rules_say_so) {
  Instant instant(0);
  GeoRules rules = rules_named("marl");
  GeoObserver patient(rules);
  EXPECT_EQ(barred_in(instant.show(patient, false)), (Barred{0, 0, 0}));
  rules.waiting = false;
  GeoObserver hasty(rules);
  EXPECT_EQ(barred_in(instant.show(hasty, false)), (Barred{0, 0, 1}));
}

TEST(GeoObserver, bars_a_site_that_is_down_and_shows_nothing_if_all_are) {
  Instant instant(0);
  GeoObserver sight(rules_named("marl"));
  instant.news[0] = {};
  EXPECT_EQ(barred_in(instant.show(sight, false)), (Barred{1, 0, 0}));
  instant.news[1] = {};
  EXPECT_FALSE(instant.can_show(sight, false));
}

TEST(GeoFeatures, have_names_of_their_own_and_fit_the_shape) {
  for (const GeoVariant& variant : geo_variants()) {
    const auto items = geo_item_features(variant);
    const auto globals = geo_global_features(variant);
    EXPECT_EQ(std::set(items.begin(), items.end()).size(), items.size()) << variant.name;
    EXPECT_EQ(std::set(globals.begin(), globals.end()).size(), globals.size()) << variant.name;
    EXPECT_EQ(geo_shape(variant).item_features, items.size()) << variant.name;
    EXPECT_EQ(geo_shape(variant).global_features, globals.size()) << variant.name;
    EXPECT_EQ(globals.empty(), !variant.joint_critic) << variant.name;
    EXPECT_EQ(std::ranges::find(items, "inner.held_hours") != items.end(), variant.joint_actor);
  }
  EXPECT_EQ(find_geo_variant("team"), nullptr);
}

}  // namespace
}  // namespace penstock

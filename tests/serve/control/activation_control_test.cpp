#include "serve/control/activation_control.h"

#include <unistd.h>

#include "serve/two_sites.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

TEST(JointReasons, did_not_say_which_site_they_were_about) {
  EXPECT_EQ(merge_site_reasons({{"east", {"paused", "no prices"}},
                                {"west", {"paused"}},
                                {"north", {"no prices", "paused"}}}),
            (Texts{"paused", "east, north: no prices"}));
}

TEST(JointReasons, that_begin_with_the_site_need_not_name_it_again) {
  EXPECT_EQ(merge_site_reasons({{"east", {"east does not answer"}}, {"west", {}}}),
            Texts{"east does not answer"});
}

TEST(JointReasons, of_one_site_need_no_name) {
  EXPECT_EQ(merge_site_reasons({{"east", {"paused", "no prices"}}}),
            (Texts{"paused", "no prices"}));
  EXPECT_EQ(merge_site_reasons({{"east", {}}, {"west", {}}}), Texts{});
}

/// Both clusters answer, and the daemon is to act.
class ActivationControlTest : public TwoSites {
 protected:
  ActivationControlTest() {
    config.fail_open_after = 5min;
    look_at_clusters();
    control.tick(kNoon);
  }
  Texts reasons(std::uint32_t site = 0) const { return control.reasons(SiteId{site}); }
  const SitePermissions& east() const { return access[0].permissions; }
  const SitePermissions& west() const { return access[1].permissions; }
};

using UnaskedClusters = TwoSites;

TEST_F(UnaskedClusters, are_not_acted_on) {
  EXPECT_EQ(control.why_not(SiteId{1}), "west does not answer: it was not asked yet");
  control.tick(kNoon);
  EXPECT_FALSE(access[1].permissions.acts);
  EXPECT_TRUE(access[1].permissions.holds) << "for a while";
}

TEST_F(ActivationControlTest, acts_and_holds_jobs_if_nothing_is_in_the_way) {
  EXPECT_EQ(control.why_not(SiteId{0}), std::nullopt);
  EXPECT_TRUE(east().acts && east().holds && west().acts && west().holds);
}

TEST_F(ActivationControlTest, in_shadow_holds_nobody_and_lets_go_who_is_held) {
  config.fence.mode = Mode::shadow;
  control.tick(kNoon + 1s);
  EXPECT_EQ(reasons(), Texts{"the mode is shadow"});
  EXPECT_FALSE(east().acts || east().holds);
  EXPECT_TRUE(east().releases);
  control.tick(kNoon + 1h);
  EXPECT_FALSE(control.has_failed_open(SiteId{0})) << "it never held anybody";
}

TEST_F(ActivationControlTest, a_pause_counts_at_once_and_keeps_jobs_for_a_while) {
  control.pause("lunch", kNoon);
  EXPECT_EQ(reasons(), Texts{"it is paused: lunch"});
  EXPECT_FALSE(east().acts);
  EXPECT_TRUE(east().holds);
  control.resume(kNoon + 1s);
  EXPECT_TRUE(east().acts);
  EXPECT_EQ(reasons(), Texts{});
}

TEST_F(ActivationControlTest, lets_jobs_go_if_nothing_could_be_done_for_too_long) {
  control.pause("", kNoon);
  EXPECT_EQ(reasons(), Texts{"it is paused: somebody asked for it"});
  control.tick(kNoon + 5min - 1ms);
  EXPECT_FALSE(control.has_failed_open(SiteId{0}));
  EXPECT_TRUE(east().holds);
  control.tick(kNoon + 5min);
  EXPECT_TRUE(control.has_failed_open(SiteId{0}));
  EXPECT_FALSE(east().holds);
  control.tick(kNoon + 6min);
  EXPECT_EQ(journalled("failed open").size(), 2u) << "once for each site";
  control.resume(kNoon + 7min);
  EXPECT_FALSE(control.has_failed_open(SiteId{0}));
  EXPECT_TRUE(east().acts && east().holds);
}

TEST_F(ActivationControlTest, counts_that_while_from_the_last_time_it_could_act) {
  control.pause("", kNoon);
  control.resume(kNoon + 4min);
  control.pause("", kNoon + 4min);
  control.tick(kNoon + 8min);
  EXPECT_FALSE(control.has_failed_open(SiteId{0}));
  control.tick(kNoon + 9min);
  EXPECT_TRUE(control.has_failed_open(SiteId{0}));
}

TEST_F(ActivationControlTest, a_pause_outlives_the_daemon) {
  const auto paused_again = [&] {
    (void)backend.flush(kNoon);
    ActivationControl next({config, scenario, journal, clock, backend, access});
    next.restore_pause();
    return next.paused();
  };
  EXPECT_EQ(paused_again(), std::nullopt);
  control.pause("lunch", kNoon);
  EXPECT_EQ(paused_again(), "lunch");
  control.resume(kNoon);
  EXPECT_EQ(paused_again(), std::nullopt);
}

TEST_F(ActivationControlTest, does_nothing_that_it_cannot_write_down) {
  control.journal_failed("the disk is full");
  control.tick(kNoon + 1s);
  EXPECT_EQ(reasons(), Texts{"the journal cannot be written: the disk is full"});
  EXPECT_FALSE(east().acts);
  EXPECT_FALSE(journalled("journal").empty()) << "it tries whether that still is so";
  control.journal_works();
  control.tick(kNoon + 2s);
  EXPECT_TRUE(east().acts);
}

TEST_F(ActivationControlTest, keeps_to_the_hours_of_the_fence) {
  config.fence.hours = {{.from = 13 * 60, .until = 14 * 60}};
  control.tick(kNoon + 1s);
  EXPECT_EQ(reasons(), Texts{"it is outside the hours of the fence"});
  EXPECT_FALSE(east().acts);
  control.tick(kNoon + 90min);
  EXPECT_EQ(reasons(), Texts{});
  EXPECT_TRUE(east().acts);
}

TEST_F(ActivationControlTest, leaves_a_cluster_to_a_daemon_that_was_there_before) {
  const std::string cluster = "head:1/control-" + std::to_string(getpid());
  {
    ClusterClaim rival(cluster);
    EXPECT_FALSE(rival.take());
    access[0].claim = ClusterClaim(cluster);
    control.tick(kNoon + 2s);
    ASSERT_EQ(reasons().size(), 1u);
    EXPECT_TRUE(reasons()[0].starts_with("another penstock serve acts on this cluster: "));
    EXPECT_FALSE(east().acts || east().holds || east().releases) << "jobs are held for the other";
    EXPECT_TRUE(west().acts) << "there is nobody else";
    control.tick(kNoon + 1h);
    EXPECT_FALSE(control.has_failed_open(SiteId{0}));
  }
  control.tick(kNoon + 1h + 2s);
  EXPECT_EQ(reasons(), Texts{});
  EXPECT_TRUE(east().acts && east().holds);
}

TEST_F(ActivationControlTest, shows_that_it_lives_while_it_holds_jobs) {
  config.heartbeat = bridges.path() / "alive";
  control.tick(kNoon + 3s);
  EXPECT_TRUE(std::filesystem::exists(*config.heartbeat));
  config.fence.mode = Mode::shadow;
  control.tick(kNoon + 6s);
  EXPECT_FALSE(std::filesystem::exists(*config.heartbeat));
}

TEST_F(ActivationControlTest, deletes_from_the_journal_what_is_too_old) {
  config.retention = 24h;
  std::vector<JournalEntry> entries{{.when = kNoon - 25h, .what = "old", .detail = "{}"},
                                    {.when = kNoon - 22h, .what = "new", .detail = "{}"}};
  ASSERT_TRUE(journal.write(entries, {}));
  control.tick(kNoon + 1h);
  EXPECT_TRUE(journalled("old").empty());
  EXPECT_EQ(journalled("new").size(), 1u);
}

}  // namespace
}  // namespace penstock

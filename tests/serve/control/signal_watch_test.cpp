#include "serve/control/signal_watch.h"

#include <gtest/gtest.h>

#include <fstream>

#include "live/live_world.h"
#include "live/no_chores.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// Keeps what is written into it.
class KeptJournal final : public JournalWriter {
 public:
  Result<Done> write(std::span<JournalEntry> entries, std::span<JournalRequest> /*requests*/,
                     std::span<const JournalAnswer> /*answers*/) override {
    for (const JournalEntry& entry : entries)
      text += entry.site + " " + entry.what + " " + entry.detail + "\n";
    return Done{};
  }
  std::string text;
};

/// The sites "here" and "there", each with a file of prices that begins an hour before noon.
class SignalWatchTest : public testing::Test {
 protected:
  SignalWatchTest() {
    std::string pattern = testing::TempDir() + "signals-XXXXXX";
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    scenario.cluster = cluster;
    config.sites.resize(2);
    scenario.signals.resize(2);
    scenario.forecasts.resize(2);
    for (const char* site : {"here", "there"}) {
      std::ofstream(file(site)) << "prices\n";
      scenario.spans.push_back({.where = std::string("a.toml:3: site.price of '") + site + "'",
                                .file = file(site),
                                .from = kNoon - 1h});
    }
  }
  ~SignalWatchTest() override { fs::remove_all(folder); }

  static Cluster two_site_cluster() {
    Cluster made = small_cluster(1);
    add_site(made, "there", {{.count = 1, .gpus = 4}});
    return made;
  }
  std::string file(const std::string& site) const { return (folder / (site + ".csv")).string(); }
  void touch(const std::string& site, Duration age) const {
    fs::last_write_time(file(site), fs::file_time_type::clock::now() - age);
  }
  SignalWatch watch() {
    return SignalWatch({config, scenario, backend, [this] {
                          ++reloads;
                          return reloaded;
                        }});
  }
  /// What operators were told since the last call.
  std::string told() {
    (void)backend.flush(kNoon);
    return std::exchange(journal.text, "");
  }
  /// The scenario, with another price at the second site.
  Scenario with_price(double price) const {
    Scenario other = scenario;
    other.signals[1].price = Signal<Price>::constant(Price(price));
    return other;
  }

  const SiteId here{0};
  const SiteId there{1};
  fs::path folder;
  Cluster cluster = two_site_cluster();
  Scenario scenario;
  ServeConfig config;
  LiveBeliefs beliefs{{}, cluster, false};
  KeptJournal journal;
  SystemClock clock;
  NoChores chores;
  SlurmBackend backend{{}, {cluster, beliefs, journal, clock, chores}};
  Result<Scenario> reloaded{Error{"nobody expects this"}};
  int reloads = 0;
};

TEST_F(SignalWatchTest, trusts_series_that_tell_about_the_present) {
  SignalWatch signals = watch();
  EXPECT_FALSE(signals.check(kNoon));
  EXPECT_EQ(signals.problem(here), "");
  EXPECT_EQ(signals.problem(there), "");
  EXPECT_EQ(reloads, 0);
  EXPECT_EQ(told(), "");
}

TEST_F(SignalWatchTest, distrusts_only_the_site_whose_series_has_ended) {
  scenario.spans[1].until = kNoon;
  SignalWatch signals = watch();
  signals.check(kNoon - 1ms);
  EXPECT_EQ(signals.problem(there), "");
  signals.check(kNoon);
  EXPECT_EQ(signals.problem(here), "");
  EXPECT_EQ(signals.problem(there), file("there") + " ended at 2026-05-04T12:00:00Z");
}

TEST_F(SignalWatchTest, distrusts_a_series_that_has_not_begun) {
  scenario.spans[0].from = kNoon + 1h;
  SignalWatch signals = watch();
  signals.check(kNoon);
  EXPECT_EQ(signals.problem(here), file("here") + " begins at 2026-05-04T13:00:00Z only");
  signals.check(kNoon + 1h);
  EXPECT_EQ(signals.problem(here), "");
}

TEST_F(SignalWatchTest, tells_once_that_signals_are_stale_and_once_that_they_are_not) {
  scenario.spans[1].until = kNoon;
  SignalWatch signals = watch();
  signals.check(kNoon);
  EXPECT_EQ(told(), "there signals {\"text\":\"are stale: " + file("there") +
                        " ended at 2026-05-04T12:00:00Z\"}\n");
  signals.check(kNoon + 1s);
  EXPECT_EQ(told(), "");
  scenario.spans[1].until.reset();
  signals.check(kNoon + 2s);
  EXPECT_EQ(told(), "there signals {\"text\":\"are fresh again\"}\n");
}

TEST_F(SignalWatchTest, distrusts_a_file_that_nobody_writes_any_more_if_there_is_a_limit) {
  touch("here", 2h);
  touch("there", 2h);
  config.sites[1].stale_after = 1h;
  SignalWatch signals = watch();
  signals.check(kNoon);
  EXPECT_EQ(signals.problem(here), "");
  EXPECT_TRUE(signals.problem(there).starts_with(file("there") + " has not been written for 72"))
      << signals.problem(there);
}

TEST_F(SignalWatchTest, knows_that_any_series_is_about_the_only_site) {
  scenario.cluster = small_cluster(1);
  scenario.spans = {{.where = "a.toml:3: site.price", .file = file("here"), .until = kNoon}};
  SignalWatch signals = watch();
  signals.check(kNoon);
  EXPECT_NE(signals.problem(here), "");
}

TEST_F(SignalWatchTest, replaces_signals_where_they_are_when_a_file_has_changed) {
  reloaded = with_price(0.5);
  SignalWatch signals = watch();
  const SiteSignals* place = &scenario.signals[1];
  EXPECT_FALSE(signals.check(kNoon));
  touch("there", 1min);
  EXPECT_TRUE(signals.check(kNoon + 2s));
  EXPECT_EQ(place, &scenario.signals[1]) << "the engine looks at that very element";
  EXPECT_EQ(place->price.at(kNoon), Price(0.5));
  EXPECT_FALSE(signals.check(kNoon + 4s)) << "it has not changed again";
  EXPECT_EQ(reloads, 1);
}

TEST_F(SignalWatchTest, keeps_what_it_has_if_files_cannot_be_read_and_tries_again) {
  reloaded = Error{"row 3 has no price"};
  SignalWatch signals = watch();
  touch("there", 1min);
  EXPECT_FALSE(signals.check(kNoon));
  EXPECT_FALSE(signals.check(kNoon + 2s));
  EXPECT_EQ(reloads, 2) << "it may only have been unreadable";
  EXPECT_EQ(told(),
            " signals {\"text\":\"cannot be read again, the old ones hold: row 3 has no price\"}\n")
      << "once";
  EXPECT_EQ(scenario.signals[1].price.at(kNoon), Price(0));
  reloaded = with_price(0.5);
  EXPECT_TRUE(signals.check(kNoon + 4s));
  EXPECT_EQ(scenario.signals[1].price.at(kNoon), Price(0.5));
  EXPECT_FALSE(signals.check(kNoon + 6s));
}

TEST_F(SignalWatchTest, keeps_what_it_has_of_a_file_that_is_gone_until_it_is_back) {
  reloaded = with_price(0.5);
  config.sites[1].stale_after = 1h;
  SignalWatch signals = watch();
  const auto written = fs::last_write_time(file("there"));
  fs::rename(file("there"), file("away"));
  EXPECT_FALSE(signals.check(kNoon));
  EXPECT_EQ(reloads, 0);
  EXPECT_EQ(signals.problem(there), file("there") + " is gone");
  fs::rename(file("away"), file("there"));
  EXPECT_EQ(fs::last_write_time(file("there")), written);
  EXPECT_TRUE(signals.check(kNoon + 2s)) << "nobody knows what became of it meanwhile";
  EXPECT_EQ(signals.problem(there), "");
}

}  // namespace
}  // namespace penstock

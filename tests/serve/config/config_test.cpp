#include "serve/config/config.h"

#include <gtest/gtest.h>

#include <fstream>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

class ServeConfigTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "config-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Result<ServeConfig> read(const std::string& text) const {
    std::ofstream(folder_ / "serve.toml") << text;
    return read_serve_config(folder_ / "serve.toml");
  }
  /// Does a configuration with these lines in [serve], [fence] and [site.slurm] name this problem?
  void expect_problem(const std::string& text, const std::string& problem) const {
    const auto config = read(text);
    ASSERT_FALSE(config) << text;
    EXPECT_NE(config.error().message.find(problem), std::string::npos) << config.error().message;
  }
  std::filesystem::path folder_;
};

constexpr const char* kSite = "[[site]]\nname = \"east\"\n[site.slurm]\n";
constexpr const char* kServe = "[serve]\njournal = \"j.db\"\n";

TEST_F(ServeConfigTest, little_must_be_said) {
  const auto config = read(std::string(kServe) + kSite);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->journal, folder_ / "j.db");
  EXPECT_EQ(config->fence.mode, Mode::shadow);
  EXPECT_EQ(config->api.host, "127.0.0.1");
  EXPECT_TRUE(config->refit);
  EXPECT_FALSE(config->clocks);
  ASSERT_EQ(config->sites.size(), 1u);
  EXPECT_EQ(config->sites[0].options.name, "east");
  EXPECT_EQ(config->sites[0].bridge, std::vector<std::string>{"penstock-slurm"});
  EXPECT_FALSE(config->scenario.contains("serve"));
  EXPECT_TRUE(config->scenario.contains("site"));
}

TEST_F(ServeConfigTest, every_key_is_read) {
  const auto config = read(R"(
[serve]
journal = "j.db"
mode = "fenced"
listen = "0.0.0.0:99"
names = ["penstock.example"]
token_file = "token"
heartbeat = "alive"
retention = "10 days"
fail_open_after = "2 min"
refit = "never"
clocks = "agents"
[fence]
actions_per_minute = 5
hours = ["20:00-06:00", "12:00-24:00"]
users = ["ann"]
partitions = ["night"]
[former]
name = "fifo"
backfill = "easy"
[[fetch]]
url = "http://example.org/p.csv"
file = "p.csv"
every = "5 min"
[[site]]
name = "east"
[site.slurm]
bridge = "/opt/penstock-slurm"
conf = "slurm.conf"
events = "e.sock"
events_user = "slurm"
partitions = ["gpu"]
poll = "2 s"
start_patience = "30 s"
stop_patience = "40 s"
usual_time = "1 h"
stale_after = "3 h"
tardiness_per_hour = 36
gpu_types = { tesla = "v100" }
)");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->fence.mode, Mode::fenced);
  EXPECT_EQ(config->api.host, "0.0.0.0");
  EXPECT_EQ(config->api.port, 99);
  EXPECT_EQ(config->api.names, std::vector<std::string>{"penstock.example"});
  EXPECT_EQ(config->api.token_file, folder_ / "token");
  EXPECT_EQ(config->heartbeat, folder_ / "alive");
  EXPECT_EQ(config->retention, Duration(24h * 10));
  EXPECT_EQ(config->fail_open_after, Duration(2min));
  EXPECT_FALSE(config->refit);
  EXPECT_TRUE(config->clocks);
  EXPECT_EQ(config->fence.actions_per_minute, 5u);
  ASSERT_EQ(config->fence.hours.size(), 2u);
  EXPECT_EQ(config->fence.hours[0].from, 20 * 60);
  EXPECT_EQ(config->fence.hours[1].until, 24 * 60);
  EXPECT_EQ(config->former_options.at("backfill"), "easy");
  EXPECT_EQ(config->fetches.at(0).every, Duration(5min));
  const SlurmSpec& site = config->sites.at(0);
  EXPECT_EQ(site.bridge,
            (std::vector<std::string>{"/opt/penstock-slurm", "--conf", folder_ / "slurm.conf"}));
  EXPECT_EQ(site.events,
            (std::vector<std::string>{"--events", folder_ / "e.sock", "--events-user", "slurm"}));
  EXPECT_EQ(site.options.users, std::vector<std::string>{"ann"});
  EXPECT_EQ(site.options.partitions, std::vector<std::string>{"night"});
  EXPECT_EQ(site.options.poll, Duration(2s));
  EXPECT_EQ(site.options.start_timeout, Duration(30s));
  EXPECT_EQ(site.options.stop_timeout, Duration(40s));
  EXPECT_EQ(site.options.usual_time, Duration(1h));
  EXPECT_EQ(site.stale_after, Duration(3h));
  EXPECT_EQ(site.options.tardiness, MoneyRate(0.01));
  EXPECT_EQ(site.options.gpu_types.at("tesla"), "v100");
}

TEST_F(ServeConfigTest, what_is_missing_is_named) {
  expect_problem("", "write at least one [[site]] with [site.slurm]");
  expect_problem(kSite, "write [serve] with a journal and a mode");
  expect_problem(std::string("[serve]\n") + kSite, "the file in which all is written down");
  expect_problem(std::string(kServe) + "[[site]]\nname = \"a\"\n", "write [site.slurm]");
  expect_problem(std::string(kServe) + "[[site]]\nname = \"a\"\nnodes = []\n[site.slurm]\n",
                 "are told by Slurm");
}

TEST_F(ServeConfigTest, a_bad_value_is_named_with_what_is_possible) {
  const auto serve = [](const std::string& line) { return kServe + line + "\n" + kSite; };
  expect_problem(serve("mode = \"wild\""), "mode");
  expect_problem(serve("listen = \"here\""), "'here' is not an address with a port");
  expect_problem(serve("listen = \"here:99999\""), "is not an address with a port");
  expect_problem(serve("names = \"x\""), "must be a list of texts");
  expect_problem(serve("names = [3]"), "must be a list of texts");
  expect_problem(serve("retention = \"soon\""), "retention");
  expect_problem(serve("refit = \"often\""), "refit");
  expect_problem(serve("clocks = \"fast\""), "clocks");
  expect_problem(serve("jurnal = \"x\""), "jurnal");
  const auto fence = [](const std::string& line) {
    return kServe + ("mode = \"fenced\"\n[fence]\n" + line) + "\n" + kSite;
  };
  for (const char* hours : {"8-9", "08:00", "25:00-26:00", "08:60-09:00", "x", "", "24:01-05:00"})
    expect_problem(fence(std::string("hours = [\"") + hours + "\"]"), "is not a span of a day");
  expect_problem(fence("actions_per_minute = 0"), "actions_per_minute");
  expect_problem(std::string(kServe) + kSite + "poll = \"x\"\n", "poll");
  for (const std::string key :
       {"poll", "patience", "start_patience", "stop_patience", "usual_time", "stale_after"})
    expect_problem(std::string(kServe) + kSite + key + " = \"0 s\"\n",
                   "site.slurm." + key + ": must be longer than 0");
  expect_problem(serve("retention = \"0 d\""), "serve.retention: must be longer than 0");
  expect_problem(std::string(kServe) + kSite + "tardiness_per_hour = -1\n", "tardiness_per_hour");
  expect_problem(std::string(kServe) + kSite + "gpu_types = { a = 3 }\n",
                 "must be the name of a GPU type");
  expect_problem(std::string(kServe) + kSite + "gpu_types = { v100 = \"v1000\" }\n",
                 ":6: site.slurm.gpu_types.v100: there is no GPU type 'v1000'; there are: h100 ");
  EXPECT_TRUE(read(std::string(kServe) + kSite + "gpu_types = { a = \"V100\", b = \"mine\" }\n" +
                   "[[gpu_type]]\nname = \"mine\"\nlike = \"a100\"\n"));
  expect_problem(std::string(kServe) + "[[fetch]]\nurl = \"ftp://x\"\nfile = \"y\"\n" + kSite,
                 "must begin with http:// or https://");
}

TEST_F(ServeConfigTest, a_fence_that_was_left_in_the_file_stopped_the_daemon) {
  for (const std::string mode : {"shadow", "live"}) {
    const auto config = read(kServe + ("mode = \"" + mode + "\"\n[fence]\n") +
                             "hours = [\"20:00-06:00\"]\nusers = [\"ada\"]\npartitions = "
                             "[\"night\"]\nactions_per_minute = 1\n" +
                             kSite);
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->notes,
              std::vector<std::string>{(folder_ / "serve.toml").string() +
                                       ":4: fence: does not hold, since serve.mode is \"" + mode +
                                       "\"; possible: mode = \"fenced\""});
    EXPECT_TRUE(config->fence.hours.empty());
    EXPECT_FALSE(config->fence.actions_per_minute);
    EXPECT_TRUE(config->fence_partitions.empty());
    EXPECT_TRUE(config->sites.at(0).options.users.empty());
    EXPECT_TRUE(config->sites.at(0).options.partitions.empty());
  }
}

TEST_F(ServeConfigTest, clusters_are_found_in_a_file_with_other_problems) {
  const auto find = [&](const std::string& text) {
    std::ofstream(folder_ / "serve.toml") << text;
    return read_clusters(folder_ / "serve.toml");
  };
  const auto config = find(
      "[serve]\njournal = \"j.db\"\nmode = \"wild\"\n[[site]]\nname = \"east\"\nnodes = []\n"
      "[site.slurm]\nconf = \"slurm.conf\"\npoll = \"x\"\n[[site]]\nname = \"west\"\n"
      "[site.slurm]\nconf = 3\n");
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_EQ(config->sites.size(), 1u) << "where west is nobody knows";
  EXPECT_EQ(config->sites[0].options.name, "east");
  EXPECT_EQ(config->sites[0].bridge,
            (std::vector<std::string>{"penstock-slurm", "--conf", folder_ / "slurm.conf"}));
  EXPECT_EQ(config->journal, folder_ / "j.db");
  ASSERT_EQ(config->notes.size(), 4u);
  const char* problems[] = {"serve.mode", "site.nodes", "site.slurm.poll", "site.slurm.conf"};
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NE(config->notes[i].find(problems[i]), std::string::npos) << config->notes[i];
  EXPECT_TRUE(find(std::string(kServe) + kSite)->notes.empty());
  EXPECT_FALSE(find("[serve"));
  EXPECT_FALSE(find(kServe));
  EXPECT_FALSE(find("[[site]]\nname = \"east\"\n"));
  EXPECT_FALSE(read_clusters(folder_ / "absent.toml"));
}

TEST_F(ServeConfigTest, all_problems_are_told_at_once) {
  const auto config = read(std::string(kServe) + "mode = \"wild\"\nlisten = \"x\"\n" + kSite);
  ASSERT_FALSE(config);
  EXPECT_NE(config.error().message.find("mode"), std::string::npos);
  EXPECT_NE(config.error().message.find("listen"), std::string::npos);
  EXPECT_FALSE(read_serve_config(folder_ / "absent.toml"));
  EXPECT_FALSE(read("[serve"));
}

}  // namespace
}  // namespace penstock

#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "live/live_world.h"
#include "live/no_chores.h"
#include "serve/api/api_dependencies.h"

namespace penstock {

/// A folder for the bridges of a test, gone afterwards. A bridge is a script that answers each verb
/// with what the file of that name holds.
class BridgeFolder {
 public:
  BridgeFolder() {
    std::signal(SIGPIPE, SIG_IGN);  // a bridge may end before it has read all
    std::string pattern = testing::TempDir() + "two-sites-XXXXXX";
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    path_ = pattern;
    std::ofstream(path_ / "bridge") << R"(while read -r line; do
  id=${line#*'"id":'}; id=${id%%[,\}]*}
  verb=${line#*'"do":"'}; verb=${verb%%'"'*}
  said='"ok":true'
  if [ -f "$1/$verb" ]; then said=$(cat "$1/$verb"); fi
  printf '{"id":%s,%s}\n' "$id" "$said"
done
)";
    for (const char* site : {"east", "west"}) {
      std::filesystem::create_directory(path_ / site);
      say(site, "nodes",
          R"("ok":true,"last_update":1,"nodes":[{"name":"n1","state":"idle","flags":[],)"
          R"("gpus":[{"type":"a","total":4}],"partitions":["main"],"reason":""}])");
      show(site, {});
    }
  }
  ~BridgeFolder() { std::filesystem::remove_all(path_); }
  BridgeFolder(const BridgeFolder&) = delete;
  BridgeFolder& operator=(const BridgeFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::vector<std::string> command(const std::string& site) const {
    return {"/bin/sh", path_ / "bridge", path_ / site};
  }
  /// What the bridge of a site says from now on when it is asked for this.
  void say(const std::string& site, const std::string& verb, const std::string& members) const {
    const auto file = path_ / site / verb;
    std::ofstream(file.string() + ".new") << members;
    std::filesystem::rename(file.string() + ".new", file);
  }
  /// The jobs that the cluster of a site shows from now on.
  void show(const std::string& site, const std::vector<FakeJob>& jobs) {
    nlohmann::json all = nlohmann::json::array();
    for (const FakeJob& job : jobs) all.push_back(FakeSlurm::shown(job));
    say(site, "jobs",
        R"("ok":true,"last_update":)" + std::to_string(++updates_) + R"(,"jobs":)" + all.dump());
  }

 private:
  std::filesystem::path path_;
  int updates_ = 100;
};

/// What a daemon is made of, without its policy: the clusters "east" and "west" with a node n1 of
/// four GPUs each, behind bridges that say what a test wants.
class TwoSites : public testing::Test {
 protected:
  static constexpr auto kPatience = std::chrono::seconds(20);

  TwoSites() { declare_daemon_metrics(metrics); }

  /// A job as a cluster shows it.
  static FakeJob waiting(std::int64_t number, const std::string& user = "ann") {
    return {.number = number, .ref = std::to_string(number), .user = user, .submitted = kNoon};
  }
  static FakeJob running(std::int64_t number) {
    FakeJob job = waiting(number);
    job.state = "running";
    job.started = kNoon;
    job.ran_on = {"n1"};
    job.holds = {{"n1", {0}}};
    return job;
  }

  /// Lets the daemon work until something is so.
  void work_until(const std::function<bool()>& is_so) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    Batch batch;
    while (!is_so() && std::chrono::steady_clock::now() < end)
      (void)backend.wait(clock.now() + Duration(5), batch);
    EXPECT_TRUE(is_so()) << "that took too long";
  }
  void look_at_clusters() {
    work_until([&] { return backend.site(0).has_looked() && backend.site(1).has_looked(); });
  }
  /// Until a site shows these jobs and no others.
  void show(std::size_t site, const std::vector<FakeJob>& jobs) {
    bridges.show(site == 0 ? "east" : "west", jobs);
    look_at_clusters();
    work_until([&] {
      std::size_t found = 0;
      for (const FakeJob& job : jobs) {
        const TrackedJob* known = backend.site(site).find(job.ref);
        if (known != nullptr && known->seen.state == job.state) ++found;
      }
      return found == jobs.size() && backend.site(site).jobs().size() == found;
    });
  }
  /// What a request of another thread is answered while the daemon works.
  ApiResponse ask(const std::function<ApiResponse()>& request) {
    ApiResponse response;
    std::atomic<bool> answered = false;
    std::thread other([&] {
      response = request();
      answered = true;
    });
    work_until([&] { return answered.load(); });
    other.join();
    return response;
  }
  /// What is in the journal once all that was noted is.
  std::vector<JournalEntry> journalled(const std::string& what) {
    (void)backend.flush(kNoon);
    auto entries = journal.latest_entries(what, 100);
    return entries ? *entries : std::vector<JournalEntry>{};
  }
  static nlohmann::json parsed(const ApiResponse& response) {
    return nlohmann::json::parse(response.body);
  }

  static Scenario two_site_scenario() {
    Scenario scenario;
    scenario.cluster = small_cluster(1);
    scenario.cluster.sites.front().name = "east";
    add_site(scenario.cluster, "west", {{.count = 1, .gpus = 4, .base = Watts(100)}});
    scenario.signals.resize(2);
    scenario.forecasts.resize(2);
    scenario.currency = "EUR";
    return scenario;
  }
  ServeConfig two_site_config() const {
    ServeConfig made;
    made.journal = bridges.path() / "journal.db";
    made.fence.mode = Mode::live;
    made.sites.resize(2);
    return made;
  }
  std::vector<SlurmBackend::SiteSetup> setups() const {
    std::vector<SlurmBackend::SiteSetup> all(2);
    for (std::uint32_t i = 0; i < 2; ++i) {
      all[i].options.site = SiteId{i};
      all[i].options.name = i == 0 ? "east" : "west";
      all[i].options.nodes = {"n1"};
      all[i].options.partitions = {"main"};
      all[i].options.poll = std::chrono::milliseconds(20);
      all[i].bridge.command = bridges.command(all[i].options.name);
      all[i].permissions = &access[i].permissions;
    }
    return all;
  }

  BridgeFolder bridges;
  Scenario scenario = two_site_scenario();
  ServeConfig config = two_site_config();
  Journal journal = *Journal::open(config.journal);
  LiveBeliefs beliefs{small_catalogue(), scenario.cluster, false};
  SystemClock clock;
  NoChores chores;
  std::array<SiteAccess, 2> access{};
  SlurmBackend backend{setups(), {scenario.cluster, beliefs, journal, clock, chores}};
  ActivationControl control{{config, scenario, journal, clock, backend, access,
                             [] { return Result<Scenario>(two_site_scenario()); }}};
  EventFeed feed;
  DaemonMetrics metrics;
  DaemonObserver observer{backend, feed, {.policy = "fifo", .mode = Mode::live}};
  ApiDependencies needs{.backend = backend,
                        .control = control,
                        .observer = observer,
                        .journal = journal,
                        .scenario = scenario,
                        .config = config,
                        .feed = feed,
                        .metrics = metrics,
                        .version = "1.2",
                        .policy = {"fifo"},
                        .since = kNoon,
                        .plan = [](const std::string& body) { return ApiResponse{200, body}; },
                        .savings = [] { return ApiResponse{200, "{}"}; }};
};

}  // namespace penstock

#include "daemon/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "daemon/setup.h"
#include "experiment/policy_choice.h"
#include "io/text/nearest.h"
#include "live/bridge/cluster_claim.h"
#include "live/bridge/discover.h"
#include "registry/registry.h"
#include "serve/config/preflight.h"

namespace penstock {
namespace {

constexpr auto kCheckTimeout = std::chrono::seconds(20);  // with a cluster

/// What is possible where the program that talks to Slurm is not there.
std::string_view start_hint(std::string_view error) {
  if (!error.ends_with(fmt::format("cannot be started: {}", std::strerror(ENOENT)))) return "";
  return "; possible: make install, which builds penstock-slurm where libslurm-dev is, or its path "
         "as site.slurm.bridge";
}

/// What the clusters said, by site; nothing of those that did not answer.
using Clusters = std::vector<std::optional<ClusterFacts>>;

class DaemonCheck {
 public:
  explicit DaemonCheck(const ServeConfig& config)
      : config_(config), problems_(preflight_problems(config)) {
    if (const auto fine = check_choice({config.former, config.former_options}); !fine)
      add("former", fine.error().message);
    ask_clusters();
    check_partitions();
    check_scenario();
    add_notes();
  }

  const std::vector<std::string>& problems() const { return problems_; }
  const LiveSetup& setup() const { return setup_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void add(std::string_view key, std::string_view what) {
    problems_.push_back(fmt::format("{}: {}: {}", config_.file.string(), key, what));
  }
  void ask_clusters() {
    for (const SlurmSpec& spec : config_.sites) {
      BridgeLink::Options bridge = bridge_options(spec);
      bridge.captures_stderr = true;
      auto facts = ask_cluster(bridge, kCheckTimeout);
      if (!facts)
        add(fmt::format("site '{}'", spec.options.name),
            fmt::format("its cluster does not answer: {}{}", facts.error().message,
                        start_hint(facts.error().message)));
      clusters_.push_back(facts ? std::optional(*std::move(facts)) : std::nullopt);
    }
  }
  void check_partitions();
  void check_partition_names(std::string_view key, const std::vector<std::string>& wanted,
                             const std::vector<std::string>& there);
  void check_scenario();
  bool has_limits() const;
  void add_notes();
  std::vector<ClusterFacts> known_clusters() const;

  const ServeConfig& config_;
  std::vector<std::string> problems_;
  Clusters clusters_;
  bool knows_all_ = true;  ///< whether the nodes are those that the daemon would have
  LiveSetup setup_;
  std::vector<std::string> notes_;
};

void DaemonCheck::check_partition_names(std::string_view key,
                                        const std::vector<std::string>& wanted,
                                        const std::vector<std::string>& there) {
  const std::vector<std::string_view> known(there.begin(), there.end());
  for (const std::string& name : wanted) {
    if (std::ranges::find(there, name) != there.end()) continue;
    add(key, fmt::format("there is no partition '{}'; there are: {}{}", name, fmt::join(there, " "),
                         did_you_mean(name, known)));
    knows_all_ = false;
  }
}

/// Those of the fence need be at one site only.
void DaemonCheck::check_partitions() {
  std::vector<std::string> anywhere;
  bool all_answer = true;
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    all_answer = all_answer && clusters_[i];
    if (!clusters_[i]) continue;
    const auto& there = clusters_[i]->partitions;
    anywhere.insert(anywhere.end(), there.begin(), there.end());
    check_partition_names(fmt::format("site '{}': slurm.partitions", config_.sites[i].options.name),
                          config_.sites[i].partitions, there);
  }
  knows_all_ = knows_all_ && all_answer;
  if (!all_answer) return;
  std::ranges::sort(anywhere);
  anywhere.erase(std::ranges::unique(anywhere).begin(), anywhere.end());
  check_partition_names("fence.partitions", config_.fence_partitions, anywhere);
}

/// Of clusters of which too little is known one node, so that the rest can be looked at.
std::vector<ClusterFacts> DaemonCheck::known_clusters() const {
  std::vector<ClusterFacts> all;
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    SlurmNode any{.name = "any", .state = "idle", .gpus = {{"a100", 1}}};
    any.partitions = config_.sites[i].options.partitions;
    all.push_back(knows_all_ ? *clusters_[i] : ClusterFacts{.nodes = {any}});
  }
  return all;
}

void DaemonCheck::check_scenario() {
  auto setup = set_up_live(config_, known_clusters());
  if (!setup) {
    problems_.push_back(setup.error().message);
    return;
  }
  setup_ = *std::move(setup);
  if (!knows_all_) return;
  const Scenario& scenario = setup_.scenario;
  const auto policy = every_policy().make(
      {.cluster = scenario.cluster,
       .costs = scenario.costs,
       .start = Time(std::chrono::floor<Duration>(std::chrono::system_clock::now())),
       .carbon_price = scenario.carbon_price,
       .utility = scenario.utility},
      setup_.policy.name, setup_.policy.options);
  if (!policy) add("policy", policy.error().message);
}

/// A fence without any is none.
bool DaemonCheck::has_limits() const {
  const FenceOptions& fence = config_.fence;
  if (fence.mode != Mode::fenced || fence.actions_per_minute || !fence.hours.empty()) return true;
  return !config_.fence_partitions.empty() ||
         std::ranges::any_of(config_.sites,
                             [](const SlurmSpec& site) { return !site.options.users.empty(); });
}

/// Not wrong: it may be about to be replaced by this one.
void DaemonCheck::add_notes() {
  notes_ = config_.notes;
  notes_.insert(notes_.end(), setup_.notes.begin(), setup_.notes.end());
  if (!has_limits()) notes_.push_back("mode is fenced, but [fence] sets no limit: it is as live");
  if (config_.fence.mode == Mode::shadow || is_file_locked(config_.journal.string() + ".lock"))
    return;
  for (std::size_t i = 0; i < clusters_.size(); ++i)
    if (const auto holder = ClusterClaim(clusters_[i] ? clusters_[i]->key : "").holder())
      notes_.push_back(
          fmt::format("another penstock serve acts on the cluster of '{}', and this one would only "
                      "look on until that ends: {}",
                      config_.sites[i].options.name, *holder));
}

}  // namespace

CheckReport check_daemon(const ServeConfig& config) {
  const DaemonCheck check(config);
  CheckReport report{.problems = check.problems(), .notes = check.notes()};
  const Cluster& cluster = check.setup().scenario.cluster;
  if (report.problems.empty())
    report.summary = fmt::format("{}: fine: {} GPUs at {} {}, policy {}, mode {}",
                                 config.file.string(), cluster.gpu_count(), cluster.sites.size(),
                                 cluster.sites.size() == 1 ? "site" : "sites",
                                 check.setup().policy.name, name_of(config.fence.mode));
  return report;
}

}  // namespace penstock

#include "policies/wrappers.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <variant>

#include "policy/reasons.h"

namespace penstock {
namespace {

class Clocked final : public Policy {
 public:
  Clocked(ClockChoice choice, std::unique_ptr<Policy> inner)
      : choice_(choice), inner_(std::move(inner)) {}

  Decision decide(const View& view) override {
    Decision decision = inner_->decide(view);
    for (Action& action : decision.actions) {
      if (auto* start = std::get_if<Start>(&action)) choose(*start, view, decision);
      if (auto* resize = std::get_if<Resize>(&action)) choose(*resize, view, decision);
    }
    return decision;
  }

 private:
  template <class What>
  void choose(What& what, const View& view, Decision& decision) const {
    const Cluster& cluster = view.state.cluster();
    const Node& node = cluster.node(what.where.front().first);
    const Job& job = view.state.job(what.job).job;
    const Profile* profile = view.models.find(job, node.type);
    if (profile == nullptr || what.knobs.clock_mhz) return;
    const Config config{.gpus = gpu_count(what.where),
                        .nodes = node_count(what.where, cluster),
                        .batch = what.knobs.batch.value_or(job.batch)};
    what.knobs.clock_mhz = choice_.clock(*profile, cluster.type(node), config);
    add_reason(view, decision, what.job, [&] {
      return fmt::format("at {} MHz: {}", *what.knobs.clock_mhz, choice_.why(config.gpus));
    });
  }

  ClockChoice choice_;
  std::unique_ptr<Policy> inner_;
};

}  // namespace

Result<std::unique_ptr<Policy>> make_clocked(const PolicySetting& setting, const std::string& text,
                                             std::unique_ptr<Policy> inner) {
  const auto choice = ClockChoice::parse(text, setting.cluster);
  if (!choice) return choice.error();
  if (choice->is_highest()) return inner;
  return std::unique_ptr<Policy>(std::make_unique<Clocked>(*choice, std::move(inner)));
}

namespace {

class SleepIdle final : public Policy {
 public:
  SleepIdle(const PolicySetting& setting, Duration after, std::unique_ptr<Policy> inner)
      : after_(after), inner_(std::move(inner)) {
    for (std::uint32_t i = 0; i < setting.cluster.nodes.size(); ++i)
      idle_.push_back({setting.start, NodeId{i}});
  }

  Decision decide(const View& view) override {
    for (const Event& event : view.happened) note(event, view);
    Decision decision = inner_->decide(view);
    std::set<NodeId> used = nodes_used(decision, view);
    for (; !idle_.empty() && idle_.front().since + after_ <= view.now; idle_.pop_front()) {
      const Idle idle = idle_.front();
      const NodeState& node = view.state.node(idle.node);
      const bool still = node.phase == NodePhase::awake && node.idle_since == idle.since &&
                         node.free == view.state.cluster().node(idle.node).gpus;
      if (still && used.insert(idle.node).second) decision.actions.emplace_back(Sleep{idle.node});
    }
    for (const Action& action : decision.actions) {
      if (const auto job = job_leaving(action)) note_nodes(*job, view);
      if (const auto* a = std::get_if<Wake>(&action)) idle_.push_back({view.now, a->node});
    }
    if (!idle_.empty()) {
      const Time next = idle_.front().since + after_;
      decision.ask_again = std::min(decision.ask_again.value_or(next), next);
    }
    return decision;
  }

 private:
  struct Idle {
    Time since{};
    NodeId node{};
  };

  void note(const Event& event, const View& view) {
    if (const auto* e = std::get_if<JobFinished>(&event)) note_nodes(e->job, view);
    if (const auto* e = std::get_if<JobInterrupted>(&event)) note_nodes(e->job, view);
    if (const auto* e = std::get_if<NodeRepaired>(&event)) idle_.push_back({view.now, e->node});
  }

  void note_nodes(JobId job, const View& view) {
    for (const GpuRange& range : view.state.job(job).where)
      idle_.push_back({view.now, view.state.cluster().node_of[range.first.index]});
  }

  /// The job that an action takes off its GPUs.
  static std::optional<JobId> job_leaving(const Action& action) {
    if (const auto* a = std::get_if<Preempt>(&action)) return a->job;
    if (const auto* a = std::get_if<Resize>(&action)) return a->job;
    if (const auto* a = std::get_if<Migrate>(&action)) return a->job;
    return std::nullopt;
  }

  /// Where an action puts a job.
  static const Placement* place_in(const Action& action) {
    if (const auto* a = std::get_if<Start>(&action)) return &a->where;
    if (const auto* a = std::get_if<Resize>(&action)) return &a->where;
    if (const auto* a = std::get_if<Migrate>(&action)) return &a->where;
    return nullptr;
  }

  /// The nodes about which a decision says something.
  static std::set<NodeId> nodes_used(const Decision& decision, const View& view) {
    std::set<NodeId> used;
    for (const Action& action : decision.actions) {
      if (const auto* a = std::get_if<Sleep>(&action)) used.insert(a->node);
      if (const auto* a = std::get_if<Wake>(&action)) used.insert(a->node);
      const Placement* where = place_in(action);
      if (where == nullptr) continue;
      for (const GpuRange& range : *where)
        used.insert(view.state.cluster().node_of[range.first.index]);
    }
    return used;
  }

  Duration after_;
  std::unique_ptr<Policy> inner_;
  std::deque<Idle> idle_;  ///< nodes that may have become idle, oldest first
};

}  // namespace

std::unique_ptr<Policy> make_sleep_idle(const PolicySetting& setting, Duration after,
                                        std::unique_ptr<Policy> inner) {
  return std::make_unique<SleepIdle>(setting, after, std::move(inner));
}

}  // namespace penstock

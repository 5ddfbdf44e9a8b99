#include "policies/wrappers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <optional>
#include <set>
#include <variant>

#include "policies/elastic/curve.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

/// What a job by itself is to have the least of; see zeus_clock().
struct ZeusTradeOff {
  double eta = 1;
};

/// A clock in MHz, or each job's own.
using ClockChoice = std::variant<std::uint32_t, ZeusTradeOff>;

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
    const auto* zeus = std::get_if<ZeusTradeOff>(&choice_);
    what.knobs.clock_mhz = zeus ? zeus_clock(*profile, cluster.type(node), config, zeus->eta)
                                : std::get<std::uint32_t>(choice_);
    add_reason(view, decision, what.job, [&] {
      return fmt::format("at {} MHz: {}", *what.knobs.clock_mhz, why(config.gpus));
    });
  }

  std::string why(std::uint32_t gpus) const {
    const auto* zeus = std::get_if<ZeusTradeOff>(&choice_);
    if (zeus == nullptr) return "the option clock says so";
    if (zeus->eta == 1) return "with this clock it needs least energy on " + gpus_label(gpus);
    return fmt::format("with this clock energy and time together cost least on {}, eta {:g}",
                       gpus_label(gpus), zeus->eta);
  }

  ClockChoice choice_;
  std::unique_ptr<Policy> inner_;
};

/// The number that `text` is as a whole.
template <class Number>
std::optional<Number> as_number(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

/// "zeus" alone, or with an eta: "zeus-0.5".
std::optional<ZeusTradeOff> parse_zeus(std::string_view text) {
  constexpr std::string_view kName = "zeus";
  if (text == kName) return ZeusTradeOff{};
  if (!text.starts_with("zeus-")) return std::nullopt;
  const auto eta = as_number<double>(text.substr(kName.size() + 1));
  if (!eta || !(*eta >= 0 && *eta <= 1)) return std::nullopt;
  return ZeusTradeOff{*eta};
}

std::string describe_clocks(const GpuType& type) {
  if (type.clock_step_mhz == 0 || type.max_clock_mhz == 0)
    return fmt::format("{} has no clocks that can be set", type.name);
  return fmt::format("{} has {} to {} MHz in steps of {}", type.name, type.min_clock_mhz,
                     type.max_clock_mhz, type.clock_step_mhz);
}

}  // namespace

Result<std::unique_ptr<Policy>> make_clocked(const PolicySetting& setting, const std::string& text,
                                             std::unique_ptr<Policy> inner) {
  if (text == "max") return inner;
  if (const auto zeus = parse_zeus(text))
    return std::unique_ptr<Policy>(std::make_unique<Clocked>(*zeus, std::move(inner)));
  const auto mhz = as_number<std::uint32_t>(text);
  if (!mhz)
    return Error{fmt::format("clock: '{}' is not possible; {}", text, kClockOption.meaning)};
  for (const GpuType& type : setting.cluster.types)
    if (!has_clock(type, *mhz))
      return Error{fmt::format("clock: {} MHz is not possible; {}", *mhz, describe_clocks(type))};
  return std::unique_ptr<Policy>(std::make_unique<Clocked>(*mhz, std::move(inner)));
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

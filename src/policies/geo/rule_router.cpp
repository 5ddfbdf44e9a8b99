#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <tuple>

#include "base/rng.h"
#include "policies/geo/routers.h"
#include "policy/policy_table.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

enum class Rule : std::uint8_t {
  local,
  random,
  round_robin,
  cheapest,
  greenest,
  least_loaded,
  most_free
};

class RuleRouter final : public Router {
 public:
  RuleRouter(Rule rule, std::uint64_t seed)
      : rule_(rule), rng_(Rng(seed).stream("random router")) {}

  Routing route(const RouterView& view) override {
    Routing routing;
    sites_.assign(view.sites.begin(), view.sites.end());
    for (const JobId job : view.waiting) {
      const auto site = choose(view.state.job(job), view);
      if (view.explain) explain(view.state.job(job), site, view, routing);
      if (!site) continue;  // every site that could take it is down
      claim(view.state.job(job).job, *site);
      routing.sent.push_back({job, *site});
    }
    return routing;
  }

 private:
  /// Less is better: first by need, then by rule; its own site wins a tie.
  using Rank = std::tuple<bool, double, bool, std::uint32_t>;

  /// Sites that are up and can take it.
  std::vector<SiteId> open_to(const JobState& job, const RouterView& view) const {
    std::vector<SiteId> open;
    for (std::uint32_t i = 0; i < sites_.size(); ++i)
      if (sites_[i].gpus > 0 && stay_at(job, SiteId{i}, view.state.cluster(), view.models))
        open.push_back(SiteId{i});
    return open;
  }

  std::optional<SiteId> choose(const JobState& job, const RouterView& view) {
    const std::vector<SiteId> open = open_to(job, view);
    if (open.empty()) return std::nullopt;
    if (rule_ == Rule::random) return open[rng_.below(open.size())];
    if (rule_ == Rule::round_robin) return next_of(open);
    if (rule_ == Rule::local && std::ranges::find(open, job.at) != open.end()) return job.at;
    std::optional<Rank> best;
    SiteId chosen{};
    for (const SiteId site : open) {
      const Rank rank = rank_of(job, site, view);
      if (best && *best <= rank) continue;
      best = rank;
      chosen = site;
    }
    return chosen;
  }

  SiteId next_of(const std::vector<SiteId>& open) {
    auto next = std::ranges::lower_bound(open, SiteId{turn_});
    if (next == open.end()) next = open.begin();
    turn_ = next->index + 1;
    return *next;
  }

  Rank rank_of(const JobState& job, SiteId site, const RouterView& view) const {
    const SiteNews& news = sites_[site.index];
    return {needs_room() && news.room() < job.job.gpus, value_of(site, view), site != job.at,
            site.index};
  }

  /// Those that follow a price or a plant would pile all work up at one site.
  bool needs_room() const { return rule_ == Rule::cheapest || rule_ == Rule::greenest; }

  double value_of(SiteId site, const RouterView& view) const {
    const SiteNews& news = sites_[site.index];
    const double pue = view.outlook.pue(site).value();
    switch (rule_) {
      case Rule::cheapest:
        return pue * view.outlook.price(site).at(view.now).value();
      case Rule::greenest:
        return pue * view.outlook.carbon(site).at(view.now).value();
      case Rule::most_free:
        return -static_cast<double>(news.room()) / std::max(news.gpus, 1u);
      default:  // local, where home is down, goes by load
        return news.load();
    }
  }

  /// To be asked before the next is chosen. Who stays at home by the rule needs no word.
  void explain(const JobState& job, std::optional<SiteId> site, const RouterView& view,
               Routing& routing) const {
    const JobId id = job.job.id;
    if (!site) {
      routing.because.push_back({id, "waits: every site that could take it is down"});
      return;
    }
    if (sites_.size() == 1 || (rule_ == Rule::local && job.at == *site)) return;
    const std::string& name = view.state.cluster().sites[site->index].name;
    const std::vector<SiteId> open = open_to(job, view);
    const std::string text =
        open.size() == 1 ? "the only site that can take it" : why(job, *site, open, view);
    routing.because.push_back({id, fmt::format("at {}, {}", name, text)});
  }

  std::string why(const JobState& job, SiteId site, std::span<const SiteId> open,
                  const RouterView& view) const {
    if (rule_ == Rule::random) return fmt::format("by lot among {} sites", open.size());
    if (rule_ == Rule::round_robin) return fmt::format("in turn among {} sites", open.size());
    const double here = value_of(site, view);
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    for (const SiteId other : open) {
      if (other == site) continue;
      least = std::min(least, value_of(other, view));
      most = std::max(most, value_of(other, view));
    }
    std::string text = fmt::format("the {} site", superlative());
    if (needs_room() && least < here) text += " with room for " + gpus_label(job.job.gpus);
    text += fmt::format(": {}{} against {}", shown(here), unit(), shown(least));
    if (shown(least) != shown(most)) text += " to " + shown(most);
    return text + " elsewhere";
  }

  std::string_view superlative() const {
    switch (rule_) {
      case Rule::cheapest:
        return "cheapest";
      case Rule::greenest:
        return "cleanest";
      case Rule::most_free:
        return "most free";
      default:  // local goes by load where home is down
        return "least busy";
    }
  }
  std::string_view unit() const {
    switch (rule_) {
      case Rule::cheapest:
        return " a kWh, PUE included,";
      case Rule::greenest:
        return " g/kWh, PUE included,";
      case Rule::most_free:
        return " of its GPUs unclaimed";
      default:
        return " h of work ahead";
    }
  }
  std::string shown(double value) const {
    return fmt::format("{:.3g}", rule_ == Rule::most_free ? -value : value);
  }

  /// The next job of the same instant sees that this one is coming.
  void claim(const Job& job, SiteId site) {
    SiteNews& news = sites_[site.index];
    news.claimed += job.gpus;
    ++news.waiting;
    news.waiting_gpu_hours += job.gpus * seconds(job.requested) / 3600;
  }

  Rule rule_;
  Rng rng_;
  std::uint32_t turn_ = 0;
  std::vector<SiteNews> sites_;
};

}  // namespace

Result<std::unique_ptr<Router>> make_rule_router(const PolicySetting& /*setting*/,
                                                 std::string_view name, const Options& options) {
  using Named = std::pair<std::string_view, Rule>;
  static constexpr auto kRules = std::to_array<Named>({{"local", Rule::local},
                                                       {"random", Rule::random},
                                                       {"round-robin", Rule::round_robin},
                                                       {"cheapest", Rule::cheapest},
                                                       {"greenest", Rule::greenest},
                                                       {"least-loaded", Rule::least_loaded},
                                                       {"most-free", Rule::most_free}});
  const auto seed = whole_of(options, "seed", 0);
  if (!seed) return seed.error();
  const auto* rule = std::ranges::find(kRules, name, &Named::first);
  return std::unique_ptr<Router>(std::make_unique<RuleRouter>(rule->second, *seed));
}

}  // namespace penstock

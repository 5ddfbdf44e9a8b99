#include "policy/geo/rule_router.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/rng.h"
#include "policy/option_values.h"

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
      if (!site) continue;  // every site that could take it is down
      claim(view.state.job(job).job, *site);
      routing.sent.push_back({job, *site});
    }
    return routing;
  }

 private:
  /// Less is better: first by need, then by rule; its own site wins a tie.
  using Rank = std::tuple<bool, double, bool, std::uint32_t>;

  std::optional<SiteId> choose(const JobState& job, const RouterView& view) {
    std::vector<SiteId> open;
    for (std::uint32_t i = 0; i < sites_.size(); ++i)
      if (sites_[i].gpus > 0 && stay_at(job, SiteId{i}, view.state.cluster(), view.models))
        open.push_back(SiteId{i});
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

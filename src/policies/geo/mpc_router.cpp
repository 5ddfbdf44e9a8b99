#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "policies/geo/mpc_plan.h"
#include "policies/geo/routers.h"
#include "policy/policy_table.h"

namespace penstock {
namespace {

constexpr Duration kPlanStep = std::chrono::hours(1);
constexpr std::uint32_t kForecastSteps = 72;  ///< steps of forecasts
constexpr std::size_t kMostColumns = 1200;    ///< of the linear program
constexpr std::size_t kMostRetried = 8;       ///< held jobs that are tried when GPUs come free

struct MpcSettings {
  MpcWeights weights{};
  Duration epoch{};
  std::uint32_t horizon = 24;  ///< steps
  double slack = 0;
};

class MpcRouter final : public Router {
 public:
  MpcRouter(const PolicySetting& setting, const MpcSettings& settings)
      : settings_(settings),
        tariff_(setting.cluster, setting.costs, settings.weights, settings.slack) {}

  Routing route(const RouterView& view) override {
    Routing routing;
    const bool anew = view.now >= next_;
    std::erase_if(coming_, [&](const MpcComing& job) { return job.there <= view.now; });
    if (anew) look_ahead(view);
    count_free(view);
    meet_new(view);
    if (anew) price_gpus(view);
    for (const JobId job : anew ? all_by_urgency(view) : those_due(view)) place(job, view, routing);
    if (routing.sent.size() < view.waiting.size()) routing.ask_again = next_;
    if (!by_departure_.empty()) routing.ask_again = std::min(next_, by_departure_.begin()->first);
    return routing;
  }

  void forget(JobId id) override {
    const auto found = plans_.find(id);
    if (found == plans_.end()) return;
    const Plan& plan = found->second;
    if (plan.demand) room_.release(*plan.demand, plan.start);
    by_departure_.erase({plan.departs, id});
    if (plan.urgency) eager_.erase({*plan.urgency, id});
    plans_.erase(found);
  }

 private:
  /// What is intended for a job that is held back.
  struct Plan {
    std::optional<MpcDemand> demand{};  ///< where, if that is known
    double start = 0;                   ///< hour
    Time departs{};                     ///< unless there is a better idea until then
    std::optional<Time> urgency{};      ///< it would go now if there were GPUs: who goes first
  };

  void look_ahead(const RouterView& view) {
    const Time begin = Time(std::chrono::floor<std::chrono::hours>(view.now));
    next_ = begin + ((view.now - begin) / settings_.epoch + 1) * settings_.epoch;
    steps_ = {
        .begin = begin, .length = kPlanStep, .count = settings_.horizon + settings_.horizon / 2};
    tariff_.refresh(view, {.begin = begin, .length = kPlanStep, .count = kForecastSteps});
    room_.refresh(view, steps_, coming_);
  }

  /// GPUs that could be had this minute. Those for jobs on their way are not needed yet.
  void count_free(const RouterView& view) {
    free_now_.clear();
    double gpus = 0;
    double open = 0;
    for (const SiteNews& news : view.sites) {
      free_now_.push_back(double(news.free) - news.claimed);
      gpus += news.gpus;
      open += news.room();
    }
    demanded_ = gpus > 0 ? 1 - open / gpus : 1;
    for (const MpcComing& job : coming_) free_now_[job.demand.site.index] += job.demand.gpus;
  }

  double hour(const RouterView& view) const { return hours_of(view.now - steps_.begin); }

  std::vector<MpcDemand> demands_of(const JobState& job, const RouterView& view) const {
    std::vector<MpcDemand> demands;
    for (std::uint32_t s = 0; s < view.sites.size(); ++s)
      if (view.sites[s].gpus >= job.job.gpus)
        if (const auto demand = tariff_.demand(job, SiteId{s}, view)) demands.push_back(*demand);
    return demands;
  }

  void meet_new(const RouterView& view) {
    for (const JobId id : view.waiting.last(view.fresh)) {
      const std::vector<MpcDemand> demands = demands_of(view.state.job(id), view);
      if (!demands.empty()) tariff_.learn(demands.front(), view.now);
    }
  }

  void price_gpus(const RouterView& view) {
    using GroupKey = std::pair<std::vector<int>, std::vector<SiteId>>;
    std::map<GroupKey, MpcGroup> alike;
    for (const JobId id : view.waiting) {
      const JobState& job = view.state.job(id);
      const std::vector<MpcDemand> demands = demands_of(job, view);
      if (demands.empty()) continue;
      const auto size = [](double h) { return static_cast<int>(std::ceil(std::log2(h + 0.25))); };
      GroupKey group_key{{static_cast<int>(job.at.index), size(demands.front().run),
                          size(std::max(0.0, demands.front().latest - hour(view)))},
                         {}};
      for (const MpcDemand& demand : demands) group_key.second.push_back(demand.site);
      MpcGroup& group = alike[group_key];
      group.first = hour(view);
      add_to(group, demands);
    }
    std::vector<MpcGroup> groups;
    groups.reserve(alike.size());
    for (auto& [group_key, group] : alike) groups.push_back(std::move(group));
    worth_ = scarcity(groups, tariff_, room_, kMostColumns);
  }

  std::vector<JobId> all_by_urgency(const RouterView& view) {
    plans_.clear();
    by_departure_.clear();
    eager_.clear();
    std::vector<std::pair<double, JobId>> order;
    for (const JobId id : view.waiting) {
      double latest = std::numeric_limits<double>::infinity();
      for (const MpcDemand& demand : demands_of(view.state.job(id), view))
        latest = std::min(latest, demand.latest - demand.delay);
      order.emplace_back(latest, id);
    }
    std::ranges::sort(order);
    std::vector<JobId> all;
    all.reserve(order.size());
    for (const auto& [latest, id] : order) all.push_back(id);
    return all;
  }

  std::vector<JobId> those_due(const RouterView& view) {
    std::set<JobId> due;
    for (const auto& [departs, id] : by_departure_) {
      if (departs > view.now) break;
      due.insert(id);
    }
    double most = 0;
    for (const double free : free_now_) most = std::max(most, free);
    std::size_t tried = 0;
    for (const auto& [urgency, id] : eager_) {
      if (most < 1 || tried >= kMostRetried) break;
      const JobState* job = view.state.find(id);
      if (job != nullptr && job->job.gpus > most) continue;
      due.insert(id);
      ++tried;
    }
    std::vector<JobId> all;
    for (const JobId id : due) {
      const JobState* job = view.state.find(id);
      forget(id);
      if (job != nullptr && job->phase == Phase::queued) all.push_back(id);
    }
    all.insert(all.end(), view.waiting.end() - std::ptrdiff_t(view.fresh), view.waiting.end());
    return all;
  }

  void place(JobId id, const RouterView& view, Routing& routing) {
    const JobState& job = view.state.job(id);
    const std::vector<MpcDemand> demands = demands_of(job, view);
    const MpcPrices prices{.tariff = tariff_,
                           .room = room_,
                           .worth = worth_,
                           .free_now = free_now_,
                           .now = hour(view),
                           .horizon = double(settings_.horizon),
                           .demanded = demanded_};
    const MpcChoice choice = choose(demands, prices);
    if (view.explain) {
      const MpcCalendar calendar{view.state.cluster(), view.now, steps_.begin};
      routing.because.push_back({id, mpc_reason(choice, demands, prices, calendar)});
    }
    if (choice.goes_now()) return send(id, *choice.demand, choice.start, view, routing);
    Plan plan{.demand = choice.demand, .start = choice.start};
    plan.departs =
        std::max(view.now + Duration(1), steps_.begin + round_duration(choice.departs * 3600));
    if (choice.eager) plan.urgency = plan.departs;
    hold(id, plan);
  }

  void send(JobId id, const MpcDemand& demand, double start, const RouterView& view,
            Routing& routing) {
    routing.sent.push_back({id, demand.site});
    room_.book(demand, start);
    free_now_[demand.site.index] -= demand.gpus;
    if (demand.delay > 0)
      coming_.push_back({demand, view.now + round_duration(demand.delay * 3600)});
  }

  void hold(JobId id, const Plan& plan) {
    if (plan.demand) room_.book(*plan.demand, plan.start);
    by_departure_.emplace(plan.departs, id);
    if (plan.urgency) eager_.emplace(*plan.urgency, id);
    plans_.emplace(id, plan);
  }

  MpcSettings settings_;
  MpcTariff tariff_;
  MpcRoom room_;
  Steps steps_;
  Time next_{Time::min()};         ///< when all is thought over again
  std::vector<MpcRate> worth_;     ///< of a GPU's hours, by site
  double demanded_ = 0;            ///< part of all GPUs that is asked for
  std::vector<double> free_now_;   ///< by site
  std::vector<MpcComing> coming_;  ///< sent, and not yet there
  std::map<JobId, Plan> plans_;    ///< of those held back
  std::set<std::pair<Time, JobId>> by_departure_;
  std::set<std::pair<Time, JobId>> eager_;
};

}  // namespace

Result<std::unique_ptr<Router>> make_mpc_router(const PolicySetting& setting,
                                                std::string_view /*name*/, const Options& options) {
  MpcSettings settings;
  using Number = std::pair<std::string_view, double*>;
  const std::array<Number, 6> numbers{{{"price_weight", &settings.weights.price},
                                       {"carbon_weight", &settings.weights.carbon},
                                       {"transfer_weight", &settings.weights.transfer},
                                       {"late_weight", &settings.weights.late},
                                       {"wait_weight", &settings.weights.wait},
                                       {"slack", &settings.slack}}};
  for (const auto& [name, value] : numbers) {
    const auto number = number_of(options, name);
    if (!number) return number.error();
    *value = *number;
  }
  const auto epoch = duration_of(options, "epoch");
  if (!epoch) return epoch.error();
  settings.epoch = *epoch;
  const auto horizon = whole_of(options, "horizon", 1);
  if (!horizon) return horizon.error();
  settings.horizon = std::min(*horizon, kForecastSteps);
  if (options.at("wait") != "none")
    return Error{"wait: mpc waits by its own plan; possible with it: none"};
  return std::unique_ptr<Router>(std::make_unique<MpcRouter>(setting, settings));
}

}  // namespace penstock

#include "learn/geo/observation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "policies/geo/routers.h"

namespace penstock {
namespace {

constexpr auto kVariants = std::to_array<GeoVariant>({
    {"marl", "one agent per site, trained as a team with a critic that sees all", true, false,
     true},
    {"independent-rl", "one agent per site, each trained for itself", false, false, false},
    {"single-rl", "one trained agent that sees every site from within", true, true, true},
});

constexpr auto kGeoItems = std::to_array<std::string_view>({
    // of a site; of waiting: of the site that is cheapest now
    "choice.waits",
    "site.is_here",
    "site.free_share",
    "site.has_room",
    "site.load",
    "site.claimed_share",
    "site.price_now",
    "site.carbon_now",
    "site.price_of_stay",
    "site.carbon_of_stay",
    "site.cost_over_best",
    "site.cost_over_best_in_jobs",
    "site.transfer_in_jobs",
    "site.delay_of_slack",
    "site.is_late",
    "site.wait_of_slack",
    // of waiting; 0 of a site
    "wait.gain",
    "wait.gain_in_jobs",
    "wait.slack_left",
    // of the job and the hour, the same for every choice
    "hour.sin",
    "hour.cos",
    "week.sin",
    "week.cos",
    "job.gpus",
    "job.run",
    "job.size_in_jobs",
    "job.slack",
    "here.held",
    // what sites keep to themselves: only one agent for all sees it
    "inner.held_hours",
    "inner.urgent_share",
    "inner.freed_soon",
});
constexpr std::size_t kInner = 3;

constexpr auto kGeoGlobals = std::to_array<std::string_view>({
    "here.held_hours",
    "here.urgent_share",
    "here.freed_soon",
    "mean.held_hours",
    "mean.urgent_share",
    "mean.freed_soon",
    "most.held_hours",
    "most.urgent_share",
    "most.freed_soon",
    "mean.load",
    "mean.free_share",
    "most.load",
});

constexpr Duration kStep = std::chrono::minutes(30);  ///< at least, between starts looked at
constexpr int kStarts = 8;                            ///< at most, of later starts
constexpr Duration kSoon = std::chrono::hours(1);
constexpr double kLargestFeature = 4;  ///< of any feature but those that say hours

double bounded(double v) {
  return std::clamp(v, -kLargestFeature, kLargestFeature);
}

/// Keeps small numbers as they are and large ones in reach.
double compressed(double v) {
  return std::copysign(std::log1p(std::abs(v)), v);
}

double share(double part, std::uint32_t whole) {
  return part / std::max(whole, 1u);
}

/// How long a job would wait there, by what is published.
double wait_hours(const Job& job, const SiteNews& news) {
  return news.room() >= job.gpus ? 0 : news.load();
}

}  // namespace

std::span<const GeoVariant> geo_variants() {
  return kVariants;
}

const GeoVariant& default_geo_variant() {
  return kVariants.front();
}

const GeoVariant* find_geo_variant(std::string_view name) {
  const auto* found = std::ranges::find(kVariants, name, &GeoVariant::name);
  return found == kVariants.end() ? nullptr : found;
}

std::span<const std::string_view> geo_item_features(const GeoVariant& variant) {
  return std::span(kGeoItems).first(kGeoItems.size() - (variant.joint_actor ? 0 : kInner));
}

std::span<const std::string_view> geo_global_features(const GeoVariant& variant) {
  return std::span(kGeoGlobals).first(variant.joint_critic ? kGeoGlobals.size() : 0);
}

NetShape geo_shape(const GeoVariant& variant, ActorKind kind) {
  return {.kind = kind,
          .item_features = static_cast<std::uint32_t>(geo_item_features(variant).size()),
          .global_features = static_cast<std::uint32_t>(geo_global_features(variant).size())};
}

GeoObserver::GeoObserver(const GeoRules& rules)
    : rules_(rules), costs_(rules.weights, rules.scale, rules.transfers) {}

void GeoObserver::put(double feature) {
  items_.push_back(static_cast<float>(feature));
}

void GeoObserver::look(const RouterView& view, bool inner_wanted) {
  costs_.look(view);
  now_ = view.now;
  cluster_ = &view.state.cluster();
  models_ = &view.models;
  const double day = hours_of(now_.time_since_epoch()) / 24 * 2 * std::numbers::pi;
  hour_[0] = std::sin(day);
  hour_[1] = std::cos(day);
  hour_[2] = std::sin(day / 7);
  hour_[3] = std::cos(day / 7);
  price_now_ = carbon_now_ = 0;
  const auto count = static_cast<double>(view.sites.size());
  for (std::uint32_t i = 0; i < view.sites.size(); ++i) {
    const SitePrices& site = costs_.at(SiteId{i});
    price_now_ += site.price_over(now_, now_) / count;
    carbon_now_ += site.carbon_over(now_, now_) / count;
  }
  inner_.assign(view.sites.size(), {});
  if (inner_wanted) observe_internals(view);
}

void GeoObserver::observe_internals(const RouterView& view) {
  for (const JobId id : view.waiting) {
    const JobState& job = view.state.job(id);
    if (job.at == kNoSite) continue;
    const std::uint32_t gpus = view.sites[job.at.index].gpus;
    SiteInternals& inner = inner_[job.at.index];
    inner.held_hours += share(job.job.gpus * hours_of(job.remaining_request()), gpus);
    const Stay stay{.run = job.remaining_request()};
    if (latest_departure(job, stay, rules_.slack) <= now_ + kSoon)
      inner.urgent_share += share(job.job.gpus, gpus);
  }
  for (const JobState& job : view.state.running()) {
    const SiteId site = view.state.site_of(job.where);
    const Duration left = job.remaining_request() - (now_ - job.work_begins);
    if (left <= kSoon)
      inner_[site.index].freed_soon += share(job.job.gpus, view.sites[site.index].gpus);
  }
}

void GeoObserver::evaluate_sites(const JobState& job, std::span<const SiteNews> news) {
  options_.assign(news.size(), {});
  latest_ = Time::min();
  price_stay_ = carbon_stay_ = size_ = 0;
  double open = 0;
  for (std::uint32_t i = 0; i < news.size(); ++i) {
    if (news[i].gpus == 0) continue;
    SiteOption& way = options_[i];
    way.stay = stay_at(job, SiteId{i}, *cluster_, *models_);
    if (!way.stay) continue;
    way.latest = latest_departure(job, *way.stay, rules_.slack);
    way.late = job.job.deadline && way.latest < now_;
    way.cost = costs_.cost(job, SiteId{i}, *way.stay, now_);
    way.transfer = costs_.transfer(job, SiteId{i}, *way.stay);
    if (open == 0 || way.cost < options_[cheapest_].cost) cheapest_ = i;
    latest_ = std::max(latest_, way.latest);
    const Time starts = now_ + way.stay->delay;
    price_stay_ += costs_.at(SiteId{i}).price_over(starts, starts + way.stay->run);
    carbon_stay_ += costs_.at(SiteId{i}).carbon_over(starts, starts + way.stay->run);
    size_ += costs_.size(*way.stay);
    ++open;
  }
  const double count = std::max(open, 1.0);
  price_stay_ /= count;
  carbon_stay_ /= count;
  size_ = std::max(size_ / count, 1e-9);
  best_ = open == 0 ? 0 : options_[cheapest_].cost;
}

/// The least that it is believed to cost if it leaves later, but in time.
double GeoObserver::best_later(const JobState& job) const {
  double best = std::numeric_limits<double>::infinity();
  const Duration step = std::max(kStep, (latest_ - now_) / kStarts);
  for (std::uint32_t i = 0; i < options_.size(); ++i) {
    const SiteOption& way = options_[i];
    if (!way.stay) continue;
    for (Time leaves = now_ + step; leaves <= way.latest; leaves += step)
      best = std::min(best, costs_.cost(job, SiteId{i}, *way.stay, leaves));
  }
  return best;
}

bool GeoObserver::show(const JobState& job, std::span<const SiteNews> news,
                       std::span<const HeldJobs> held) {
  evaluate_sites(job, news);
  if (std::ranges::none_of(options_, [](const SiteOption& way) { return way.stay.has_value(); }))
    return false;
  const bool in_time =
      std::ranges::any_of(options_, [](const SiteOption& way) { return way.stay && !way.late; });
  items_.clear();
  put_job(job, held);
  job_part_.swap(items_);
  items_.clear();
  barred_.clear();
  for (std::uint32_t i = 0; i < options_.size(); ++i) {
    put_site(job, i, news);
    barred_.push_back(!options_[i].stay || (in_time && options_[i].late) ? 1 : 0);
  }
  put_wait(job, news);
  barred_.push_back(may_wait() ? 0 : 1);
  put_globals(job, news);
  return true;
}

double GeoObserver::slack_hours() const {
  return std::max(hours_of(latest_ - now_), 0.0);
}

/// What is known of a site, as one of the choices or as the one that waiting is measured by.
void GeoObserver::put_place(const JobState& job, std::uint32_t site, const SiteNews& news) {
  const SitePrices& there = costs_.at(SiteId{site});
  const JobScale& scale = costs_.scale();
  put(job.at == kNoSite || job.at.index == site ? 1 : 0);
  put(share(news.room(), news.gpus));
  put(news.room() >= job.job.gpus ? 1 : 0);
  put(compressed(news.load()));
  put(bounded(share(news.claimed, news.gpus)));
  put(bounded((there.price_over(now_, now_) - price_now_) / scale.price));
  put(bounded((there.carbon_over(now_, now_) - carbon_now_) / scale.carbon));
}

void GeoObserver::put_site(const JobState& job, std::uint32_t site,
                           std::span<const SiteNews> news) {
  const SiteOption& way = options_[site];
  put(0);
  put_place(job, site, news[site]);
  if (way.stay) {
    const SitePrices& there = costs_.at(SiteId{site});
    const JobScale& scale = costs_.scale();
    const Time starts = now_ + way.stay->delay;
    const Time ends = starts + way.stay->run;
    const double slack = slack_hours() + 0.5;
    put(bounded((there.price_over(starts, ends) - price_stay_) / scale.price));
    put(bounded((there.carbon_over(starts, ends) - carbon_stay_) / scale.carbon));
    put(bounded(own(way.cost - best_)));
    put(compressed(way.cost - best_));
    put(compressed(way.transfer));
    put(bounded(hours_of(way.stay->delay) / slack));
    put(way.late ? 1 : 0);
    put(bounded(wait_hours(job.job, news[site]) / slack));
  } else {
    for (int i = 0; i < 8; ++i) put(0);
  }
  for (int i = 0; i < 3; ++i) put(0);
  items_.insert(items_.end(), job_part_.begin(), job_part_.end());
  put_inner(site);
}

void GeoObserver::put_wait(const JobState& job, std::span<const SiteNews> news) {
  put(1);
  put_place(job, cheapest_, news[cheapest_]);
  for (int i = 0; i < 8; ++i) put(0);
  const double later = may_wait() ? best_later(job) : best_;
  const double gain = std::isfinite(later) ? later - best_ : 0;
  put(bounded(own(gain)));
  put(compressed(gain));
  const double all = std::max(hours_of(latest_ - job.job.submitted), 1e-3);
  put(std::clamp(slack_hours() / all, 0.0, 1.0));
  items_.insert(items_.end(), job_part_.begin(), job_part_.end());
  put_inner(cheapest_);
  PENSTOCK_CHECK(items_.size() == (options_.size() + 1) * geo_item_features(rules_.variant).size());
}

void GeoObserver::put_job(const JobState& job, std::span<const HeldJobs> held) {
  for (const double part : hour_) put(part);
  put(std::log2(static_cast<double>(job.job.gpus)) / 4);
  put(compressed(hours_of(job.remaining_request())));
  put(compressed(size_));
  put(compressed(slack_hours()));
  put(job.at == kNoSite ? 0 : compressed(held[job.at.index].jobs));
}

void GeoObserver::put_inner(std::uint32_t site) {
  if (!rules_.variant.joint_actor) return;
  put(compressed(inner_[site].held_hours));
  put(bounded(inner_[site].urgent_share));
  put(bounded(inner_[site].freed_soon));
}

void GeoObserver::put_globals(const JobState& job, std::span<const SiteNews> news) {
  globals_.clear();
  if (!rules_.variant.joint_critic) return;
  const auto count = static_cast<double>(news.size());
  SiteInternals mean;
  SiteInternals most;
  double load = 0;
  double free = 0;
  double most_load = 0;
  for (std::size_t i = 0; i < news.size(); ++i) {
    const SiteInternals& inner = inner_[i];
    mean.held_hours += inner.held_hours / count;
    mean.urgent_share += inner.urgent_share / count;
    mean.freed_soon += inner.freed_soon / count;
    most.held_hours = std::max(most.held_hours, inner.held_hours);
    most.urgent_share = std::max(most.urgent_share, inner.urgent_share);
    most.freed_soon = std::max(most.freed_soon, inner.freed_soon);
    load += news[i].load() / count;
    free += share(news[i].room(), news[i].gpus) / count;
    most_load = std::max(most_load, news[i].load());
  }
  const SiteInternals here = job.at == kNoSite ? SiteInternals{} : inner_[job.at.index];
  for (const SiteInternals& inner : {here, mean, most}) {
    globals_.push_back(static_cast<float>(compressed(inner.held_hours)));
    globals_.push_back(static_cast<float>(bounded(inner.urgent_share)));
    globals_.push_back(static_cast<float>(bounded(inner.freed_soon)));
  }
  for (const double each : {compressed(load), free, compressed(most_load)})
    globals_.push_back(static_cast<float>(each));
}

}  // namespace penstock

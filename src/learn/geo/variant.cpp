#include "learn/geo/variant.h"

#include <algorithm>
#include <array>

namespace penstock {
namespace {

constexpr auto kVariants = std::to_array<GeoVariant>({
    {"marl", "an agent a site, trained as a team with a critic that sees all", true, false, true},
    {"independent-rl", "an agent a site, each trained for itself", false, false, false},
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

}  // namespace

std::span<const GeoVariant> geo_variants() {
  return kVariants;
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

}  // namespace penstock

#include "learn/geo/geo_rivals.h"

#include <algorithm>
#include <array>

#include "base/in_parallel.h"
#include "learn/geo/geo_play.h"
#include "policies/geo/rule_router.h"

namespace penstock {
namespace {

constexpr auto kRules = std::to_array<const char*>(
    {"local", "random", "round-robin", "cheapest", "greenest", "least-loaded", "most-free"});

Result<double> play_rule(const GeoWorld& world, const GeoRules& rules, const GeoEpisode& episode,
                         const char* name) {
  auto router = make_rule_router({.cluster = world.cluster}, name, {{"seed", "1"}});
  if (!router) return std::move(router).error();
  const auto ran = run_geo(world, episode, *std::move(router));
  if (!ran) return ran.error();
  return mean_reward(ran->fates, rules, episode.scale);
}

Result<double> play_thrifty(const GeoWorld& world, const GeoRules& rules,
                            const GeoEpisode& episode) {
  const auto played = play_geo(world, episode, rules, std::make_unique<ThriftyChooser>(false));
  if (!played) return played.error();
  return played->mean_return;
}

}  // namespace

Result<std::vector<GeoRival>> geo_rivals(const GeoWorld& world, const GeoRules& rules,
                                         std::span<const GeoEpisode> episodes,
                                         std::uint32_t threads) {
  std::vector<GeoRival> rivals;
  rivals.reserve(kRules.size() + 1);
  for (const char* name : kRules) rivals.push_back({.name = name});
  rivals.push_back({.name = "thrifty"});
  std::vector<Result<double>> all(rivals.size() * episodes.size(), Result<double>(0.0));
  in_parallel(all.size(), threads, [&](std::size_t i) {
    const std::size_t who = i / episodes.size();
    const GeoEpisode& episode = episodes[i % episodes.size()];
    all[i] = who < kRules.size() ? play_rule(world, rules, episode, kRules[who])
                                 : play_thrifty(world, rules, episode);
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i]) return all[i].error();
    rivals[i / episodes.size()].mean_return += *all[i] / static_cast<double>(episodes.size());
  }
  std::ranges::stable_sort(rivals, std::greater<>(), &GeoRival::mean_return);
  return rivals;
}

}  // namespace penstock

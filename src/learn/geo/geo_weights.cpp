#include "learn/geo/geo_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learn/net/weights.h"

namespace penstock {
namespace {

constexpr const char* kVariant = "penstock.variant";
constexpr const char* kRules = "geo.rules";
// There only if agents were trained so.
constexpr const char* kWaiting = "geo.waiting";
constexpr const char* kTransfers = "geo.transfers";
constexpr const char* kOff = "off";
constexpr std::size_t kNumbers = 9;

NetDescription texts_of(const GeoVariant& variant) {
  return {.kind = "geo-router",
          .feature_version = kGeoFeatureVersion,
          .item_features = geo_item_features(variant),
          .global_features = geo_global_features(variant)};
}

/// Refuses weights of anything but this variant, and says of what they are.
Result<Done> check_variant(const Weights& weights, const GeoVariant& wanted) {
  const auto name = stored_text(weights, kVariant);
  if (name && *name != wanted.name)
    return Error{fmt::format("has weights of {}, not of {}", *name, wanted.name)};
  if (auto fine = check_description(weights, texts_of(wanted)); !fine) return fine;
  return name ? Result<Done>(Done{}) : Result<Done>(name.error());
}

std::vector<double> numbers_of(const GeoRules& rules) {
  const UtilityWeights& w = rules.weights;
  return {rules.scale.kwh, rules.scale.price, rules.scale.carbon, rules.slack, w.utilization,
          w.cost,          w.carbon,          w.transfer,         w.late};
}

Result<GeoRules> rules_of(const Weights& weights, const GeoVariant& variant) {
  const auto numbers = stored_values<double>(weights, kRules, {kNumbers});
  if (!numbers) return numbers.error();
  const std::vector<double>& n = *numbers;
  const auto fine = [](double v) { return std::isfinite(v) && v >= 0; };
  if (!std::ranges::all_of(n, fine) || n[0] == 0)
    return Error{fmt::format("{}: holds what no mean job costs", kRules)};
  const auto is_on = [&](const char* key) {
    const auto found = weights.metadata.find(key);
    return found == weights.metadata.end() || found->second != kOff;
  };
  return GeoRules{.variant = variant,
                  .weights = {.utilization = n[4],
                              .cost = n[5],
                              .carbon = n[6],
                              .transfer = n[7],
                              .late = n[8]},
                  .scale = {.kwh = n[0], .price = n[1], .carbon = n[2]},
                  .slack = n[3],
                  .waiting = is_on(kWaiting),
                  .transfers = is_on(kTransfers)};
}

}  // namespace

std::string encode_geo_agent(const GeoAgent& agent) {
  Weights all;
  agent.net.store(all);
  put_description(all, texts_of(agent.rules.variant));
  all.metadata[kVariant] = agent.rules.variant.name;
  if (!agent.rules.waiting) all.metadata[kWaiting] = kOff;
  if (!agent.rules.transfers) all.metadata[kTransfers] = kOff;
  all.tensors[kRules] = {{kNumbers}, numbers_of(agent.rules)};
  for (const auto& [key, text] : agent.about) all.metadata[kAboutPrefix + key] = text;
  return encode_weights(all);
}

Result<GeoAgent> decode_geo_agent(std::string_view bytes, std::string_view variant) {
  const GeoVariant* found = find_geo_variant(variant);
  if (found == nullptr) return Error{fmt::format("there is no variant '{}'", variant)};
  const auto weights = decode_weights(bytes);
  if (!weights) return weights.error();
  GeoVariant wanted = *found;  // its critic, of no use any more, may have seen more or less
  wanted.joint_critic = !stored_global_features(*weights).empty();
  if (auto fine = check_variant(*weights, wanted); !fine) return std::move(fine).error();
  const auto rules = rules_of(*weights, wanted);
  if (!rules) return rules.error();
  auto net = ActorCritic::load(*weights);
  if (!net) return std::move(net).error();
  if (net->shape() != geo_shape(wanted, net->shape().kind))
    return Error{"the network is not of the shape that its features need"};
  return GeoAgent{
      .net = *std::move(net), .rules = *rules, .about = part_of(*weights, kAboutPrefix).metadata};
}

}  // namespace penstock

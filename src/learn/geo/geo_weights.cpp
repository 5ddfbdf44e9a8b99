#include "learn/geo/geo_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "learn/mars/weights_part.h"

namespace penstock {
namespace {

constexpr const char* kKind = "penstock.kind";
constexpr const char* kVersion = "penstock.feature_version";
constexpr const char* kItems = "penstock.item_features";
constexpr const char* kGlobals = "penstock.global_features";
constexpr const char* kVariant = "penstock.variant";
constexpr const char* kRules = "geo.rules";
constexpr const char* kAbout = "about.";
constexpr std::size_t kNumbers = 9;

std::map<std::string, std::string> features_of(const GeoVariant& variant) {
  return {{kKind, "geo-router"},
          {kVariant, std::string(variant.name)},
          {kVersion, std::to_string(kGeoFeatureVersion)},
          {kItems, fmt::format("{}", fmt::join(geo_item_features(variant), " "))},
          {kGlobals, fmt::format("{}", fmt::join(geo_global_features(variant), " "))}};
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
  return GeoRules{.variant = variant,
                  .weights = {.utilization = n[4],
                              .cost = n[5],
                              .carbon = n[6],
                              .transfer = n[7],
                              .late = n[8]},
                  .scale = {.kwh = n[0], .price = n[1], .carbon = n[2]},
                  .slack = n[3]};
}

}  // namespace

std::string encode_geo_agent(const GeoAgent& agent) {
  Weights all;
  agent.net.store(all);
  all.metadata.merge(features_of(agent.rules.variant));
  all.tensors[kRules] = {{kNumbers}, numbers_of(agent.rules)};
  for (const auto& [key, text] : agent.about) all.metadata[kAbout + key] = text;
  return encode_weights(all);
}

Result<GeoAgent> decode_geo_agent(std::string_view bytes, std::string_view variant) {
  const GeoVariant* wanted = find_geo_variant(variant);
  if (wanted == nullptr) return Error{fmt::format("there is no variant '{}'", variant)};
  const auto weights = decode_weights(bytes);
  if (!weights) return weights.error();
  for (const char* key : {kKind, kVariant, kVersion, kItems, kGlobals}) {
    const auto text = stored_text(*weights, key);
    if (!text) return text.error();
    const std::string expected = features_of(*wanted).at(key);
    if (*text != expected)
      return Error{
          fmt::format("{}: trained with '{}', this is '{}'; train anew", key, *text, expected)};
  }
  const auto rules = rules_of(*weights, *wanted);
  if (!rules) return rules.error();
  auto net = ActorCritic::load(*weights);
  if (!net) return std::move(net).error();
  if (net->shape() != geo_shape(*wanted, net->shape().kind))
    return Error{"the network is not of the shape that its features need"};
  return GeoAgent{
      .net = *std::move(net), .rules = *rules, .about = part_of(*weights, kAbout).metadata};
}

}  // namespace penstock

#pragma once

#include <span>
#include <string_view>

#include "learn/net/parameters.h"

namespace penstock {

/// Raised whenever what a network sees changes its meaning under the same name.
inline constexpr int kGeoFeatureVersion = 1;

/// A way to let networks choose sites. Networks are shared by the agents of all sites.
struct GeoVariant {
  std::string_view name;
  std::string_view summary;
  bool joint_critic = false;  ///< in training, the critic sees what sites keep to themselves
  bool joint_actor = false;   ///< the actor sees it too: then there is but one agent
  bool team_reward = false;   ///< jobs answer for what they cause others
};

/// marl, independent-rl and single-rl.
std::span<const GeoVariant> geo_variants();
/// Null if there is none of that name.
const GeoVariant* find_geo_variant(std::string_view name);

/// Names of what is seen of each choice, in order: all that an actor sees.
std::span<const std::string_view> geo_item_features(const GeoVariant& variant);
/// The same of what only the critic sees.
std::span<const std::string_view> geo_global_features(const GeoVariant& variant);
NetShape geo_shape(const GeoVariant& variant, ActorKind kind = ActorKind::kernel);

}  // namespace penstock

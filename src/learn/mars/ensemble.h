#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "learn/mars/history.h"
#include "learn/net/actor_critic.h"

namespace penstock {

/// A network and its name: that of the heuristic it was cloned from, if any.
struct NamedNetwork {
  std::string name{};  ///< letters, digits and '-'
  ActorCritic net;
};

/// Networks that were trained together, perhaps none, and what is to be known about them:
/// "scenario", "scenario_hash", "command", "curve" and whatever else their trainer says.
struct Ensemble {
  std::vector<NamedNetwork> members{};
  std::map<std::string, std::string> about{};
  PastJobs past{};  ///< what the jobs were like that they were trained on
};

/// Names that are separated by blanks.
std::vector<std::string> names_in(std::string_view text);

/// The shape of a network that sees what TaskObserver shows.
NetShape observer_shape(ActorKind kind);

/// A weights file: tensors as NAME/TENSOR, and with them the names and the version of features.
std::string encode_ensemble(const Ensemble& ensemble);
/// What encode_ensemble() was given, bit for bit. Refuses networks that see other features than
/// TaskObserver shows, and says which.
Result<Ensemble> decode_ensemble(std::string_view bytes);

}  // namespace penstock

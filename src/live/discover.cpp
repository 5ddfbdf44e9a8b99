#include "live/discover.h"

#include <poll.h>

#include <nlohmann/json.hpp>

#include "live/json_at.h"

namespace penstock {
namespace {

Result<std::vector<SlurmNode>> nodes_in(const nlohmann::json& body) {
  if (!is_fine(body)) return Error{error_text(body)};
  std::vector<SlurmNode> nodes;
  for (const nlohmann::json& record : list_at(body, "nodes"))
    if (auto node = read_slurm_node(record)) nodes.push_back(*std::move(node));
  return nodes;
}

}  // namespace

Result<std::vector<SlurmNode>> discover_nodes(const BridgeLink::Options& bridge,
                                              std::chrono::milliseconds patience,
                                              const std::function<bool()>& stops) {
  BridgeLink link(bridge);
  const auto begun = BridgeLink::Steady::now();
  Result<std::vector<SlurmNode>> last = Error{"nobody answered"};
  bool asked = false;
  while (BridgeLink::Steady::now() - begun < patience && !stops()) {
    link.attend(BridgeLink::Steady::now());
    if (!asked && link.runs()) {
      link.send("\"do\":\"nodes\"");
      asked = true;
      continue;
    }
    if (!link.runs()) last = Error{link.trouble()};
    const auto message = link.next();
    if (message) asked = false;
    const bool answered = message && message->kind == BridgeMessage::Kind::answer;
    if (answered) last = nodes_in(*message->body);
    if (answered && last) return last;
    pollfd ready{.fd = link.reading(), .events = POLLIN, .revents = 0};
    ::poll(&ready, 1, 100);
  }
  return last;
}

}  // namespace penstock

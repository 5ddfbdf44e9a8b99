#include "live/bridge/discover.h"

#include <fmt/format.h>
#include <poll.h>

#include <nlohmann/json.hpp>

#include "io/json/json_at.h"
#include "live/bridge/bridge_answer.h"

namespace penstock {
namespace {

Result<std::vector<SlurmNode>> nodes_in(const nlohmann::json& body) {
  if (!is_fine(body)) return Error{error_text(body)};
  std::vector<SlurmNode> nodes;
  for (const nlohmann::json& record : list_at(body, "nodes"))
    if (auto node = read_slurm_node(record)) nodes.push_back(*std::move(node));
  return nodes;
}

/// As the answer to `hello` names the cluster.
std::string key_in(const nlohmann::json& body) {
  const std::string name = text_at(body, "cluster");
  const std::string controller = text_at(body, "controller");
  return name.empty() || controller.empty() ? "" : controller + "/" + name;
}

/// A conversation that begins anew until the nodes were told.
struct Asking {
  std::uint64_t hello = 0;  ///< the request; 0 if nothing is asked at present
  ClusterFacts facts{};
  std::string last = "nobody answered";
};

/// True once the nodes are known.
bool accept_facts(const BridgeMessage& message, Asking& asking) {
  const bool answered = message.kind == BridgeMessage::Kind::answer;
  if (answered && message.id == asking.hello) {
    asking.facts.key = key_in(*message.body);
    asking.facts.account = text_at(*message.body, "user");
    return false;
  }
  asking.hello = 0;
  if (!answered) return false;
  auto nodes = nodes_in(*message.body);
  if (!nodes) {
    asking.last = nodes.error().message;
    return false;
  }
  asking.facts.nodes = *std::move(nodes);
  return true;
}

}  // namespace

Result<ClusterFacts> discover_cluster(const BridgeLink::Options& bridge,
                                      std::chrono::milliseconds timeout,
                                      const std::function<bool()>& stops) {
  BridgeLink link(bridge);
  const auto begun = BridgeLink::Steady::now();
  Asking asking;
  while (BridgeLink::Steady::now() - begun < timeout && !stops()) {
    link.do_io(BridgeLink::Steady::now());
    if (asking.hello == 0 && link.runs()) {
      asking.hello = link.send(bridge::Hello{});
      link.send(bridge::ListNodes{});
      continue;
    }
    if (!link.runs()) asking.last = link.last_error();
    const auto message = link.next();
    if (message && accept_facts(*message, asking)) return asking.facts;
    pollfd ready{.fd = link.reading(), .events = POLLIN, .revents = 0};
    if (!link.has_messages()) ::poll(&ready, 1, 100);
  }
  return Error{asking.last};
}

Result<nlohmann::json> ask_once(BridgeLink& link, const bridge::Command& command,
                                std::chrono::milliseconds timeout) {
  const auto begun = BridgeLink::Steady::now();
  link.do_io(begun);
  if (!link.runs()) return Error{link.last_error()};
  link.send(command);
  while (BridgeLink::Steady::now() - begun < timeout) {
    link.do_io(BridgeLink::Steady::now());
    while (const auto message = link.next()) {
      if (message->kind == BridgeMessage::Kind::answer) return *message->body;
      if (message->kind == BridgeMessage::Kind::lost) return Error{link.last_error()};
    }
    pollfd ready{.fd = link.reading(), .events = POLLIN, .revents = 0};
    ::poll(&ready, 1, 100);
  }
  return Error{fmt::format("nobody answered within {} s", timeout.count() / 1000)};
}

Result<ClusterFacts> ask_cluster(const BridgeLink::Options& bridge,
                                 std::chrono::milliseconds timeout) {
  BridgeLink link(bridge);
  ClusterFacts facts;
  const auto ask = [&](const bridge::Command& command) -> Result<nlohmann::json> {
    auto body = ask_once(link, command, timeout);
    if (body && !is_fine(*body)) return Error{error_text(*body)};
    return body;
  };
  const auto hello = ask(bridge::Hello{});
  if (!hello) return hello.error();
  facts.key = key_in(*hello);
  facts.account = text_at(*hello, "user");
  const auto nodes = ask(bridge::ListNodes{});
  if (!nodes) return nodes.error();
  auto read = nodes_in(*nodes);
  if (!read) return std::move(read).error();
  facts.nodes = *std::move(read);
  const auto partitions = ask(bridge::ListPartitions{});
  if (!partitions) return partitions.error();
  for (const nlohmann::json& each : list_at(*partitions, "partitions"))
    facts.partitions.push_back(text_at(each, "name"));
  return facts;
}

}  // namespace penstock

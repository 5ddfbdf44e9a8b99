#include "serve/request_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace penstock {

std::string request_text(const JournalRequest& request) {
  const auto detail = nlohmann::json::parse(request.detail, nullptr, false);
  std::string text = request.verb;
  if (!detail.is_object()) return text;
  std::uint64_t nodes = 0;
  const auto named = detail.find("nodes");
  if (named != detail.end() && named->is_array())
    for (const auto& node : *named)
      if (node.is_string()) text += (nodes++ == 0 ? " on " : " ") + node.get<std::string>();
  const auto gpus = detail.find("gpus_per_node");
  if (nodes == 0 || gpus == detail.end() || !gpus->is_number_unsigned()) return text;
  const std::uint64_t all = nodes * gpus->get<std::uint64_t>();
  return text + fmt::format(" with {} {}", all, all == 1 ? "GPU" : "GPUs");
}

}  // namespace penstock

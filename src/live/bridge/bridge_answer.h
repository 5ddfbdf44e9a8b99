#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace penstock {

/// Whether the bridge reports success; error_code() and error_text() read its error otherwise
/// (docs/formats/bridge.md).
bool is_fine(const nlohmann::json& answer);
std::string error_code(const nlohmann::json& answer);
std::string error_text(const nlohmann::json& answer);

}  // namespace penstock

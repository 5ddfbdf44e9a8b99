#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace penstock {

// Members of untrusted JSON; nothing here throws. A member that is absent or of another kind counts
// as `otherwise`, false or an empty list.
std::string text_at(const nlohmann::json& object, const char* name, const char* otherwise = "");
std::int64_t whole_at(const nlohmann::json& object, const char* name, std::int64_t otherwise = 0);
bool flag_at(const nlohmann::json& object, const char* name);
const nlohmann::json& list_at(const nlohmann::json& object, const char* name);

/// Whether the bridge reports success; error_code() and error_text() read its error otherwise
/// (docs/formats/bridge.md).
bool is_fine(const nlohmann::json& answer);
std::string error_code(const nlohmann::json& answer);
std::string error_text(const nlohmann::json& answer);

}  // namespace penstock

#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace penstock {

/// The member of an object, or null if there is none or it is no object.
const nlohmann::json& member(const nlohmann::json& object, const char* name);

// Members of untrusted JSON; nothing here throws. A member that is absent or of another kind counts
// as `otherwise`, false or an empty list.
std::string text_at(const nlohmann::json& object, const char* name, const char* otherwise = "");
std::int64_t whole_at(const nlohmann::json& object, const char* name, std::int64_t otherwise = 0);
bool flag_at(const nlohmann::json& object, const char* name);
const nlohmann::json& list_at(const nlohmann::json& object, const char* name);

}  // namespace penstock

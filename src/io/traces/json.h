#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/json/json_at.h"
#include "io/traces/rows.h"

namespace penstock {

/// The document, or "file:line: is not valid JSON: …".
Result<nlohmann::json> parse_json(std::string_view text, const std::string& file);

/// Whether a character is a control character, which no cell of a table may contain.
constexpr bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20;
}

/// A member that must be a number.
double number_in(Row& row, const nlohmann::json& object, const char* key);
/// An identifier: text, or a whole number as text. Control characters are
/// refused.
std::string text_in(Row& row, const nlohmann::json& object, const char* key);

}  // namespace penstock

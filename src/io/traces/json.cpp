#include "io/traces/json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace penstock {

Result<nlohmann::json> parse_json(std::string_view text, const std::string& file) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const auto read = text.substr(0, error.byte == 0 ? 0 : error.byte - 1);
    const auto line = std::ranges::count(read, '\n') + 1;
    return Error{file + ":" + std::to_string(line) + ": is not valid JSON from here on"};
  } catch (const nlohmann::json::exception&) {
    return Error{file + ": holds a number that is out of range"};
  }
}

double number_in(Row& row, const nlohmann::json& object, const char* key) {
  const auto& value = member(object, key);
  if (value.is_null()) {
    row.fail(key, "missing", "is missing");
  } else if (!value.is_number() || !std::isfinite(value.get<double>())) {
    row.fail(key, "not a number", "is not a number");
  } else {
    return value.get<double>();
  }
  return 1;
}

std::string text_in(Row& row, const nlohmann::json& object, const char* key) {
  const auto& value = member(object, key);
  if (value.is_null()) {
    row.fail(key, "missing", "is missing");
  } else if (value.is_number_integer()) {
    return value.dump();
  } else if (!value.is_string()) {
    row.fail(key, "not a text", "is not a text");
  } else {
    auto text = value.get<std::string>();
    if (std::ranges::any_of(text, is_control))
      row.fail(key, "control characters", "holds control characters");
    return text;
  }
  return {};
}

}  // namespace penstock

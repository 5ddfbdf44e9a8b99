#include "io/json/json_at.h"

#include <nlohmann/json.hpp>

namespace penstock {

using nlohmann::json;

const json& member(const json& object, const char* name) {
  static const json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(name);
  return found == object.end() ? kNothing : *found;
}

std::string text_at(const json& object, const char* name, const char* otherwise) {
  const json& value = member(object, name);
  return value.is_string() ? value.get<std::string>() : otherwise;
}

std::int64_t whole_at(const json& object, const char* name, std::int64_t otherwise) {
  const json& value = member(object, name);
  return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

bool flag_at(const json& object, const char* name) {
  const json& value = member(object, name);
  return value.is_boolean() && value.get<bool>();
}

const json& list_at(const json& object, const char* name) {
  static const json kEmpty = json::array();
  const json& value = member(object, name);
  return value.is_array() ? value : kEmpty;
}

}  // namespace penstock

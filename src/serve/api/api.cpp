#include "serve/api/api.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace penstock {

ApiResponse api_error(int status, std::string_view message) {
  const nlohmann::json body{{"error", message}};
  return {status, body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

ApiResponse json_response(const nlohmann::ordered_json& body, int status) {
  return {status, body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
}

std::int64_t int_parameter(const ApiQuery& query, const std::string& name, std::int64_t otherwise,
                           std::int64_t most) {
  const auto found = query.parameters.find(name);
  std::int64_t number = otherwise;
  if (found != query.parameters.end())
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), number);
  return std::clamp<std::int64_t>(number, 0, most);
}

std::string text_parameter(const ApiQuery& query, const std::string& name) {
  const auto found = query.parameters.find(name);
  return found == query.parameters.end() ? "" : found->second;
}

}  // namespace penstock

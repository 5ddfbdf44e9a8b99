#pragma once

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string>

#include "serve/api_source.h"

namespace penstock {

inline ApiAnswer as_answer(const nlohmann::ordered_json& body, int status = 200) {
  return {status, body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
}

/// A parameter that is a whole number from 0 to `most`.
inline std::int64_t whole_in(const ApiLook& look, const std::string& name, std::int64_t otherwise,
                             std::int64_t most) {
  const auto found = look.parameters.find(name);
  std::int64_t number = otherwise;
  if (found != look.parameters.end())
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), number);
  return std::clamp<std::int64_t>(number, 0, most);
}

/// A parameter as it was given; empty if it was not.
inline std::string text_in(const ApiLook& look, const std::string& name) {
  const auto found = look.parameters.find(name);
  return found == look.parameters.end() ? "" : found->second;
}

}  // namespace penstock

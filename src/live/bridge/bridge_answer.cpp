#include "live/bridge/bridge_answer.h"

#include <nlohmann/json.hpp>

#include "io/json/json_at.h"

namespace penstock {

using nlohmann::json;

bool is_fine(const json& answer) {
  return flag_at(answer, "ok");
}

std::string error_code(const json& answer) {
  return text_at(member(answer, "error"), "code", "refused");
}

std::string error_text(const json& answer) {
  return text_at(member(answer, "error"), "text", "no reason was given");
}

}  // namespace penstock

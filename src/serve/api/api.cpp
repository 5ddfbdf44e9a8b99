#include "serve/api/api.h"

#include <nlohmann/json.hpp>

namespace penstock {

ApiAnswer api_error(int status, std::string_view message) {
  const nlohmann::json body{{"error", message}};
  return {status, body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

}  // namespace penstock

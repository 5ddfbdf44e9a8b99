#include "serve/log.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace penstock {

void log_line(Time now, std::string_view level, std::string_view what, std::string_view text) {
  const nlohmann::ordered_json line{
      {"when", format_time(now)}, {"level", level}, {"what", what}, {"text", text}};
  log_json(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void log_json(const std::string& line) {
  const std::string written = line + "\n";
  std::fwrite(written.data(), 1, written.size(), stderr);
}

}  // namespace penstock

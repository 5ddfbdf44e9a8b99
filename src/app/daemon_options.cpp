#include "app/daemon_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "serve/http/api_server.h"

namespace penstock {

void add_daemon_options(CLI::App& command, DaemonAddress& address) {
  command
      .add_option("--daemon", address.url,
                  fmt::format("Address of the daemon (else http://127.0.0.1:{})", kDaemonPort))
      ->envname("PENSTOCK_DAEMON");
  command.add_option("--token-file", address.token_file, "File with the daemon's token")
      ->envname("PENSTOCK_TOKEN_FILE");
}

void print_json(const nlohmann::ordered_json& answer) {
  fmt::print("{}\n", answer.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace penstock

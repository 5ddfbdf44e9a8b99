#pragma once

#include <nlohmann/json_fwd.hpp>

#include "serve/client/daemon_client.h"

namespace CLI {
class App;
}

namespace penstock {

/// Adds --daemon and --token-file.
void add_daemon_options(CLI::App& command, DaemonAddress& address);

/// For --json: as the daemon said it, but all in ASCII.
void print_json(const nlohmann::ordered_json& answer);

}  // namespace penstock

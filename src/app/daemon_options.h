#pragma once

#include <nlohmann/json_fwd.hpp>

#include "serve/client/daemon_client.h"

namespace CLI {
class App;
}

namespace penstock {

/// Adds --daemon and --token-file.
void add_daemon_options(CLI::App& command, DaemonAddress& address);

/// Prints an answer of the daemon for --json, in ASCII only.
void print_json(const nlohmann::ordered_json& answer);

}  // namespace penstock

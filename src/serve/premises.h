#pragma once

#include <string>
#include <vector>

#include "serve/config.h"

namespace penstock {

/// What a daemon with this configuration would miss on this machine: its token, its address, the
/// folders it writes to. Each as a message; nothing is changed. An address that the daemon on the
/// same journal already has is not missed.
std::vector<std::string> missing_premises(const ServeConfig& config);

}  // namespace penstock

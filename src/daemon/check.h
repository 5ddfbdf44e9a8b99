#pragma once

#include <string>
#include <vector>

#include "serve/config/config.h"

namespace penstock {

/// What a daemon with a configuration would find.
struct CheckReport {
  std::vector<std::string> problems{};  ///< each a whole message; with one, the rest may be empty
  std::vector<std::string> notes{};     ///< what the operator should know and need not change
  std::string summary{};                ///< one line, if there is no problem
};

/// Asks the clusters and checks all that the daemon would need. Changes nothing.
CheckReport check_daemon(const ServeConfig& config);

}  // namespace penstock

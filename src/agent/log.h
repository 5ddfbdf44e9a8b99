#pragma once

#include <functional>
#include <string>

namespace penstock::agent {

enum class Level { note, warning };

/// Where one line for the log goes; called in several processes.
using Log = std::function<void(Level, const std::string& text)>;

}  // namespace penstock::agent

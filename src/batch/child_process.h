#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace penstock {

/// How another program ended, and what it printed.
struct CommandEnd {
  int exit_code = 0;  ///< 128 + the signal if one ended it
  std::string out{};  ///< what it printed, unless that went to a file
  std::string error_output{};
};

/// Runs a program, found in PATH, with these words as its arguments; no shell is involved. Its
/// input is empty. With `log`, all that it prints is appended to that file. It is killed if this
/// program dies first. The error says that it could not be started.
Result<CommandEnd> run_command(const std::vector<std::string>& words,
                               const std::optional<std::filesystem::path>& log = std::nullopt);

}  // namespace penstock

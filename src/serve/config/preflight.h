#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "serve/config/config.h"

namespace penstock {

/// Problems that a daemon with this configuration would have on this machine: with its token, its
/// address, or the folders it writes to. One message each; nothing is changed. An address that the
/// daemon on the same journal already listens on is no problem.
std::vector<std::string> preflight_problems(const ServeConfig& config);

/// Locks a file, for as long as the descriptor is open: no longer than the process lives. Creates
/// the file if there is none; an error if another process has locked it.
Result<Descriptor> acquire_file_lock(const std::filesystem::path& path);

/// Whether some process has locked the file at this moment. Creates no file.
bool is_file_locked(const std::filesystem::path& path);

}  // namespace penstock

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "serve/config/config.h"

namespace penstock {

/// What a daemon with this configuration would miss on this machine: its token, its address, the
/// folders it writes to. Each as a message; nothing is changed. An address that the daemon on the
/// same journal already has is not missed.
std::vector<std::string> preflight_problems(const ServeConfig& config);

/// Locks a file, for as long as the descriptor is open: no longer than the process lives. Creates
/// the file if there is none; an error if another process has locked it.
Result<Descriptor> acquire_file_lock(const std::filesystem::path& path);

/// Whether some process has locked the file at this moment. Creates no file.
bool is_file_locked(const std::filesystem::path& path);

}  // namespace penstock

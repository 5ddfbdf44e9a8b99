#pragma once

#include <filesystem>

#include "base/descriptor.h"
#include "base/result.h"

namespace penstock {

/// Something that one process at a time has: for as long as the descriptor is open, so no longer
/// than the process lives. Makes the file if there is none; an error if another process has it.
Result<Descriptor> take_lock(const std::filesystem::path& path);

/// Whether some process has it at this moment. Makes no file.
bool is_taken(const std::filesystem::path& path);

}  // namespace penstock

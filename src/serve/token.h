#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace penstock {

/// The secret in a file: its first line, without blanks around it. Refuses a file that others than
/// its owner and group can read, and secrets that are short or not printable. No error shows it.
Result<std::string> read_token(const std::filesystem::path& path);

/// Takes as long wherever the two differ.
bool is_same_secret(std::string_view one, std::string_view other);

}  // namespace penstock

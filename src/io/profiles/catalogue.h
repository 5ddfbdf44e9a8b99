#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/measurements.h"
#include "model/profile.h"

namespace penstock {

/// The models of a catalogue such as data/models/a100.toml. The error lists every
/// problem, one a line: "file:line: field: what is wrong".
Result<std::vector<Profile>> read_profiles(const std::filesystem::path& path);

/// Reads a catalogue from text; `file` is what messages call it.
Result<std::vector<Profile>> parse_profiles(std::string_view text, const std::string& file);

/// The catalogue as text. Reading it gives the same numbers, bit by bit. `head` becomes
/// comment lines at the top.
std::string profiles_toml(std::span<const FittedProfile> entries, std::string_view head = "");

}  // namespace penstock

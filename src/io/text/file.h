#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace penstock {

/// More than any trace or series we know; beyond it a file is refused, so that
/// a wrong path or a gzip bomb cannot eat the machine.
inline constexpr std::uint64_t kLargestFile = 4ull << 30;

/// The whole file as text, unpacked if its first bytes say gzip, whatever it is
/// called. The error names the file.
Result<std::string> read_file(const std::filesystem::path& path,
                              std::uint64_t largest = kLargestFile);

/// Makes these bytes the file's content, all or nothing: whoever reads it, whenever this is killed,
/// sees the old content or the new. The error names the file.
Result<Done> replace_file(const std::filesystem::path& path, std::string_view bytes);

bool is_gzip(std::string_view bytes);
/// Unpacks one or several gzip members that follow each other.
Result<std::string> gunzip(std::string_view packed, std::uint64_t largest = kLargestFile);

}  // namespace penstock

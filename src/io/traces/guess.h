#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace penstock {

/// Which format a trace is probably in, going by its first line or its JSON keys,
/// and why we think so.
struct FormatGuess {
  std::string_view format{};
  std::string reason{};
};
std::optional<FormatGuess> guess_format(std::string_view text);

}  // namespace penstock

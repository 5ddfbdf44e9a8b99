#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace penstock {

/// Undoes %-encodings. Nothing if one is broken, or if what comes out is no UTF-8 or has control
/// characters.
std::optional<std::string> decode_url(std::string_view text, bool plus_is_space);

/// Everything but letters, digits and "-._~" is encoded.
std::string encode_url(std::string_view text);

using UrlParameters = std::map<std::string, std::string, std::less<>>;
/// "a=1&b=2", each word at most once.
Result<UrlParameters> parse_query(std::string_view query);

/// Whether it is UTF-8 without control characters.
bool is_printable_utf8(std::string_view text);

/// The text made safe for a terminal: what would move the cursor, change colours or the direction
/// of writing, and bytes that are no UTF-8, become '?'.
std::string terminal_safe(std::string_view text);

}  // namespace penstock

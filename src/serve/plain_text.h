#pragma once

#include <string>
#include <string_view>

namespace penstock {

/// Whether it is UTF-8 without control characters.
bool is_plain_text(std::string_view text);

/// The text as a terminal may be shown it: what would move the cursor, change colours or the
/// direction of writing, and bytes that are no UTF-8, become '?'.
std::string harmless(std::string_view text);

}  // namespace penstock

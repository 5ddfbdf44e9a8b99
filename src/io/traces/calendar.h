#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace penstock {

/// parse_time() with a short cut for "2017-10-09 07:01:55", of which a trace has
/// a hundred thousand.
std::optional<Time> parse_date_time(std::string_view text);

}  // namespace penstock

#pragma once

#include <string>
#include <string_view>

#include "base/time.h"

namespace penstock {

/// One line of JSON on stderr: {"when":…,"level":…,"what":…,"text":…}. Whoever follows the log of
/// the daemon reads these; nothing secret goes into them.
void log_line(Time now, std::string_view level, std::string_view what, std::string_view text);

/// A line that is JSON already.
void log_json(const std::string& line);

}  // namespace penstock

#pragma once

#include <string_view>

#include "base/time.h"

namespace penstock {

/// One line of JSON on stderr: {"when":…,"level":…,"what":…,"text":…}. Whoever follows the log of
/// the daemon reads these; nothing secret goes into them.
void log_line(Time now, std::string_view level, std::string_view what, std::string_view text);

}  // namespace penstock

#pragma once

#include <string>

#include "live/scribe.h"

namespace penstock {

/// "start on n1 n2 with 8 GPUs": what was asked for, as far as the request says it.
std::string request_text(const JournalRequest& request);

}  // namespace penstock

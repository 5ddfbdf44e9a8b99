#pragma once

#include <string>

#include "report/terminal/table.h"

namespace penstock {

/// How a table suits what stdout is: colours and the width of a terminal, or plain text.
TableStyle stdout_style(const std::string& currency);

}  // namespace penstock

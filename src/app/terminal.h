#pragma once

#include <string>
#include <vector>

#include "experiment/progress.h"
#include "report/terminal/table.h"

namespace penstock {

/// The style of tables for stdout: colours and the width of a terminal, or plain text.
TableStyle stdout_style(const std::string& currency);

/// Rows of cells below each other, two blanks between columns, the last as long as it is.
std::string align_rows(const std::vector<std::vector<std::string>>& rows);

/// A callback that shows on stderr how much of some work is done: a bar on a terminal, a line every
/// few seconds elsewhere. `what` is done to `things`: "simulating", "jobs". None if `shown` is
/// false.
ProgressCallback show_progress(bool shown, const char* what, const char* things);

}  // namespace penstock

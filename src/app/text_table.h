#pragma once

#include <string>
#include <vector>

namespace penstock {

/// Rows of cells below each other, two blanks between columns, the last as long as it is.
std::string align_rows(const std::vector<std::vector<std::string>>& rows);

}  // namespace penstock

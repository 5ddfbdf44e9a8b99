#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "page/page.h"

namespace penstock {

struct ReportOptions {
  std::string baseline{};  ///< label of a run or its number; the first if empty
  bool progress = false;
};

/// The whole text of a report of these sources.
Result<std::string> render_report(std::span<const PageSource> sources,
                                  const ReportOptions& options);

/// Writes DIR/report.html and says why if that is not possible: the results are whole without it.
/// True if it is there.
bool add_report(const std::filesystem::path& dir, std::span<const PageSource> sources);

/// What people are told of a report in a folder, at the end of a command.
void print_report_path(const std::filesystem::path& dir);

}  // namespace penstock

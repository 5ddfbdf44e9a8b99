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

/// Writes DIR/report.html; prints the reason if that is not possible, since the results are
/// complete without it. True if it was written.
bool add_report(const std::filesystem::path& dir, std::span<const PageSource> sources);

/// Prints where the report of a folder is, at the end of a command.
void print_report_path(const std::filesystem::path& dir);

}  // namespace penstock

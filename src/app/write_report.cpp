#include "app/write_report.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "app/commands.h"
#include "app/progress_line.h"
#include "app/web_pages.h"
#include "base/version.h"
#include "io/text/file.h"
#include "page/page.h"

namespace penstock {
namespace {

constexpr const char* kReport = "report.html";

/// The data, while people see how far it is.
Result<std::string> data_with_progress(PageRequest request) {
  std::atomic<std::uint64_t> read = 0;
  const std::uint64_t expected = count_runs(request.sources);
  request.runs_read = &read;
  Result<std::string> data = Error{};
  work_in_parallel(
      1, 1, [&](std::size_t) { data = page_data(request); }, show_progress(true, "reading", "runs"),
      [&] { return WorkProgress{.done = read, .expected = expected}; });
  return data;
}

}  // namespace

Result<std::string> render_report(std::span<const PageSource> sources,
                                  const ReportOptions& options) {
  if (report_template().empty())
    return Error{"this penstock was built without the page (npm was absent), so it writes none"};
  const PageRequest request{
      .sources = sources,
      .version = kVersion,
      .baseline = options.baseline,
      .threads = std::max(1u, std::min(2u, std::thread::hardware_concurrency()))};
  const auto data = options.progress ? data_with_progress(request) : page_data(request);
  if (!data) return data.error();
  return fill_template(report_template(), *data);
}

bool add_report(const std::filesystem::path& dir, std::span<const PageSource> sources) {
  const auto page = render_report(sources, {});
  auto written = page ? replace_file(dir / kReport, *page) : Result<Done>(page.error());
  if (written) return true;
  remark(fmt::format("note: there is no {}: {}", kReport, written.error().message));
  return false;
}

void tell_report(const std::filesystem::path& dir) {
  std::fflush(stdout);  // the table first
  remark(fmt::format("report: {}", (dir / kReport).string()));
}

}  // namespace penstock

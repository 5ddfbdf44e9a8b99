#include "app/report.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>

#include "app/commands.h"
#include "app/terminal.h"
#include "app/web_pages.h"
#include "base/version.h"
#include "io/text/file.h"
#include "page/page.h"
#include "report/files/output_file.h"

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

struct ReportCommand {
  std::vector<std::string> dirs;
  std::string out = "report.html";
  std::string baseline;
  bool no_progress = false;
};

Result<Done> write_report(const ReportCommand& options) {
  std::vector<PageSource> sources;
  for (const std::string& dir : options.dirs) {
    auto source = open_source(dir, dir);
    if (!source) return std::move(source).error();
    sources.push_back(*std::move(source));
  }
  const auto page =
      render_report(sources, {.baseline = options.baseline, .progress = !options.no_progress});
  if (!page) return page.error();
  if (auto written = write_file(options.out, *page); !written) return written;
  remark(fmt::format("wrote {}, {:.1f} MB", options.out, static_cast<double>(page->size()) / 1e6));
  return Done{};
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

void print_report_path(const std::filesystem::path& dir) {
  std::fflush(stdout);  // the table first
  remark(fmt::format("report: {}", (dir / kReport).string()));
}

void add_report_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReportCommand>();
  CLI::App* command =
      app.add_subcommand("report", "Compare runs on one page that any browser opens");
  command
      ->add_option("RUN_DIR", options->dirs,
                   "Folders that simulate or sweep wrote with --out; several are compared")
      ->required();
  command->add_option("--out", options->out, "The page to write (report.html)");
  command->add_option("--baseline", options->baseline,
                      "Run that others are compared with: its label or number (1)");
  command->add_flag("--no-progress", options->no_progress, "Do not show progress");
  command->footer("Example: penstock report out --out comparison.html --baseline 2");
  command->callback([options, &exit_code] { exit_code = exit_code_of(write_report(*options)); });
}

}  // namespace penstock

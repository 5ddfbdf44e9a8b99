#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"
#include "app/write_report.h"
#include "report/files/output_file.h"

namespace penstock {
namespace {

struct ReportWish {
  std::vector<std::string> dirs;
  std::string out = "report.html";
  std::string baseline;
  bool no_progress = false;
};

Result<Done> report(const ReportWish& wish) {
  std::vector<PageSource> sources;
  for (const std::string& dir : wish.dirs) {
    auto source = open_source(dir, dir);
    if (!source) return std::move(source).error();
    sources.push_back(*std::move(source));
  }
  const auto page =
      render_report(sources, {.baseline = wish.baseline, .progress = !wish.no_progress});
  if (!page) return page.error();
  if (auto written = write_file(wish.out, *page); !written) return written;
  remark(fmt::format("wrote {}, {:.1f} MB", wish.out, static_cast<double>(page->size()) / 1e6));
  return Done{};
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  auto wish = std::make_shared<ReportWish>();
  CLI::App* command =
      app.add_subcommand("report", "Compare runs on one page that any browser opens");
  command
      ->add_option("RUN_DIR", wish->dirs,
                   "Folders that simulate or sweep wrote with --out; several are compared")
      ->required();
  command->add_option("--out", wish->out, "The page to write (report.html)");
  command->add_option("--baseline", wish->baseline,
                      "Run that others are compared with: its label or number (1)");
  command->add_flag("--no-progress", wish->no_progress, "Do not show progress");
  command->footer("Example: penstock report out --out comparison.html --baseline 2");
  command->callback([wish, &exit_code] {
    auto done = report(*wish);
    exit_code = done ? kExitOk : refuse(done.error().message);
  });
}

}  // namespace penstock

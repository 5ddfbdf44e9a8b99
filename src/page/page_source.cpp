#include "page/page_source.h"

#include "io/text/file.h"

namespace penstock {
namespace {

namespace fs = std::filesystem;

Error nothing_there(const std::string& shown) {
  return {shown +
          ": holds no summary.json, so no run was completed there; possible: a folder that " +
          "simulate or sweep wrote with --out"};
}

}  // namespace

Result<PageSource> open_source(const fs::path& dir, const std::string& shown) {
  std::error_code trouble;
  const fs::file_status status = fs::status(dir, trouble);
  if (!fs::exists(status)) return Error{shown + ": no such folder"};
  if (!fs::is_directory(status)) return Error{shown + ": is no folder of results"};
  if (!fs::exists(dir / "summary.json", trouble)) return nothing_there(shown);
  auto summary = read_file(dir / "summary.json");
  if (!summary) return std::move(summary).error();
  PageSource source{.shown = shown, .summary = *std::move(summary), .files = dir};
  if (!fs::exists(dir / "sweep.csv", trouble)) return source;
  auto text = read_file(dir / "sweep.csv");
  if (!text) return std::move(text).error();
  auto sweep = parse_sweep(*text, shown + "/sweep.csv");
  if (!sweep) return std::move(sweep).error();
  source.sweep = *std::move(sweep);
  return source;
}

}  // namespace penstock

#include "page/page.h"

#include <fmt/format.h>

#include "base/in_parallel.h"
#include "io/text/file.h"
#include "page/gzip.h"
#include "page/head.h"
#include "report/files/summary_json.h"

namespace penstock {

// Sources

namespace {

namespace fs = std::filesystem;

Error nothing_there(const std::string& shown) {
  return {shown +
          ": holds no summary.json, so no run was completed there; possible: a folder that " +
          "simulate or sweep wrote with --out"};
}

}  // namespace

Result<PageSource> open_source(const fs::path& dir, const std::string& shown) {
  std::error_code error;
  const fs::file_status status = fs::status(dir, error);
  if (!fs::exists(status)) return Error{shown + ": no such folder"};
  if (!fs::is_directory(status)) return Error{shown + ": is no folder of results"};
  if (!fs::exists(dir / "summary.json", error)) return nothing_there(shown);
  auto summary = read_file(dir / "summary.json");
  if (!summary) return std::move(summary).error();
  PageSource source{.shown = shown, .summary = *std::move(summary), .files = dir};
  if (!fs::exists(dir / "sweep.csv", error)) return source;
  auto text = read_file(dir / "sweep.csv");
  if (!text) return std::move(text).error();
  auto sweep = parse_sweep(*text, shown + "/sweep.csv");
  if (!sweep) return std::move(sweep).error();
  source.sweep = *std::move(sweep);
  return source;
}

// Pages

namespace {

constexpr std::string_view kMarker = "PENSTOCK_DATA";

Result<std::vector<RunTables>> read_all(std::span<const StoredRun> runs,
                                        const PageRequest& request) {
  std::vector<std::optional<Result<RunTables>>> read(runs.size());
  in_parallel(runs.size(), request.threads, [&](std::size_t i) {
    read[i].emplace(read_tables(runs[i]));
    if (request.runs_read != nullptr) ++*request.runs_read;
  });
  std::vector<RunTables> tables;
  tables.reserve(runs.size());
  for (auto& result : read) {
    if (!*result) return std::move(*result).error();
    tables.push_back(**std::move(result));
  }
  return tables;
}

/// Its length as four bytes, the head, zeros up to a multiple of four, and the columns.
std::string with_length(const std::string& head, const std::string& blob) {
  std::string bytes;
  bytes.reserve(head.size() + blob.size() + 8);
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(head.size() >> (8 * i) & 0xff);
  bytes += head;
  bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
  return bytes + blob;
}

}  // namespace

Result<std::string> page_data(const PageRequest& request) {
  PageHead head{.version = request.version};
  for (std::size_t i = 0; i < request.sources.size(); ++i) {
    auto source = read_source(request.sources[i], i);
    if (!source) return std::move(source).error();
    if (auto added = head.add(request.sources[i], *std::move(source)); !added)
      return std::move(added).error();
  }
  assign_labels(head.runs, request.sources);
  if (auto chosen = head.choose_baseline(request.baseline); !chosen)
    return std::move(chosen).error();
  const auto tables = read_all(head.runs, request);
  if (!tables) return tables.error();
  auto packed = pack_runs(
      {.runs = head.runs, .tables = *tables, .limits = request.limits, .threads = request.threads});
  if (!packed) return std::move(packed).error();
  Blob blob;
  const std::string text = head_text(head, *tables, *packed, request.limits, blob);
  auto data = gzip(with_length(text, blob.bytes()), request.threads);
  if (!data) return data;
  return base64(*data);
}

std::uint64_t count_runs(std::span<const PageSource> sources) {
  std::uint64_t count = 0;
  for (const PageSource& source : sources)
    if (const auto summary = parse_summary(source.summary)) count += summary->runs.size();
  return count;
}

Result<std::string> fill_template(std::string_view html, std::string_view data) {
  const std::size_t at = html.find(kMarker);
  if (at == std::string_view::npos || html.find(kMarker, at + 1) != std::string_view::npos)
    return Error{fmt::format("the page that this program was built with has not one {}", kMarker)};
  std::string page;
  page.reserve(html.size() + data.size());
  page += html.substr(0, at);
  page += data;
  page += html.substr(at + kMarker.size());
  return page;
}

}  // namespace penstock

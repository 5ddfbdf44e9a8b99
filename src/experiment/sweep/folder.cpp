#include "experiment/sweep/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/text/file.h"
#include "report/files/summary_json.h"

namespace penstock {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSummary = "summary.json";
constexpr std::string_view kFailure = "error.txt";

bool is_merged_file(const std::string& name) {
  return name == kSummary || name == "sweep.csv" || name == "report.html" || name == "slurm" ||
         name == "summary.json.new" || name == "sweep.csv.new" || name == "report.html.new";
}

/// Why a folder that is not of the plan may be there.
std::string point_origin(const fs::path& entry) {
  const auto text = read_file(entry / kSummary);
  const auto stored = text ? parse_summary(*text) : Result<StoredSummary>(text.error());
  if (!stored || stored->head.point.empty()) return "";
  return fmt::format(
      " (a point of scenario {}, version {}: the scenario, the options or the program are not what "
      "they were)",
      stored->head.scenario_hash, stored->head.version);
}

Result<Done> check_entries(const fs::path& dir, const SweepPlan& plan) {
  std::set<std::string> known;
  for (const SweepPoint& point : plan.points) known.insert(point.folder);
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator at(dir, failure), end; !failure && at != end; at.increment(failure))
    names.push_back(at->path().filename().string());
  if (failure) return out_error(dir, failure.message());
  std::ranges::sort(names);
  for (const std::string& name : names)
    if (!is_merged_file(name) && !known.contains(name))
      return out_error(dir, fmt::format("it holds '{}', which is no point of this sweep{}; name "
                                        "another folder or move that away",
                                        name, point_origin(dir / name)));
  return Done{};
}

}  // namespace

Error out_error(const fs::path& dir, std::string_view what) {
  return {fmt::format("--out {}: {}", dir.string(), what)};
}

Result<SweepFolder> SweepFolder::open(const fs::path& dir, const SweepPlan& plan) {
  std::error_code failure;
  fs::create_directories(dir, failure);
  if (!failure && !fs::is_directory(dir, failure)) return out_error(dir, "it is no folder");
  if (failure) return out_error(dir, failure.message());
  if (auto fine = check_entries(dir, plan); !fine) return std::move(fine).error();
  return open_existing(dir, plan);
}

Result<SweepFolder> SweepFolder::open_existing(const fs::path& dir, const SweepPlan& plan) {
  std::error_code failure;
  const fs::path whole = fs::canonical(dir, failure);
  if (failure)
    return out_error(dir, failure.message() + "; where a job runs, it must be the same folder");
  return SweepFolder(whole, plan);
}

bool SweepFolder::has(std::size_t point) const {
  std::error_code ignored;
  return fs::exists(point_path(point) / kSummary, ignored);
}

std::vector<std::size_t> SweepFolder::missing() const {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < plan_->points.size(); ++i)
    if (!has(i)) points.push_back(i);
  return points;
}

Result<Done> SweepFolder::create_point(std::size_t point) const {
  std::error_code failure;
  fs::create_directories(point_path(point), failure);
  if (failure) return out_error(dir_, failure.message());
  return Done{};
}

Result<Done> SweepFolder::store(std::size_t point, std::string_view summary) const {
  if (auto made = create_point(point); !made) return made;
  return replace_file(point_path(point) / kSummary, summary);
}

Result<std::string> SweepFolder::read(std::size_t point) const {
  auto text = read_file(point_path(point) / kSummary);
  if (!text) return text;
  const std::string there = fmt::format("\"key\": \"{}\"", plan_->points[point].key);
  if (text->find(there) != std::string::npos) return text;
  return Error{fmt::format("{}: is not of this point; remove it, and it is run again",
                           (point_path(point) / kSummary).string())};
}

void SweepFolder::store_failure(std::size_t point, std::string_view reason) const {
  if (!create_point(point)) return;
  // Should that fail too, the point is missing all the same.
  [[maybe_unused]] const auto written =
      replace_file(point_path(point) / kFailure, std::string(reason) + "\n");
}

std::vector<FailedPoint> SweepFolder::failures(const std::vector<std::size_t>& points) const {
  std::vector<FailedPoint> failed;
  for (const std::size_t point : points) {
    const auto text = read_file(point_path(point) / kFailure);
    if (!text) continue;
    failed.push_back({point, text->substr(0, text->find_last_not_of('\n') + 1)});
  }
  return failed;
}

void SweepFolder::remove_failures(const std::vector<std::size_t>& points) const {
  std::error_code ignored;
  for (const std::size_t point : points) fs::remove(point_path(point) / kFailure, ignored);
}

}  // namespace penstock

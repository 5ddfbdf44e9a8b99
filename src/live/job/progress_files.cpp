#include "live/job/progress_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/descriptor.h"

namespace penstock {
namespace {

constexpr std::size_t kTail = 4096;
constexpr std::size_t kMostFiles = 100'000;  // whose last change is kept

std::int64_t changed_at(const struct stat& about) {
  return about.st_mtim.tv_sec * 1'000'000'000 + about.st_mtim.tv_nsec;
}

}  // namespace

std::optional<JobProgress> read_progress(std::string_view text, Time now) {
  const std::size_t end = text.rfind('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::size_t before = text.substr(0, end).rfind('\n');
  const std::string_view line =
      text.substr(before == std::string_view::npos ? 0 : before + 1,
                  end - (before == std::string_view::npos ? 0 : before + 1));
  const auto parsed = nlohmann::json::parse(line, nullptr, false);
  if (!parsed.is_object()) return std::nullopt;
  const auto done = parsed.find("done");
  if (done == parsed.end() || !done->is_number() || !(done->get<double>() >= 0))
    return std::nullopt;
  JobProgress progress{.when = now, .done = done->get<double>()};
  const auto saved = parsed.find("saved");
  if (saved != parsed.end() && saved->is_number() && saved->get<double>() >= 0)
    progress.saved = saved->get<double>();
  return progress;
}

std::optional<std::string> progress_path(const TrackedJob& job) {
  if (job.kind.empty() || job.seen.work_dir.empty()) return std::nullopt;
  return job.seen.work_dir + "/penstock-" + job.seen.ref + ".progress";
}

std::optional<JobProgress> ProgressFiles::read(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat about{};
  if (file.number() < 0 || ::fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode))
    return std::nullopt;
  if (written_.size() > kMostFiles) written_.clear();
  auto& last = written_[path];
  if (last == changed_at(about)) return std::nullopt;
  last = changed_at(about);
  std::array<char, kTail> tail{};
  const off_t from = std::max<off_t>(0, about.st_size - static_cast<off_t>(kTail));
  const ssize_t got = ::pread(file.number(), tail.data(), tail.size(), from);
  if (got <= 0) return std::nullopt;
  const Time when(std::chrono::floor<Duration>(std::chrono::seconds(about.st_mtim.tv_sec) +
                                               std::chrono::nanoseconds(about.st_mtim.tv_nsec)));
  return read_progress({tail.data(), static_cast<std::size_t>(got)}, when);
}

}  // namespace penstock

#include "live/progress_reader.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "live/job/progress_files.h"

namespace penstock {
namespace {

using Steady = std::chrono::steady_clock;

constexpr auto kMoment = std::chrono::milliseconds(100);  // a read that takes longer hangs

}  // namespace

/// Where the two threads meet. All but `read` is guarded by `mutex`.
struct ProgressReader::Shared {
  /// A file to be read, and whose.
  struct Reading {
    SiteId site{};
    std::string ref{};
    std::optional<Time> run{};  ///< when the run began that it is about
    std::string path{};
    std::uint64_t urgent = 0;  ///< 1 and up, in order: somebody waits for it
  };

  struct Progress {
    Reading file{};
    JobProgress progress{};
  };

  explicit Shared(Read reads) : read(std::move(reads)) {}

  Read read;
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> on_progress;
  std::deque<Reading> waiting;  ///< the next first
  std::vector<Progress> done_reads;
  std::optional<Steady::time_point> reads_since;
  std::uint64_t last_urgent = 0;
  std::uint64_t urgent_done = 0;
  bool ends = false;

  /// What the thread does.
  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return ends || !waiting.empty(); });
      if (ends) return;
      Reading file = std::move(waiting.front());
      waiting.pop_front();
      reads_since = Steady::now();
      lock.unlock();
      const auto progress = read(file.path);
      lock.lock();
      reads_since.reset();
      urgent_done = std::max(urgent_done, file.urgent);
      if (progress) put({std::move(file), *progress});
      changed.notify_all();
    }
  }
  void put(Progress what) {
    done_reads.push_back(std::move(what));
    if (done_reads.size() == 1 && on_progress) on_progress();
  }
  bool hangs() const { return reads_since && Steady::now() - *reads_since > kMoment; }
};

ProgressReader::ProgressReader(Read read, std::function<void()> on_progress)
    : shared_(std::make_shared<Shared>(std::move(read))) {
  shared_->on_progress = std::move(on_progress);
  std::thread([shared = shared_] { shared->work(); }).detach();
}

ProgressReader::~ProgressReader() {
  const std::scoped_lock lock(shared_->mutex);
  shared_->ends = true;
  shared_->on_progress = {};
  shared_->changed.notify_all();
}

void ProgressReader::request_reads(std::span<SlurmSite* const> sites) {
  const std::scoped_lock lock(shared_->mutex);
  if (!shared_->waiting.empty() || shared_->reads_since) return;
  for (const SlurmSite* site : sites)
    for (const auto& [ref, job] : site->jobs()) {
      if (job.seen.phase != SlurmJob::Phase::running) continue;
      if (auto path = progress_path(job))
        shared_->waiting.push_back({site->options().site, ref, job.seen.started, *std::move(path)});
    }
  shared_->changed.notify_all();
}

void ProgressReader::deliver(std::span<SlurmSite* const> sites, Time now) {
  std::vector<Shared::Progress> done_reads;
  {
    const std::scoped_lock lock(shared_->mutex);
    done_reads.swap(shared_->done_reads);
  }
  for (Shared::Progress& each : done_reads) {
    const auto at = std::ranges::find_if(
        sites, [&](const SlurmSite* site) { return site->options().site == each.file.site; });
    const TrackedJob* job = at == sites.end() ? nullptr : (*at)->find(each.file.ref);
    const bool is_late = each.file.urgent > 0;  // nobody waits for it any more
    if (job == nullptr || is_late || job->seen.started != each.file.run) continue;
    each.progress.when = std::min(each.progress.when, now);
    (*at)->on_progress(each.file.ref, each.progress);
  }
}

std::optional<JobProgress> ProgressReader::last_progress(SiteId site, const TrackedJob& job,
                                                         Time now) {
  auto path = progress_path(job);
  if (!path) return std::nullopt;
  std::unique_lock lock(shared_->mutex);
  if (!shared_->hangs()) {
    const std::uint64_t urgent = ++shared_->last_urgent;
    shared_->waiting.push_front({site, job.seen.ref, std::nullopt, *std::move(path), urgent});
    shared_->changed.notify_all();
    shared_->changed.wait_for(lock, kMoment, [&] { return shared_->urgent_done >= urgent; });
    std::erase_if(shared_->waiting,
                  [&](const Shared::Reading& each) { return each.urgent == urgent; });
  }
  std::optional<JobProgress> last;
  std::erase_if(shared_->done_reads, [&](const Shared::Progress& each) {
    const bool own = each.file.site == site && each.file.ref == job.seen.ref;
    if (own) last = each.progress;
    return own;
  });
  if (last) last->when = std::min(last->when, now);
  return last;
}

bool ProgressReader::is_idle() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->waiting.empty() && !shared_->reads_since;
}

}  // namespace penstock

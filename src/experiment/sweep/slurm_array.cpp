#include "experiment/sweep/slurm_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "batch/child_process.h"
#include "io/text/file.h"
#include "io/text/number.h"

namespace penstock {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::size_t kMostTasks = 1000;  // what Slurm takes in one array unless told otherwise
constexpr int kMostSubmissions = 3;
constexpr Duration kFirstPause = 500ms;
constexpr Duration kLongestPause = 10s;

std::string array_name(const SweepFolder& folder) {
  return "penstock-sweep-" + fingerprint(folder.path().string()).substr(0, 12);
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::size_t per_task(std::size_t points, std::size_t asked) {
  return asked > 0 ? asked : (points + kMostTasks - 1) / kMostTasks;
}

/// The points of each task as a line of its list.
std::vector<std::string> split_points(const std::vector<std::size_t>& points, std::size_t each) {
  std::vector<std::string> tasks;
  for (std::size_t i = 0; i < points.size(); i += each) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end =
        points.begin() + static_cast<std::ptrdiff_t>(std::min(i + each, points.size()));
    tasks.push_back(ranges_text({begin, end}));
  }
  return tasks;
}

/// Submits these points; returns the array's number.
Result<std::string> submit(const SweepFolder& folder, const SweepArrayRequest& request,
                           const std::vector<std::size_t>& points) {
  std::error_code failure;
  fs::create_directories(folder.slurm(), failure);
  if (failure) return out_error(folder.path(), failure.message());
  const auto tasks = split_points(points, per_task(points.size(), request.points_per_task));
  std::string lines;
  for (const std::string& task : tasks) lines += task + "\n";
  // A later array must not change what an earlier one reads.
  const std::string stem = fmt::format("array-{:x}", std::time(nullptr));
  const fs::path list = folder.slurm() / (stem + ".points");
  const fs::path script = folder.slurm() / (stem + ".sh");
  if (auto done = replace_file(list, lines); !done) return std::move(done).error();
  std::vector<std::string> words = request.task;
  words.insert(words.begin() + 2, {"--points", "@" + list.string()});
  if (auto done = replace_file(script, array_script(words)); !done) return std::move(done).error();

  ArrayRequest array = request.array;
  array.name = array_name(folder);
  array.tasks = tasks.size();
  array.logs = folder.slurm();
  const auto end = run_command(sbatch_words(array, script));
  if (!end) return Error{fmt::format("--slurm: {}; is Slurm installed here?", end.error().message)};
  const auto job = submitted_job(end->out);
  if (end->exit_code == 0 && job) return *job;
  return Error{
      fmt::format("--slurm: sbatch refuses: {}", first_line(end->error_output + end->out))};
}

/// Sends notes on the state of an array, each once in a row.
class StatusNotes {
 public:
  StatusNotes(bool shown, const NoteCallback& note) : shown_(shown), note_(note) {}
  void send(const std::string& text) {
    if (shown_ && text != sent_) send_note(note_, text);
    sent_ = text;
  }

 private:
  bool shown_;
  const NoteCallback& note_;
  std::string sent_{};
};

std::string status_text(const ArrayTasks& tasks, const SweepFolder& folder) {
  const std::size_t all = folder.plan().points.size();
  const std::string why =
      tasks.waiting > 0 && !tasks.why_waiting.empty() && tasks.why_waiting != "None"
          ? fmt::format(" ({})", tasks.why_waiting)
          : "";
  return fmt::format("array {}: {} of {} points; tasks: {} running, {} waiting{}", tasks.job,
                     all - folder.missing().size(), all, tasks.running, tasks.waiting, why);
}

std::string leaving_text(const ArrayTasks& tasks, const SweepFolder& folder) {
  return fmt::format(
      "array {} goes on without us; the same command again waits for it and puts the results "
      "together; to end it: scancel {}; results so far are in {}",
      tasks.job, tasks.job, folder.path().string());
}

bool sleep_through(Duration pause) {
  std::this_thread::sleep_for(pause);
  return false;
}

/// Waits until no task of the folder is in the queue.
Result<ArrayEnd> wait_for_tasks(const SweepFolder& folder, const SweepArrayRequest& request,
                                const NoteCallback& note) {
  StatusNotes status(request.progress, note);
  const InterruptibleSleep interrupted_within = request.watch ? request.watch() : sleep_through;
  ArrayTasks last;
  for (Duration pause = kFirstPause;; pause = std::min(pause * 3 / 2, kLongestPause)) {
    const auto tasks = tasks_of(folder);
    if (tasks) {
      last = *tasks;
      if (!last.active()) return last.cancelled > 0 ? ArrayEnd::cancelled : ArrayEnd::ended;
      status.send(status_text(last, folder));
    } else {
      status.send(tasks.error().message + "; asking again");
    }
    if (!interrupted_within(pause)) continue;
    send_note(note, leaving_text(last, folder));
    return ArrayEnd::left;
  }
}

/// Waits for the array in the queue, if that is wanted.
Result<ArrayEnd> wait_if_asked(const SweepFolder& folder, const SweepArrayRequest& request,
                               const NoteCallback& note) {
  if (request.wait) return wait_for_tasks(folder, request, note);
  const auto tasks = tasks_of(folder);
  if (!tasks) return tasks.error();
  send_note(note, leaving_text(*tasks, folder));
  return ArrayEnd::left;
}

bool has_ended(const Result<ArrayEnd>& end) {
  return end && *end == ArrayEnd::ended;
}

/// The points that are missing and did not fail by themselves.
std::vector<std::size_t> points_to_submit(const SweepFolder& folder) {
  std::vector<std::size_t> missing = folder.missing();
  for (const FailedPoint& failed : folder.failures(missing)) std::erase(missing, failed.point);
  return missing;
}

/// Whether any task has been able to write into the folder.
bool has_logs(const SweepFolder& folder) {
  std::error_code failure;
  for (fs::directory_iterator at(folder.slurm(), failure), end; !failure && at != end;
       at.increment(failure))
    if (at->path().extension() == ".log") return true;
  return false;
}

Error still_missing(const SweepFolder& folder, const std::vector<std::size_t>& missing) {
  const std::string where =
      has_logs(folder) ? fmt::format("what tasks said is in {}", folder.slurm().string())
                       : fmt::format("no task has written into {}: can every node see that folder?",
                                     folder.slurm().string());
  return {fmt::format("--slurm: {} of {} points have no result after {} submissions; {}",
                      missing.size(), folder.plan().points.size(), kMostSubmissions, where)};
}

/// The line of a file that this task of an array is numbered by.
Result<std::string> line_of_task(const fs::path& file) {
  const auto lines = read_file(file);
  if (!lines) return Error{lines.error().message + "; --out must be a folder that every node sees"};
  const char* given = std::getenv("SLURM_ARRAY_TASK_ID");  // NOLINT(concurrency-mt-unsafe)
  const auto task = parse_number<std::size_t>(given == nullptr ? "" : given);
  if (!task) return Error{"@FILE is for tasks of a Slurm array, and this is none"};
  std::string_view rest = *lines;
  for (std::size_t i = 0; i < *task; ++i)
    rest.remove_prefix(std::min(std::min(rest.find('\n'), rest.size()) + 1, rest.size()));
  return first_line(rest);
}

}  // namespace

Result<ArrayTasks> tasks_of(const SweepFolder& folder) {
  const auto end = run_command(squeue_words(array_name(folder)));
  if (!end) return Error{fmt::format("--slurm: {}", end.error().message)};
  if (end->exit_code != 0)
    return Error{fmt::format("--slurm: squeue: {}", first_line(end->error_output))};
  return parse_tasks(end->out);
}

Result<ArrayEnd> run_on_slurm(const SweepFolder& folder, const SweepArrayRequest& request,
                              const NoteCallback& note) {
  const auto there = tasks_of(folder);
  if (!there) return there.error();
  if (!there->active()) {
    folder.remove_failures(folder.missing());
  } else if (auto end = wait_if_asked(folder, request, note); !has_ended(end)) {
    return end;
  }
  for (int submissions = 0; submissions < kMostSubmissions; ++submissions) {
    const std::vector<std::size_t> missing = points_to_submit(folder);
    if (missing.empty()) return ArrayEnd::ended;
    const auto job = submit(folder, request, missing);
    if (!job) return job.error();
    send_note(note, fmt::format("submitted array {} for {} of {} points{}", *job, missing.size(),
                                folder.plan().points.size(), submissions > 0 ? ", once more" : ""));
    if (auto end = wait_if_asked(folder, request, note); !has_ended(end)) return end;
  }
  const std::vector<std::size_t> missing = points_to_submit(folder);
  if (!missing.empty()) return still_missing(folder, missing);
  return ArrayEnd::ended;
}

Result<std::vector<std::size_t>> read_points(std::string_view text, const SweepPlan& plan) {
  std::string list(text);
  if (text.starts_with('@')) {
    auto line = line_of_task(text.substr(1));
    if (!line) return std::move(line).error().in("--points");
    list = *std::move(line);
  }
  auto points = parse_ranges(list, plan.points.size());
  if (!points) return std::move(points).error().in("--points");
  return points;
}

}  // namespace penstock

#include "journal/journal_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "io/traces/arrange.h"
#include "io/traces/json.h"
#include "io/traces/rows.h"
#include "journal/journal_reader.h"

namespace penstock {
namespace {

/// Which entry tells last of each job, and how many sites there are.
struct Survey {
  std::map<std::tuple<std::string, std::int64_t, std::string>, std::int64_t> last{};
  std::set<std::string> sites{};
};

/// What the whole journal has of something worth a note.
struct Counts {
  std::uint64_t resized = 0;
  std::uint64_t begun_anew = 0;
};

/// Slurm may give a number again after years, but not within the second of its submission.
std::tuple<std::string, std::int64_t, std::string> key_of(const JournalEntry& entry) {
  const auto detail = parse_json(entry.detail, "");
  const std::string submitted = detail ? member(*detail, "submitted_ms").dump() : "";
  return {entry.site, entry.job.value_or(-1), submitted};
}

/// Did it go on as it was, only at another clock?
bool is_same_stay(const EndedRun& before, const EndedRun& after) {
  return before.ended == after.started && before.gpus == after.gpus && before.nodes == after.nodes;
}

/// Nothing that the run had done was there when it ended.
bool was_lost(const EndedJob& job, std::size_t run) {
  const auto done = job.runs[run].done;
  if (!done || run + 1 == job.runs.size()) return false;
  return *done <= (run == 0 ? 0 : job.runs[run - 1].done.value_or(0));
}

/// What a start after another run still owes before work goes on: of a restart that is not waiting
/// in the queue a part has passed before the run began.
Duration restart_of(const EndedRun& before, const EndedRun& run, Duration restart) {
  if (!run.lag) return restart;
  const Duration between = run.started - before.ended - *run.lag;
  return between > restart ? restart : restart - std::max(between, Duration::zero());
}

void add_runs(TracedJob& traced, const EndedJob& job, const std::string& site, Duration restart) {
  Duration restart_left{};  // of the last start, before work goes on
  for (std::size_t i = 0; i < job.runs.size(); ++i) {
    const EndedRun& run = job.runs[i];
    if (was_lost(job, i) ||
        (job.pinned && i + 1 < job.runs.size() && !is_same_stay(run, job.runs[i + 1]))) {
      if (job.pinned) traced.runs.clear();  // without checkpoints it began anew
      continue;
    }
    if (i > 0 && !job.pinned && !is_same_stay(job.runs[i - 1], run))
      restart_left = restart_of(job.runs[i - 1], run, restart);
    const Duration took = run.ended - run.started;
    const Duration begun = std::min(restart_left, took);
    restart_left -= begun;
    traced.runs.push_back(
        {.worked = took - begun,
         .gpus = run.gpus,
         .nodes = static_cast<std::uint32_t>(std::max<std::size_t>(1, run.nodes.size())),
         .clock_mhz = run.clock_mhz,
         .batch = run.batch.value_or(0),
         .type = run.type,
         .site = site});
  }
}

void fill(Row& row, const EndedJob& ended, const std::string& site, const TraceOptions& options) {
  TracedJob& traced = row.job;
  Job& job = traced.job;
  job.user = ended.user;
  job.group = ended.account.empty() ? ended.partition : ended.account;
  job.kind = ended.kind;
  job.submitted = ended.submitted;
  job.gpus = ended.gpus;
  job.requested = ended.time_limit.value_or(Duration{});
  job.priority = ended.priority.value_or(0);
  job.work = Work(ended.kind.empty() ? 0 : ended.work.value_or(0));
  job.batch = ended.batch.value_or(0);
  job.pinned = ended.pinned;
  job.tardiness_weight = MoneyRate(ended.tardiness_per_s.value_or(0));
  if (ended.deadline) job.deadline = row.deadline("deadline_ms", *ended.deadline);
  traced.gpu_spec = ended.gpu_type;
  traced.gpus_least = ended.least.value_or(0);
  traced.gpus_most = ended.most.value_or(0);
  if (!row.is_good()) return;
  if (ended.runs.empty()) return row.leave_out("runs: none, the job never ran");
  add_runs(traced, ended, site, options.restart);
  for (const RealRun& run : traced.runs) traced.actual += run.worked;
  if (traced.actual <= Duration{}) row.leave_out("runs: the job never got on");
}

/// What was decided of it.
std::vector<RecordedRun> recorded(const EndedJob& job, const std::string& site) {
  std::vector<RecordedRun> runs;
  runs.reserve(job.runs.size());
  for (const EndedRun& run : job.runs)
    runs.push_back({.ordered = run.started - run.lag.value_or(Duration::zero()),
                    .ended = run.ended,
                    .gpus = run.gpus,
                    .clock_mhz = run.clock_mhz,
                    .site = site,
                    .type = run.type,
                    .nodes = run.nodes});
  if (job.pinned) runs.erase(runs.begin(), runs.end() - 1);
  return runs;
}

RecordedOutcome past_of(const EndedJob& job, const std::string& site) {
  return {.submitted = job.submitted,
          .first_start = job.runs.front().started,
          .finish = job.runs.back().ended,
          .deadline = job.deadline,
          .energy_j = job.energy_j,
          .cost = job.cost,
          .carbon_g = job.carbon_g,
          .runs = recorded(job, site)};
}

/// Turns entries into rows.
class JournalRows {
 public:
  JournalRows(TraceRows& rows, const TraceOptions& options, const Survey& survey,
              RecordedOutcomes& past)
      : rows_(rows), options_(options), survey_(survey), past_(past) {}

  bool add(const JournalEntry& entry) {
    Row row(rows_.open(), static_cast<std::uint64_t>(entry.id), "entry");
    if (survey_.last.at(key_of(entry)) != entry.id) {
      row.leave_out("ended: told again later");
      return rows_.close(row);
    }
    const EndedJob job = read_ended(entry.detail, row);
    names_.push_back(name_of(job, entry));
    rows_.unique(row, "ref", names_.back());
    row.job.job.name = names_.back();
    fill(row, job, entry.site, options_);
    if (row.is_good()) note(job, row.job, entry.site);
    return rows_.close(row);
  }

  void write_notes() {
    if (counts_.resized > 0)
      rows_.note(
          fmt::format("{} jobs ran on more or fewer GPUs than they asked for; one of no kind that "
                      "the models know is replayed as asked, for the time it took",
                      counts_.resized));
    if (counts_.begun_anew > 0)
      rows_.note(
          fmt::format("{} jobs without checkpoints were started more than once: their last "
                      "run counts",
                      counts_.begun_anew));
  }

 private:
  std::string name_of(const EndedJob& job, const JournalEntry& entry) {
    const std::string ref = job.ref.empty() ? fmt::format("{}", entry.job.value_or(0)) : job.ref;
    std::string name = survey_.sites.size() > 1 ? entry.site + "/" + ref : ref;
    if (const int times = ++seen_[name]; times > 1) name += fmt::format("#{}", times);
    return name;
  }

  void note(const EndedJob& job, const TracedJob& traced, const std::string& site) {
    past_.emplace(traced.job.name, past_of(job, site));
    if (std::ranges::any_of(job.runs, [&](const EndedRun& run) { return run.gpus != job.gpus; }))
      ++counts_.resized;
    if (job.pinned && traced.runs.size() < job.runs.size()) ++counts_.begun_anew;
  }

  TraceRows& rows_;
  const TraceOptions& options_;
  const Survey& survey_;
  RecordedOutcomes& past_;
  std::deque<std::string> names_;
  std::map<std::string, int> seen_;
  Counts counts_;
};

void note_unended(TraceRows& rows, std::uint64_t jobs) {
  if (jobs > 0)
    rows.note(fmt::format("{} {} not ended when the journal was read, and {} left out", jobs,
                          jobs == 1 ? "job had" : "jobs had", jobs == 1 ? "is" : "are"));
}

Result<Survey> survey_of(JournalReader& journal) {
  Survey survey;
  const auto done = journal.each("ended", [&](const JournalEntry& entry) {
    survey.last[key_of(entry)] = entry.id;
    survey.sites.insert(entry.site);
    return true;
  });
  if (!done) return done.error();
  return survey;
}

Result<Done> read_rows(const std::filesystem::path& path, const TraceOptions& options,
                       TraceRows& rows, RecordedOutcomes& past) {
  auto journal = JournalReader::open(path);
  if (!journal) return std::move(journal).error();
  const auto survey = survey_of(*journal);
  if (!survey) return survey.error();
  rows.report().format = "journal";
  rows.unit("milliseconds", "the format defines it");
  rows.dated();
  JournalRows reading(rows, options, *survey, past);
  auto done = journal->each("ended", [&](const JournalEntry& entry) {
    return !survey->last.contains(key_of(entry)) || reading.add(entry);  // some come meanwhile
  });
  if (!done) return done;
  reading.write_notes();
  const auto unended = journal->jobs_not_ended();
  if (!unended) return unended.error();
  note_unended(rows, *unended);
  return Done{};
}

std::string option_text(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void add_lags(const nlohmann::json& detail, std::vector<double>& lags) {
  const auto& runs = member(detail, "runs");
  if (!runs.is_array()) return;
  for (const auto& run : runs)
    if (const auto& lag = member(run, "lag_s"); lag.is_number() && lag.get<double>() < 1e9)
      lags.push_back(std::max(0.0, lag.get<double>()));
}

Result<DaemonStart> read_beginning(const JournalEntry& entry, const std::string& file) {
  const std::string where = fmt::format("{}:entry[{}]", file, entry.id);
  const auto detail = parse_json(entry.detail, "");
  if (!detail || !detail->is_object()) return Error{where + ": detail: is not an object of JSON"};
  DaemonStart beginning{.entry = entry.id, .when = entry.when};
  for (const auto& [key, into] : {std::pair("mode", &beginning.mode),
                                  {"policy", &beginning.policy},
                                  {"scenario", &beginning.scenario}}) {
    const auto& value = member(*detail, key);
    if (!value.is_string()) return Error{fmt::format("{}: {}: is not a text", where, key)};
    *into = value.get<std::string>();
  }
  const auto& options = member(*detail, "options");
  for (auto at = options.begin(); options.is_object() && at != options.end(); ++at)
    beginning.options.emplace(at.key(), option_text(at.value()));
  return beginning;
}

}  // namespace

Result<Trace> read_journal_trace(const std::filesystem::path& path, const TraceOptions& options) {
  if (auto checked = check_options(options); !checked) return std::move(checked).error();
  TraceRows rows(path.string(), options.strict);
  RecordedOutcomes past;
  if (auto done = read_rows(path, options, rows, past); !done) return std::move(done).error();
  if (auto outcome = rows.outcome(); !outcome) return std::move(outcome).error();
  return arrange(std::move(rows), options);
}

Result<RecordedOutcomes> read_recorded_outcomes(const std::filesystem::path& path) {
  TraceRows rows(path.string(), false);
  RecordedOutcomes past;
  if (auto done = read_rows(path, {.strict = false}, rows, past); !done)
    return std::move(done).error();
  return past;
}

Result<std::optional<Duration>> read_start_lag(const std::filesystem::path& path) {
  auto journal = JournalReader::open(path);
  if (!journal) return std::move(journal).error();
  std::vector<double> lags;
  const auto done = journal->each("ended", [&](const JournalEntry& entry) {
    if (const auto detail = parse_json(entry.detail, "")) add_lags(*detail, lags);
    return true;
  });
  if (!done) return done.error();
  if (lags.empty()) return std::optional<Duration>{};
  std::ranges::sort(lags);
  const auto extreme = (std::ssize(lags) + 1) / 4;
  const double sum = std::accumulate(lags.begin() + extreme, lags.end() - extreme, 0.0);
  return std::optional(round_duration(sum / static_cast<double>(std::ssize(lags) - 2 * extreme)));
}

Result<std::vector<DaemonStart>> read_daemon_starts(const std::filesystem::path& path) {
  auto journal = JournalReader::open(path);
  if (!journal) return std::move(journal).error();
  std::vector<DaemonStart> all;
  std::optional<Error> error;
  const auto done = journal->each("began", [&](const JournalEntry& entry) {
    auto found = read_beginning(entry, path.string());
    if (found)
      all.push_back(*std::move(found));
    else
      error = std::move(found).error();
    return !error;
  });
  if (!done) return done.error();
  if (error) return *error;
  if (all.empty()) return Error{path.string() + ": has no entry 'began', so no scenario"};
  return all;
}

}  // namespace penstock

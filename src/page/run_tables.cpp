#include "page/run_tables.h"

#include <fmt/format.h>

#include "io/text/file.h"

namespace penstock {
namespace {

/// A text of this size keeps its place in memory when it is moved, so that rows may point to it.
constexpr std::size_t kOnHeap = 64;

/// The text of a file, nothing if it is not there.
Result<std::optional<std::string>> maybe_read(const StoredRun& run, const char* name) {
  std::error_code trouble;
  if (!std::filesystem::exists(*run.dir / name, trouble)) return std::optional<std::string>{};
  auto text = read_file(*run.dir / name);
  if (!text) return std::move(text).error();
  return std::optional<std::string>(*std::move(text));
}

std::string shown(const StoredRun& run, const char* name) {
  return run.shown_dir + "/" + name;
}

Result<Done> check_count(const StoredRun& run, std::size_t rows) {
  const auto counted = run.summary.jobs_finished;
  if (!counted || static_cast<double>(rows) == *counted) return Done{};
  return Error{
      fmt::format("{}: has {} jobs where summary.json counts {} that finished: it is not whole",
                  shown(run, "jobs.csv"), rows, *counted)};
}

/// Moves what was parsed to where it belongs, or says why not.
template <class T>
Result<Done> keep(Result<T>&& parsed, std::optional<T>& to) {
  if (!parsed) return std::move(parsed).error();
  to = *std::move(parsed);
  return Done{};
}

Result<Done> parse_all(const StoredRun& run, RunTables& tables) {
  RunTexts& texts = tables.texts;
  for (auto* text : {&texts.jobs, &texts.stretches, &texts.timeline, &texts.reasons})
    if (*text) (*text)->reserve(kOnHeap);
  if (texts.jobs)
    if (auto done =
            keep(parse_jobs(*texts.jobs, shown(run, "jobs.csv"), run.site_names), tables.jobs);
        !done)
      return done;
  if (texts.stretches)
    if (auto done =
            keep(parse_stretches(*texts.stretches, shown(run, "stretches.csv")), tables.stretches);
        !done)
      return done;
  if (texts.timeline)
    if (auto done =
            keep(parse_timeline(*texts.timeline, shown(run, "timeline.csv"), run.site_names),
                 tables.timeline);
        !done)
      return done;
  if (texts.reasons)
    return keep(parse_reasons(*texts.reasons, shown(run, "reasons.csv")), tables.reasons);
  return Done{};
}

}  // namespace

Result<RunTables> parse_tables(const StoredRun& run, RunTexts texts) {
  RunTables tables{.texts = std::move(texts)};
  if (auto done = parse_all(run, tables); !done) return std::move(done).error();
  if (tables.jobs)
    if (auto fine = check_count(run, tables.jobs->size()); !fine) return std::move(fine).error();
  if (!tables.stretches)
    tables.notes.push_back(fmt::format(
        "{} has no stretches.csv, which older versions did not write: when each GPU was used is "
        "not shown.",
        run.shown_dir));
  if (!tables.timeline)
    tables.notes.push_back(fmt::format("{} has no timeline.csv.", run.shown_dir));
  return tables;
}

Result<RunTables> read_tables(const StoredRun& run) {
  if (!run.dir) return RunTables{};
  RunTexts texts;
  const auto take = [&](const char* name, std::optional<std::string>& into) -> Result<Done> {
    auto text = maybe_read(run, name);
    if (!text) return std::move(text).error();
    into = *std::move(text);
    return Done{};
  };
  if (auto done = take("jobs.csv", texts.jobs); !done) return std::move(done).error();
  if (auto done = take("stretches.csv", texts.stretches); !done) return std::move(done).error();
  if (auto done = take("timeline.csv", texts.timeline); !done) return std::move(done).error();
  if (auto done = take("reasons.csv", texts.reasons); !done) return std::move(done).error();
  if (!texts.jobs)
    return Error{shown(run, "jobs.csv") +
                 ": is not there although summary.json names the folder: it is not whole"};
  return parse_tables(run, std::move(texts));
}

}  // namespace penstock

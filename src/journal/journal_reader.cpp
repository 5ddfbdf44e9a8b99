#include "journal/journal_reader.h"

#include <fmt/format.h>

#include "journal/journal.h"

namespace penstock {

Result<JournalReader> JournalReader::open(const std::filesystem::path& path) {
  auto database = Database::open_to_read(path);
  if (!database) return std::move(database).error();
  JournalReader reader(*std::move(database), path.string());
  if (auto fine = reader.check_version(); !fine) return std::move(fine).error().in(path.string());
  return reader;
}

Result<Done> JournalReader::check_version() {
  auto version = database_.prepare("PRAGMA user_version");
  if (!version) return std::move(version).error();
  if (const auto row = version->step(); !row) return row.error();
  const std::int64_t found = version->whole(0);
  if (found == 0) return Error{"is not a journal; possible: the SQLite file of penstock serve"};
  if (found <= Journal::kVersion) return Done{};
  return Error{
      fmt::format("the journal is of version {}, this program knows {}; a later Penstock wrote it",
                  found, Journal::kVersion)};
}

Result<Done> JournalReader::each(std::string_view what,
                                 const std::function<bool(const JournalEntry&)>& visit) {
  auto select = database_.prepare(
      "SELECT id, when_ms, site, job, detail FROM entries WHERE what = ? ORDER BY id");
  if (!select) return std::move(select).error().in(file_);
  select->with(what);
  return visit_all(what, *select, visit);
}

/// Tasks of an array share a number until they start: jobs are known by what Slurm calls them.
Result<Done> JournalReader::each_of_unended(std::string_view what,
                                            const std::function<bool(const JournalEntry&)>& visit) {
  auto select = database_.prepare(
      "SELECT id, when_ms, site, job, detail FROM entries AS e WHERE what = ? AND NOT EXISTS ("
      "SELECT 1 FROM entries AS f INDEXED BY ends_of_refs WHERE f.what = 'ended' "
      "AND json_valid(f.detail) AND f.site = e.site AND json_extract(f.detail, '$.ref') = "
      "CASE WHEN json_valid(e.detail) THEN json_extract(e.detail, '$.ref') END AND f.id > e.id) "
      "ORDER BY id");
  if (!select) return std::move(select).error().in(file_);
  select->with(what);
  return visit_all(what, *select, visit);
}

Result<Done> JournalReader::latest(std::string_view what, Time since,
                                   const std::function<bool(const JournalEntry&)>& visit) {
  auto select = database_.prepare(
      "SELECT id, when_ms, site, job, detail FROM entries INDEXED BY entries_by_time "
      "WHERE when_ms >= ? AND what = ? ORDER BY when_ms DESC, id DESC");
  if (!select) return std::move(select).error().in(file_);
  select->with(since.time_since_epoch().count()).with(what);
  return visit_all(what, *select, visit);
}

Result<Done> JournalReader::visit_all(std::string_view what, Statement& select,
                                      const std::function<bool(const JournalEntry&)>& visit) const {
  auto more = select.step();
  for (; more && *more; more = select.step()) {
    JournalEntry entry{.id = select.whole(0),
                       .when = Time(Duration(select.whole(1))),
                       .site = select.text(2),
                       .what = std::string(what),
                       .detail = select.text(4)};
    if (!select.is_null(3)) entry.job = select.whole(3);
    if (!visit(entry)) break;
  }
  if (!more) return std::move(more).error().in(file_);
  return Done{};
}

Result<std::vector<JournalEntry>> JournalReader::last_entries(
    std::string_view what, std::int64_t most, const std::optional<NumberedJob>& about) {
  const std::string job = about ? " AND site = ? AND job = ?" : "";
  auto select = database_.prepare(std::string(kSelectEntries) + " WHERE what = ?" + job +
                                  " ORDER BY id DESC LIMIT ?");
  if (!select) return std::move(select).error().in(file_);
  select->with(what);
  if (about) select->with(std::string_view(about->site)).with(about->number);
  select->with(most);
  return read_entries(*std::move(select));
}

Result<std::vector<JournalRequest>> JournalReader::last_requests(
    std::int64_t most, const std::optional<NumberedJob>& about) {
  const std::string job = about ? " WHERE site = ? AND job = ?" : "";
  auto select = database_.prepare(std::string(kSelectRequests) + job + " ORDER BY id DESC LIMIT ?");
  if (!select) return std::move(select).error().in(file_);
  if (about) select->with(std::string_view(about->site)).with(about->number);
  select->with(most);
  return read_requests(*std::move(select));
}

Result<std::uint64_t> JournalReader::jobs_in_pool() {
  const std::string numbers =
      "SELECT CASE WHEN json_valid(detail) THEN json_extract(detail, '$.pool') END AS number "
      "FROM entries WHERE number IS NOT NULL AND what ";
  return count(numbers + "= 'pooled' EXCEPT " + numbers + "IN ('placed', 'unpooled')");
}

Result<std::uint64_t> JournalReader::jobs_not_ended() {
  return count(
      "SELECT site, job FROM entries WHERE job IS NOT NULL EXCEPT "
      "SELECT site, job FROM entries WHERE what = 'ended'");
}

Result<std::uint64_t> JournalReader::count(const std::string& sql) {
  auto count = database_.prepare("SELECT count(*) FROM (" + sql + ")");
  if (!count) return std::move(count).error().in(file_);
  if (const auto row = count->step(); !row) return Error(row.error()).in(file_);
  return static_cast<std::uint64_t>(count->whole(0));
}

}  // namespace penstock

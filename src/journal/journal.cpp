#include "journal/journal.h"

#include <fmt/format.h>

#include <array>

#include "base/check.h"

namespace penstock {
namespace {

std::int64_t to_ms(Time when) {
  return when.time_since_epoch().count();
}

Time time_at_ms(std::int64_t ms) {
  return Time(Duration(ms));
}

/// From version i to i + 1.
constexpr std::array<const char*, Journal::kVersion> kSteps{
    "CREATE TABLE entries(id INTEGER PRIMARY KEY, when_ms INTEGER NOT NULL, site TEXT NOT NULL, "
    "job INTEGER, what TEXT NOT NULL, detail TEXT NOT NULL) STRICT;"
    "CREATE INDEX entries_of_job ON entries(site, job);"
    "CREATE INDEX entries_by_time ON entries(when_ms);"
    "CREATE TABLE requests(id INTEGER PRIMARY KEY, when_ms INTEGER NOT NULL, site TEXT NOT NULL, "
    "job INTEGER, verb TEXT NOT NULL, detail TEXT NOT NULL, reason TEXT NOT NULL, "
    "state TEXT NOT NULL, answer TEXT NOT NULL, answered_ms INTEGER) STRICT;"
    "CREATE INDEX requests_of_job ON requests(site, job);"
    "CREATE INDEX open_requests ON requests(state) WHERE state = 'sent';",
    "CREATE INDEX entries_of_word ON entries(what);"  // within a word in the order of their ids
    "CREATE INDEX ends_of_refs ON entries(site, json_extract(detail, '$.ref')) "
    "WHERE what = 'ended' AND json_valid(detail);"};

/// " WHERE site = ? AND job = ?", as far as they are named.
std::string about(const std::optional<std::string>& site, const std::optional<std::int64_t>& job) {
  std::string text;
  if (site) text += " WHERE site = ?";
  if (job) text += site ? " AND job = ?" : " WHERE job = ?";
  return text + " ORDER BY id";
}

void fill_about(Statement& statement, const std::optional<std::string>& site,
                const std::optional<std::int64_t>& job) {
  if (site) statement.with(std::string_view(*site));
  if (job) statement.with(*job);
}

}  // namespace

Result<Journal> Journal::open(const std::filesystem::path& path) {
  auto database = Database::open(path);
  if (!database) return std::move(database).error();
  Journal journal(*std::move(database));
  const auto settled =
      journal.database_.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  if (!settled) return Error(settled.error()).in(path.string());
  if (auto done = journal.migrate(); !done) return std::move(done).error().in(path.string());
  return journal;
}

Result<Done> Journal::migrate() {
  auto version = database_.prepare("PRAGMA user_version");
  if (!version) return std::move(version).error();
  const auto row = version->step();
  if (!row) return row.error();
  const std::int64_t now = version->whole(0);
  if (now > kVersion)
    return Error{
        fmt::format("the journal is of version {}, this program knows {}; a later Penstock "
                    "wrote it",
                    now, kVersion)};
  version->reset();
  for (std::int64_t step = now; step < kVersion; ++step) {
    const std::string sql = fmt::format("BEGIN IMMEDIATE;{}PRAGMA user_version = {};COMMIT;",
                                        kSteps.at(static_cast<std::size_t>(step)), step + 1);
    if (auto done = database_.execute(sql); !done) {
      (void)database_.execute("ROLLBACK");
      return done;
    }
  }
  return Done{};
}

Result<Done> Journal::write(std::span<JournalEntry> entries, std::span<JournalRequest> requests,
                            std::span<const JournalAnswer> answers) {
  if (auto begun = database_.execute("BEGIN IMMEDIATE"); !begun) return begun;
  auto done = write_entries(entries);
  if (done) done = write_requests(requests);
  if (done) done = write_answers(answers);
  if (done) done = database_.execute("COMMIT");
  if (!done) (void)database_.execute("ROLLBACK");
  return done;
}

Result<Done> Journal::write_entries(std::span<JournalEntry> entries) {
  auto insert = database_.prepare(
      "INSERT INTO entries(when_ms, site, job, what, detail) VALUES(?, ?, ?, ?, ?)");
  if (!insert) return std::move(insert).error();
  for (JournalEntry& entry : entries) {
    insert->with(to_ms(entry.when)).with(std::string_view(entry.site)).with(entry.job);
    insert->with(std::string_view(entry.what)).with(std::string_view(entry.detail));
    if (auto done = insert->run(); !done) return done;
    entry.id = database_.last_id();
  }
  return Done{};
}

Result<Done> Journal::write_requests(std::span<JournalRequest> requests) {
  auto insert = database_.prepare(
      "INSERT INTO requests(when_ms, site, job, verb, detail, reason, state, answer, answered_ms) "
      "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (!insert) return std::move(insert).error();
  for (JournalRequest& request : requests) {
    insert->with(to_ms(request.when)).with(std::string_view(request.site)).with(request.job);
    insert->with(std::string_view(request.verb)).with(std::string_view(request.detail));
    insert->with(std::string_view(request.reason)).with(name_of(request.state));
    insert->with(std::string_view(request.answer));
    if (request.answered)
      insert->with(to_ms(*request.answered));
    else
      insert->with(std::nullopt);
    if (auto done = insert->run(); !done) return done;
    request.id = database_.last_id();
  }
  return Done{};
}

Result<Done> Journal::write_answers(std::span<const JournalAnswer> answers) {
  for (const JournalAnswer& each : answers)
    if (auto done = answer(each.request, each.state, each.text, each.when); !done) return done;
  return Done{};
}

Result<Done> Journal::answer(std::int64_t request, RequestState state, std::string_view answer,
                             Time when) {
  auto update =
      database_.prepare("UPDATE requests SET state = ?, answer = ?, answered_ms = ? WHERE id = ?");
  if (!update) return std::move(update).error();
  return update->with(name_of(state)).with(answer).with(to_ms(when)).with(request).run();
}

Result<std::vector<JournalEntry>> Journal::entries(const std::optional<std::string>& site,
                                                   std::optional<std::int64_t> job) {
  auto select = database_.prepare(std::string(kSelectEntries) + about(site, job));
  if (!select) return std::move(select).error();
  fill_about(*select, site, job);
  return read_entries(*std::move(select));
}

Result<std::vector<JournalEntry>> Journal::latest_entries(const std::string& what,
                                                          std::int64_t most) {
  auto select =
      database_.prepare(std::string(kSelectEntries) + " WHERE what = ? ORDER BY id DESC LIMIT ?");
  if (!select) return std::move(select).error();
  select->with(std::string_view(what)).with(most);
  return read_entries(*std::move(select));
}

Result<std::vector<JournalRequest>> Journal::latest_requests(std::int64_t most) {
  auto select = database_.prepare(std::string(kSelectRequests) + " ORDER BY id DESC LIMIT ?");
  if (!select) return std::move(select).error();
  select->with(most);
  return read_requests(*std::move(select));
}

Result<std::vector<JournalRequest>> Journal::requests(const std::optional<std::string>& site,
                                                      std::optional<std::int64_t> job) {
  auto select = database_.prepare(std::string(kSelectRequests) + about(site, job));
  if (!select) return std::move(select).error();
  fill_about(*select, site, job);
  return read_requests(*std::move(select));
}

Result<std::vector<JournalEntry>> Journal::pool_entries(std::int64_t number) {
  auto select = database_.prepare(
      std::string(kSelectEntries) +
      " WHERE what IN ('pooled', 'not taken', 'placed', 'unpooled') AND "
      "CASE WHEN json_valid(detail) THEN json_extract(detail, '$.pool') END = ? ORDER BY id");
  if (!select) return std::move(select).error();
  select->with(number);
  return read_entries(*std::move(select));
}

Result<std::optional<Time>> Journal::beginning() {
  auto select = database_.prepare("SELECT min(when_ms) FROM entries");
  if (!select) return std::move(select).error();
  if (auto row = select->step(); !row) return std::move(row).error();
  if (select->is_null(0)) return std::optional<Time>();
  return std::optional(time_at_ms(select->whole(0)));
}

Result<std::vector<JournalRequest>> Journal::open_requests() {
  auto select =
      database_.prepare(std::string(kSelectRequests) + " WHERE state = 'sent' ORDER BY id");
  if (!select) return std::move(select).error();
  return read_requests(*std::move(select));
}

Result<Done> Journal::delete_before(Time when) {
  for (const char* sql : {"DELETE FROM entries WHERE when_ms < ?",
                          "DELETE FROM requests WHERE when_ms < ? AND state <> 'sent'"}) {
    auto forget = database_.prepare(sql);
    if (!forget) return std::move(forget).error();
    if (auto done = forget->with(to_ms(when)).run(); !done) return done;
  }
  return Done{};
}

namespace {

RequestState state_named(std::string_view name) {
  for (const auto state : {RequestState::sent, RequestState::confirmed, RequestState::refused})
    if (name_of(state) == name) return state;
  return RequestState::lost;
}

}  // namespace

Result<std::vector<JournalEntry>> read_entries(Statement select) {
  std::vector<JournalEntry> all;
  auto more = select.step();
  for (; more && *more; more = select.step()) {
    JournalEntry entry{.id = select.whole(0),
                       .when = time_at_ms(select.whole(1)),
                       .site = select.text(2),
                       .what = select.text(4),
                       .detail = select.text(5)};
    if (!select.is_null(3)) entry.job = select.whole(3);
    all.push_back(std::move(entry));
  }
  if (!more) return std::move(more).error();
  return all;
}

Result<std::vector<JournalRequest>> read_requests(Statement select) {
  std::vector<JournalRequest> all;
  auto more = select.step();
  for (; more && *more; more = select.step()) {
    JournalRequest request{.id = select.whole(0),
                           .when = time_at_ms(select.whole(1)),
                           .site = select.text(2),
                           .verb = select.text(4),
                           .detail = select.text(5),
                           .reason = select.text(6),
                           .state = state_named(select.text(7)),
                           .answer = select.text(8)};
    if (!select.is_null(3)) request.job = select.whole(3);
    if (!select.is_null(9)) request.answered = time_at_ms(select.whole(9));
    all.push_back(std::move(request));
  }
  if (!more) return std::move(more).error();
  return all;
}

}  // namespace penstock

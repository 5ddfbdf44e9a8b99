#include "journal/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/check.h"

namespace penstock {
namespace {

constexpr int kBusyMs = 500;  ///< for which another reader or writer is waited for

Error error_of(sqlite3* database) {
  return {fmt::format("database: {}", sqlite3_errmsg(database))};
}

/// The name of a file that will not change.
std::string as_uri(std::string_view path) {
  std::string uri = "file:";
  for (const char c : path)
    uri += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02x}", c) : std::string(1, c);
  return uri + "?immutable=1";
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void Database::Close::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}

Statement& Statement::with(std::int64_t value) {
  PENSTOCK_CHECK(sqlite3_bind_int64(own_.get(), ++bound_, value) == SQLITE_OK);
  return *this;
}

Statement& Statement::with(double value) {
  PENSTOCK_CHECK(sqlite3_bind_double(own_.get(), ++bound_, value) == SQLITE_OK);
  return *this;
}

Statement& Statement::with(std::string_view value) {
  const int size = static_cast<int>(value.size());
  const char* text = value.data() == nullptr ? "" : value.data();
  PENSTOCK_CHECK(sqlite3_bind_text(own_.get(), ++bound_, text, size, SQLITE_TRANSIENT) ==
                 SQLITE_OK);
  return *this;
}

Statement& Statement::with(std::nullopt_t /*none*/) {
  PENSTOCK_CHECK(sqlite3_bind_null(own_.get(), ++bound_) == SQLITE_OK);
  return *this;
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(own_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return error_of(database_);
}

Result<Done> Statement::run() {
  auto more = step();
  while (more && *more) more = step();
  reset();
  if (!more) return std::move(more).error();
  return Done{};
}

void Statement::reset() {
  sqlite3_reset(own_.get());
  bound_ = 0;
}

std::int64_t Statement::whole(int column) const {
  return sqlite3_column_int64(own_.get(), column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(own_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(own_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(own_.get(), column));
  return text == nullptr ? std::string() : std::string(text, size);
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(own_.get(), column) == SQLITE_NULL;
}

/// `file` is what messages call it.
Result<Database> Database::open_as(const std::string& name, int flags, const std::string& file) {
  sqlite3* made = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &made, flags, nullptr);
  Database database(made);
  if (code != SQLITE_OK)
    return Error{
        fmt::format("{}: {}", file, made == nullptr ? "out of memory" : sqlite3_errmsg(made))};
  sqlite3_busy_timeout(made, kBusyMs);
  return database;
}

Result<Database> Database::open(const std::filesystem::path& path) {
  return open_as(path.string(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path.string());
}

Result<Database> Database::open_to_read(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return Error{path.string() + ": no such file"};
  auto database = open_as(path.string(), SQLITE_OPEN_READONLY, path.string());
  if (!database || database->execute("SELECT count(*) FROM sqlite_schema")) return database;
  // A folder in which nothing can be made, such as a backup: then nobody writes either.
  if (std::filesystem::exists(path.string() + "-wal", error)) return database;
  return open_as(as_uri(path.string()), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, path.string());
}

Result<Statement> Database::prepare(const std::string& sql) const {
  sqlite3_stmt* made = nullptr;
  if (sqlite3_prepare_v2(own_.get(), sql.c_str(), -1, &made, nullptr) != SQLITE_OK)
    return error_of(own_.get());
  return Statement(own_.get(), made);
}

Result<Done> Database::execute(const std::string& sql) const {
  if (sqlite3_exec(own_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return Done{};
  return error_of(own_.get());
}

std::int64_t Database::last_id() const {
  return sqlite3_last_insert_rowid(own_.get());
}

}  // namespace penstock

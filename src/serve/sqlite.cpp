#include "serve/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/check.h"

namespace penstock {
namespace {

constexpr int kBusyMs = 5000;  ///< for which another reader or writer is waited for

Error trouble_of(sqlite3* database) {
  return {fmt::format("database: {}", sqlite3_errmsg(database))};
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
  return trouble_of(database_);
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

Result<Database> Database::open(const std::filesystem::path& path) {
  sqlite3* made = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &made, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  Database database(made);
  if (code != SQLITE_OK)
    return Error{fmt::format("{}: {}", path.string(),
                             made == nullptr ? "out of memory" : sqlite3_errmsg(made))};
  sqlite3_busy_timeout(made, kBusyMs);
  return database;
}

Result<Statement> Database::prepare(const std::string& sql) const {
  sqlite3_stmt* made = nullptr;
  if (sqlite3_prepare_v2(own_.get(), sql.c_str(), -1, &made, nullptr) != SQLITE_OK)
    return trouble_of(own_.get());
  return Statement(own_.get(), made);
}

Result<Done> Database::execute(const std::string& sql) const {
  if (sqlite3_exec(own_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return Done{};
  return trouble_of(own_.get());
}

std::int64_t Database::last_id() const {
  return sqlite3_last_insert_rowid(own_.get());
}

}  // namespace penstock

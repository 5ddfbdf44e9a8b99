#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace penstock {

/// One statement, with values for its question marks; run it row by row.
class Statement {
 public:
  Statement(Statement&&) = default;
  Statement& operator=(Statement&&) = default;

  /// Binds the next question mark, from the first after each reset().
  Statement& with(std::int64_t value);
  Statement& with(double value);
  Statement& with(std::string_view value);
  Statement& with(std::nullopt_t none);
  template <class T>
  Statement& with(const std::optional<T>& value) {
    return value ? with(*value) : with(std::nullopt);
  }

  /// True if there is a row to read, false after the last.
  Result<bool> step();
  /// Runs it to its end, and makes it ready to be bound anew.
  Result<Done> run();
  /// Ready to be bound and run anew.
  void reset();

  // Of the present row.
  std::int64_t whole(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  bool is_null(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(sqlite3* database, sqlite3_stmt* statement) : database_(database), own_(statement) {}

  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> own_;
  int bound_ = 0;
};

/// An SQLite file.
class Database {
 public:
  /// Creates the file if it is absent. An error names the file.
  static Result<Database> open(const std::filesystem::path& path);

  /// Never changes the file, and sees a whole state of it while another program writes.
  static Result<Database> open_to_read(const std::filesystem::path& path);

  Result<Statement> prepare(const std::string& sql) const;
  /// One or several statements without values.
  Result<Done> execute(const std::string& sql) const;
  std::int64_t last_id() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit Database(sqlite3* database) : own_(database) {}
  static Result<Database> open_as(const std::string& name, int flags, const std::string& file);
  std::unique_ptr<sqlite3, Close> own_;
};

}  // namespace penstock

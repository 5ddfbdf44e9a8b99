#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "io/text/csv.h"
#include "io/traces/trace.h"
#include "model/trace.h"

namespace penstock {

/// Reads what parse_time() reads, with a fast path for "2017-10-09 07:01:55".
std::optional<Time> parse_date_time(std::string_view text);

/// The seconds in the units that traces count in.
inline constexpr double kSecond = 1;
inline constexpr double kMinute = 60;
inline constexpr double kHour = 3600;

/// What is wrong with a row.
struct Fault {
  std::string field{};
  std::string reason{};  ///< the kind of fault, by which rows are counted
  std::string what{};    ///< what is wrong with this one
};

/// One row of a trace on its way to becoming a job. It keeps the first fault that
/// is found; what is read after that is not used.
class Row {
 public:
  /// Fills `job`. `place` is the line, or the index in the JSON list `list`.
  Row(TracedJob& job_to_fill, std::uint64_t place, std::string_view list = {})
      : job(job_to_fill), place_(place), list_(list) {}

  TracedJob& job;

  void fail(std::string_view field, std::string_view reason, std::string what);
  /// Leaves the row out: it is not a GPU job.
  void leave_out(std::string_view reason);

  double number(std::string_view field, std::string_view text);
  /// A positive length of time.
  Duration duration(std::string_view field, double value, double unit);
  Duration duration(std::string_view field, std::string_view text, double unit) {
    return duration(field, number(field, text), unit);
  }
  /// An instant, given as its distance from t = 0.
  Time offset(std::string_view field, double value, double unit);
  Time offset(std::string_view field, std::string_view text, double unit) {
    return offset(field, number(field, text), unit);
  }
  /// An instant, given as a date.
  Time date(std::string_view field, std::string_view text);
  /// A positive whole number of devices.
  std::uint32_t gpus(std::string_view field, double value);
  std::uint32_t gpus(std::string_view field, std::string_view text) {
    return gpus(field, number(field, text));
  }
  /// A deadline, which must not lie before the submission.
  Time deadline(std::string_view field, Time when);

  bool is_good() const { return !fault_ && left_out_.empty(); }
  const std::optional<Fault>& fault() const { return fault_; }
  const std::string& left_out() const { return left_out_; }
  /// "file:12", or "file:jobs[3]".
  std::string where(const std::string& file) const;

 private:
  std::uint64_t place_;
  std::string_view list_;
  std::optional<Fault> fault_;
  std::string left_out_;
};

/// What a reader hands its rows to: keeps the good ones, counts the others, and
/// in strict mode remembers the first bad one and asks the reader to stop.
class TraceRows {
 public:
  TraceRows(std::string file, bool strict) : strict_(strict) { report_.file = std::move(file); }

  const std::string& file() const { return report_.file; }
  /// Room for as many jobs as a text of this many bytes may have.
  void expect(std::size_t rows) { jobs_.reserve(rows); }

  /// A fresh job to fill, valid until close() or the next open().
  TracedJob& open() { return jobs_.emplace_back(); }
  /// Keeps the row, or drops it if it is not good. False when reading must stop.
  bool close(const Row& row);
  /// Keeps the row, or leaves a gap whose children wait for its parents: for traces whose jobs name
  /// each other by index. False when reading must stop.
  bool close_or_gap(const Row& row);

  /// Fails the row if an earlier one had this identifier, which must outlive us.
  void unique(Row& row, std::string_view field, std::string_view id);
  /// Fails the row if it has more or fewer cells than the head.
  static void whole(Row& row, const CsvTable& table);

  /// Reads the rows of a table: fill(row) makes a job of the table's current row. Rows with more or
  /// fewer cells than the head are refused.
  template <class Fill>
  Result<Done> read_table(CsvTable& table, const Fill& fill) {
    while (table.next()) {
      Row row(open(), table.line());
      whole(row, table);
      fill(row);
      if (!close(row)) break;
    }
    return Done{};
  }

  void note(std::string text) { report_.notes.push_back(std::move(text)); }
  /// The submissions are dates, not distances from t = 0.
  void dated() { report_.dated = true; }
  void unit(std::string_view unit, std::string_view reason);

  /// Nothing wrong, or the first bad row of strict mode.
  Result<Done> outcome() const;

  std::vector<TracedJob>& jobs() { return jobs_; }
  /// Per job whether it is a gap; empty if there are none.
  std::vector<bool>& gaps() { return gaps_; }
  bool has_parents() const { return has_parents_; }
  TraceReport& report() { return report_; }

 private:
  bool count(const Row& row);

  bool strict_;
  bool has_parents_ = false;
  std::vector<TracedJob> jobs_;
  std::vector<bool> gaps_;
  std::unordered_set<std::string_view> ids_;
  std::optional<Error> first_bad_;
  TraceReport report_;
};

/// Adds one to the count of `reason`, with an example while there are few.
void count_dropped(std::vector<DroppedRows>& dropped, const std::string& reason,
                   const std::string& example);

}  // namespace penstock

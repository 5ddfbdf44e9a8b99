#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "io/text/csv.h"
#include "io/traces/row.h"
#include "io/traces/trace.h"

namespace penstock {

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
  /// The same, but a dropped row stays as a gap whose children wait for its
  /// parents: for traces whose jobs name each other by index.
  bool close_or_gap(const Row& row);

  /// Fails the row if an earlier one had this identifier, which must outlive us.
  void unique(Row& row, std::string_view field, std::string_view id);
  /// Fails the row if it has more or fewer cells than the head.
  static void whole(Row& row, const CsvTable& table);

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

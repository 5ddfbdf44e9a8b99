#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/measures/run_summary.h"

namespace penstock {

/// A column of text for each run, behind those of measures.
struct TextColumn {
  std::string head{};
  std::vector<std::string> values{};
};

struct TableStyle {
  bool colour = false;      ///< best values bold and changes dim; else best values have a star
  std::size_t width = 120;  ///< long policy names give way first
  std::string currency{};   ///< unit of money in the head
  std::vector<TextColumn> text_columns{};
};

/// The runs as rows, their main measures as columns, in the largest unit that suits
/// each column. Below each value its change against the first row. Columns in which
/// every run has nothing or zero are left out.
std::string render_table(std::span<const RunSummary> runs, const TableStyle& style);

/// A label for each run: its policy, and the options that not all runs share.
std::vector<std::string> run_labels(std::span<const RunSummary> runs);

}  // namespace penstock

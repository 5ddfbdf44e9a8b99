#include "io/scenario/fees.h"

#include <fmt/format.h>

#include "io/text/csv.h"
#include "io/text/file.h"
#include "io/text/number.h"

namespace penstock {
namespace {

/// What one region pays to send.
Result<Done> read_row(const CsvTable& table, FeeMatrix& matrix) {
  const std::string from(table.cell(0));
  if (!table.is_whole()) return Error{"has not as many cells as the head"};
  for (std::size_t i = 1; i < table.columns().size(); ++i) {
    const std::string& to = table.columns()[i];
    auto fee = parse_number<double>(table.cell(i));
    if (!fee) return std::move(fee).error().in(to);
    if (*fee < 0) return Error{fmt::format("{}: a fee of {} is negative", to, *fee)};
    if (!matrix.fees.try_emplace({from, to}, *fee).second)
      return Error{fmt::format("there are two fees from '{}' to '{}'", from, to)};
  }
  return Done{};
}

}  // namespace

Result<FeeMatrix> parse_fees(std::string_view text, const std::string& file) {
  auto table = CsvTable::open(text, file);
  if (!table) return std::move(table).error();
  const std::vector<std::string>& head = table->columns();
  FeeMatrix matrix{.regions = {head.begin() + 1, head.end()}};
  while (table->next())
    if (auto read = read_row(*table, matrix); !read)
      return std::move(read).error().in(table->where());
  if (matrix.fees.empty()) return Error{file + ": has no fees"};
  return matrix;
}

Result<FeeMatrix> read_fees(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  return parse_fees(*text, path.string());
}

}  // namespace penstock

#include "app/training_score.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "io/text/csv.h"
#include "io/text/number.h"

namespace penstock {
namespace {

/// One network's part of the curve so far.
struct Reached {
  std::uint64_t updates = 0;
  std::optional<double> first{};
  std::optional<double> best{};
  double reference = 0;
};

}  // namespace

Result<TrainingScore> score_of_curve(std::string_view csv, const std::string& file) {
  auto table = CsvTable::open(csv, file);
  if (!table) return std::move(table).error();
  const auto columns = table->columns(
      {"network", "update", "validation_return", "best_validation_return", "reference_return"});
  if (!columns) return columns.error();
  std::map<std::string, Reached, std::less<>> networks;
  while (table->next()) {
    Reached& network = networks[std::string(table->cell((*columns)[0]))];
    const auto number = [&](std::size_t column) {
      const auto value = parse_number<double>(table->cell((*columns)[column]));
      return value ? std::optional(*value) : std::nullopt;
    };
    network.updates = static_cast<std::uint64_t>(number(1).value_or(0));
    if (!network.first) network.first = number(2);
    if (const auto best = number(3)) network.best = best;
    network.reference = number(4).value_or(0);
  }
  if (networks.empty()) return Error{file + ": has no rows"};
  TrainingScore score{.networks = networks.size()};
  const auto share = 1.0 / static_cast<double>(networks.size());
  for (const auto& [name, network] : networks) {
    if (!network.first || !network.best)
      return Error{fmt::format("{}: {} was never validated", file, name)};
    score.updates += network.updates;
    score.first += share * *network.first;
    score.best += share * *network.best;
    score.reference += share * network.reference;
  }
  return score;
}

}  // namespace penstock

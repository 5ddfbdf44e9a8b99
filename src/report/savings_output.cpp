#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/savings.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json or_null(const std::optional<Time>& when) {
  return when ? Json(format_time(*when)) : Json(nullptr);
}

Json to_json(const MeasureValues& values) {
  Json out = Json::object();
  for (std::size_t i = 0; i < kMeasureCount; ++i)
    out[std::string(kSavingMeasures[i])] = or_null(values[i]);
  return out;
}

Json to_json(const std::optional<Saving>& saving) {
  if (!saving) return nullptr;
  return {{"value", saving->value},
          {"low", saving->low},
          {"high", saving->high},
          {"percent", or_null(saving->percent)}};
}

/// What a reader makes of it.
std::string_view verdict(const Saving& saving) {
  if (saving.low > 0) return "less";
  if (saving.high < 0) return "more";
  return saving.low == 0 && saving.high == 0 ? "the same" : "not distinguishable";
}

std::string cell(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "-";
}

std::string line_of(const Savings& savings, std::size_t measure) {
  const auto& saved = savings.saved[measure];
  const auto& error = savings.model_error[measure];
  std::string name(kSavingMeasures[measure]);
  if (name == "cost" && !savings.currency.empty()) name += " " + savings.currency;
  return fmt::format("{:<17} {:>10} {:>10} {:>10} {:>10}  {:<25} {:>7} {:>8}  {}\n", name,
                     cell(savings.happened[measure]), cell(savings.former_would[measure]),
                     cell(savings.policy_would[measure]), saved ? cell(saved->value) : "-",
                     saved ? fmt::format("{:.4g} to {:.4g}", saved->low, saved->high) : "-",
                     saved && saved->percent ? fmt::format("{:.1f} %", *saved->percent) : "-",
                     error ? fmt::format("{:+.1f} %", 100 * *error) : "-",
                     saved ? verdict(*saved) : "");
}

}  // namespace

std::string savings_json(const Savings& savings) {
  Json saved = Json::object();
  for (std::size_t i = 0; i < kMeasureCount; ++i)
    saved[std::string(kSavingMeasures[i])] = to_json(savings.saved[i]);
  const Json out{{"mode", savings.mode},
                 {"policy", savings.policy},
                 {"former", savings.former},
                 {"currency", savings.currency},
                 {"jobs", savings.jobs},
                 {"from", or_null(savings.from)},
                 {"until", or_null(savings.until)},
                 {"happened", to_json(savings.happened)},
                 {"replayed", to_json(savings.replayed())},
                 {"former_would", to_json(savings.former_would)},
                 {"policy_would", to_json(savings.policy_would)},
                 {"saved", saved},
                 {"model_error", to_json(savings.model_error)},
                 {"method", kSavingsMethod},
                 {"notes", savings.notes}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string savings_text(const Savings& savings) {
  if (std::ranges::none_of(savings.saved, [](const auto& each) { return each.has_value(); }))
    return fmt::format("{}\n", fmt::join(savings.notes, "\n"));
  const auto when = [](const std::optional<Time>& t) { return t ? format_time(*t) : "-"; };
  std::string text = fmt::format("{} jobs, {} to {}, mode {}\npolicy {}\nformer {}\n\n",
                                 savings.jobs, when(savings.from), when(savings.until),
                                 savings.mode, savings.policy, savings.former);
  text += fmt::format("{:<17} {:>10} {:>10} {:>10} {:>10}  {:<25} {:>7} {:>8}\n", "", "happened",
                      "former*", "policy*", "saved", "95 % interval", "", "error*");
  for (std::size_t i = 0; i < kMeasureCount; ++i) text += line_of(savings, i);
  text += fmt::format("\n* simulated; {}\n", kSavingsMethod);
  for (const std::string& note : savings.notes) text += fmt::format("note: {}\n", note);
  return text;
}

}  // namespace penstock

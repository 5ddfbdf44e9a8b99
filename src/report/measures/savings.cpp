#include "report/measures/savings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/rng.h"

namespace penstock {

// What follows from the jobs

namespace {

constexpr std::size_t kBlockDraws = 1000;
constexpr std::size_t kFirstMean = 3;  ///< the measures before are sums

/// One measure of all jobs that have it, once per world.
struct MeasureColumn {
  std::vector<double> happened{};
  std::vector<double> former{};
  std::vector<double> ours{};
};

MeasureColumn column_of(std::span<const ComparedJob> jobs, std::size_t measure) {
  MeasureColumn column;
  for (const ComparedJob& job : jobs) {
    if (!job.happened[measure] || !job.former[measure] || !job.ours[measure]) continue;
    column.happened.push_back(*job.happened[measure]);
    column.former.push_back(*job.former[measure]);
    column.ours.push_back(*job.ours[measure]);
  }
  return column;
}

double total(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/// Sums of as many jobs, drawn in blocks of neighbours: what follows each other shares a queue.
std::vector<double> drawn_sums(const std::vector<double>& gains) {
  const std::size_t jobs = gains.size();
  const auto block = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(jobs))));
  Rng rng = Rng(jobs).stream("savings");
  std::vector<double> sums(kBlockDraws, 0);
  for (double& sum : sums)
    for (std::size_t drawn = 0; drawn < jobs;) {
      const std::size_t begin = rng.below(jobs);
      for (std::size_t i = 0; i < block && drawn < jobs; ++i, ++drawn)
        sum += gains[(begin + i) % jobs];
    }
  std::ranges::sort(sums);
  return sums;
}

Saving saving_of(const MeasureColumn& column, double scale, double missed) {
  std::vector<double> gains(column.former.size());
  for (std::size_t i = 0; i < gains.size(); ++i) gains[i] = column.former[i] - column.ours[i];
  const std::vector<double> sums = drawn_sums(gains);
  const double former = total(column.former);
  Saving saving{.value = total(gains) * scale,
                .low = sums[kBlockDraws / 40] * scale - missed,
                .high = sums[kBlockDraws - 1 - kBlockDraws / 40] * scale + missed};
  if (former > 0) saving.percent = 100 * saving.value / (former * scale);
  return saving;
}

}  // namespace

void compare(std::span<const ComparedJob> jobs, Savings& savings) {
  savings.jobs = jobs.size();
  for (std::size_t measure = 0; measure < kMeasureCount; ++measure) {
    const MeasureColumn column = column_of(jobs, measure);
    const auto count = static_cast<double>(column.happened.size());
    if (count == 0) continue;
    const double scale = measure < kFirstMean ? 1 : 1 / count;
    const double happened = total(column.happened) * scale;
    savings.happened[measure] = happened;
    savings.former_would[measure] = total(column.former) * scale;
    savings.policy_would[measure] = total(column.ours) * scale;
    const double missed = *savings.replayed()[measure] - happened;
    if (happened > 0) savings.model_error[measure] = missed / happened;
    savings.saved[measure] = saving_of(column, scale, std::abs(missed));
  }
}

// As JSON and as text

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

#include "serve/api/journal_pages.h"

#include <algorithm>
#include <chrono>

#include "io/json/json_at.h"
#include "journal/journal_reader.h"
#include "journal/log.h"
#include "serve/api/api.h"
#include "serve/api/job_view.h"

namespace penstock {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t kUsualDecisions = 100;
constexpr std::int64_t kMostDecisions = 1000;

using Lines = std::vector<std::pair<Time, ordered_json>>;

template <class Line>
ordered_json beginning_of(const Line& line) {
  return {{"id", line.id},
          {"when", format_time(line.when)},
          {"site", line.site},
          {"job", line.job ? ordered_json(*line.job) : ordered_json()}};
}

ordered_json page_line(const JournalRequest& request) {
  ordered_json line = beginning_of(request);
  line["action"] = request.verb;
  line["text"] = request_text(request);
  line["reason"] = request.reason;
  line["state"] = name_of(request.state);
  line["answer"] = request.answer;
  return line;
}

/// Of an entry `would`.
ordered_json page_line(const JournalEntry& entry) {
  const auto detail = nlohmann::json::parse(entry.detail, nullptr, false);
  ordered_json line = beginning_of(entry);
  for (const char* name : {"action", "text", "reason"}) line[name] = text_at(detail, name);
  line["state"] = "would";
  line["answer"] = text_at(detail, "why");
  return line;
}

}  // namespace

ApiResponse decisions_page(const std::filesystem::path& journal, const ApiQuery& look,
                           const std::optional<NumberedJob>& about) {
  const std::int64_t limit = int_parameter(look, "limit", kUsualDecisions, kMostDecisions);
  auto reader = JournalReader::open(journal);
  if (!reader) return api_error(503, reader.error().message);
  const auto requests = reader->last_requests(limit, about);
  if (!requests) return api_error(503, requests.error().message);
  const auto would = reader->last_entries("would", limit, about);
  if (!would) return api_error(503, would.error().message);
  Lines lines;
  for (const JournalRequest& each : *requests) lines.emplace_back(each.when, page_line(each));
  for (const JournalEntry& each : *would) lines.emplace_back(each.when, page_line(each));
  std::ranges::stable_sort(lines, [](const auto& a, const auto& b) { return a.first > b.first; });
  if (lines.size() > static_cast<std::size_t>(limit)) lines.resize(static_cast<std::size_t>(limit));
  ordered_json list = ordered_json::array();
  for (auto& [when, line] : lines) list.push_back(std::move(line));
  return json_response({{"decisions", list}});
}

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::int64_t kUsualHours = 24;
constexpr std::int64_t kMostHours = std::int64_t{24} * 366;
constexpr std::int64_t kDefaultEndedRows = 500;
constexpr std::int64_t kMostEndedRows = 10'000;

std::optional<Time> time_at(const json& object, const char* name) {
  const std::int64_t ms = whole_at(object, name);
  return ms > 0 ? std::optional(Time(Duration(ms))) : std::nullopt;
}

/// As it is in the entry, null if it is not.
ordered_json number_at(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return {};
  return *found;
}

/// Null if nobody knows at which the GPUs ran.
ordered_json clock_in(const json& run) {
  const ordered_json clock = number_at(run, "clock_mhz");
  return clock.is_number() && clock.get<double>() > 0 ? clock : ordered_json();
}

/// When a job had GPUs, over all its runs.
struct Stay {
  std::optional<Time> first{};
  std::optional<Time> last{};
  Duration held{};
};

Stay stay_of(const json& runs) {
  Stay stay;
  for (const json& run : runs) {
    const auto started = time_at(run, "started_ms");
    const auto ended = time_at(run, "ended_ms");
    if (started && !stay.first) stay.first = started;
    if (ended) stay.last = ended;
    if (started && ended) stay.held += *ended - *started;
  }
  return stay;
}

/// What it was, and with what it ran last.
ordered_json life_of(const JournalEntry& entry, const json& detail, const Stay& stay) {
  const json& runs = list_at(detail, "runs");
  const json last = runs.empty() ? json::object() : runs.back();
  return {{"id", entry.site + "/" + text_at(detail, "ref")},
          {"site", entry.site},
          {"job", entry.job ? ordered_json(*entry.job) : ordered_json()},
          {"ref", text_at(detail, "ref")},
          {"name", text_at(detail, "name")},
          {"user", text_at(detail, "user")},
          {"partition", text_at(detail, "partition")},
          {"state", "ended"},
          {"gpus", whole_at(last, "gpus")},
          {"gpus_asked", number_at(detail, "gpus")},
          {"nodes", list_at(last, "nodes")},
          {"clock_mhz", clock_in(last)},
          {"submitted", time_json(time_at(detail, "submitted_ms"))},
          {"started", time_json(stay.first)},
          {"expected_end", nullptr},
          {"ended", time_json(stay.last.value_or(entry.when))},
          {"deadline", time_json(time_at(detail, "deadline_ms"))},
          {"priority", number_at(detail, "priority")},
          {"kind", text_at(detail, "kind")},
          {"why", ""},
          {"outcome", text_at(detail, "state")},
          {"exit_code", number_at(detail, "exit_code")}};
}

bool is_wanted(const ordered_json& row, const ApiQuery& look) {
  const auto fits = [&](const char* name) {
    const std::string wanted = text_parameter(look, name);
    return wanted.empty() || row[name] == wanted;
  };
  return fits("user") && fits("site");
}

}  // namespace

std::optional<ordered_json> ended_row(const JournalEntry& entry, const std::string& currency) {
  const json detail = json::parse(entry.detail, nullptr, false);
  if (!detail.is_object()) return std::nullopt;
  const json& runs = list_at(detail, "runs");
  const Stay stay = stay_of(runs);
  const auto submitted = time_at(detail, "submitted_ms");
  ordered_json row = life_of(entry, detail, stay);
  row["runs"] = runs.size();
  row["wait_s"] = submitted && stay.first
                      ? ordered_json(std::max(0.0, seconds(*stay.first - *submitted)))
                      : ordered_json();
  row["run_s"] = seconds(stay.held);
  for (const char* name : {"energy_j", "cost", "carbon_g", "predicted_cost"})
    row[name] = number_at(detail, name);
  row["currency"] = currency.empty() ? ordered_json() : ordered_json(currency);
  return row;
}

Result<std::optional<JournalEntry>> ended_entry(Journal& journal, const std::string& site,
                                                std::int64_t job) {
  auto entries = journal.entries(site, job);
  if (!entries) return std::move(entries).error();
  std::optional<JournalEntry> last;
  for (JournalEntry& entry : *entries)
    if (entry.what == "ended") last = std::move(entry);
  return last;
}

ApiResponse ended_page(const std::filesystem::path& journal, const ApiQuery& look,
                       const std::string& currency) {
  const std::int64_t hours = int_parameter(look, "hours", kUsualHours, kMostHours);
  const auto limit =
      static_cast<std::size_t>(int_parameter(look, "limit", kDefaultEndedRows, kMostEndedRows));
  const Time now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  auto reader = JournalReader::open(journal);
  if (!reader) return api_error(503, reader.error().message);
  ordered_json rows = ordered_json::array();
  bool more = false;
  const auto done =
      reader->latest("ended", now - std::chrono::hours(hours), [&](const auto& entry) {
        auto row = ended_row(entry, currency);
        if (!row || !is_wanted(*row, look)) return true;
        more = rows.size() >= limit;
        if (!more) rows.push_back(*std::move(row));
        return !more;
      });
  if (!done) return api_error(503, done.error().message);
  return json_response({{"hours", hours}, {"more", more}, {"jobs", rows}});
}

}  // namespace penstock

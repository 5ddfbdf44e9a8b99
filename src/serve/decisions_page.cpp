#include "serve/decisions_page.h"

#include <algorithm>

#include "live/json_at.h"
#include "serve/look.h"
#include "serve/request_text.h"

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

ordered_json line_of(const JournalRequest& request) {
  ordered_json line = beginning_of(request);
  line["action"] = request.verb;
  line["text"] = request_text(request);
  line["reason"] = request.reason;
  line["state"] = name_of(request.state);
  line["answer"] = request.answer;
  return line;
}

/// Of an entry `would`.
ordered_json line_of(const JournalEntry& entry) {
  const auto detail = nlohmann::json::parse(entry.detail, nullptr, false);
  ordered_json line = beginning_of(entry);
  for (const char* name : {"action", "text", "reason"}) line[name] = text_at(detail, name);
  line["state"] = "would";
  line["answer"] = text_at(detail, "why");
  return line;
}

}  // namespace

ApiAnswer decisions_page(const std::filesystem::path& journal, const ApiLook& look,
                         const std::optional<NumberedJob>& about) {
  const std::int64_t limit = whole_in(look, "limit", kUsualDecisions, kMostDecisions);
  auto reader = JournalReader::open(journal);
  if (!reader) return api_error(503, reader.error().message);
  const auto requests = reader->last_requests(limit, about);
  if (!requests) return api_error(503, requests.error().message);
  const auto would = reader->last_entries("would", limit, about);
  if (!would) return api_error(503, would.error().message);
  Lines lines;
  for (const JournalRequest& each : *requests) lines.emplace_back(each.when, line_of(each));
  for (const JournalEntry& each : *would) lines.emplace_back(each.when, line_of(each));
  std::ranges::stable_sort(lines, [](const auto& a, const auto& b) { return a.first > b.first; });
  if (lines.size() > static_cast<std::size_t>(limit)) lines.resize(static_cast<std::size_t>(limit));
  ordered_json list = ordered_json::array();
  for (auto& [when, line] : lines) list.push_back(std::move(line));
  return as_answer({{"decisions", list}});
}

}  // namespace penstock

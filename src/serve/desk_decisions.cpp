// What was decided, or would have been, the latest first.
#include <algorithm>

#include "live/json_at.h"
#include "serve/desk.h"
#include "serve/look.h"
#include "serve/request_text.h"

namespace penstock {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t kMostDecisions = 1000;

/// About one job, or any.
struct Wanted {
  std::string site{};
  std::optional<std::int64_t> job{};
  bool has(const std::string& of_site) const { return site.empty() || site == of_site; }
};

using Lines = std::vector<std::pair<Time, ordered_json>>;

template <class Line>
ordered_json beginning_of(const Line& line) {
  return {{"id", line.id},
          {"when", format_time(line.when)},
          {"site", line.site},
          {"job", line.job ? ordered_json(*line.job) : ordered_json()}};
}

Result<Done> add_requests(Journal& journal, const Wanted& wanted, std::int64_t limit,
                          Lines& lines) {
  const auto requests = journal.latest_requests(limit, wanted.job);
  if (!requests) return requests.error();
  for (const JournalRequest& request : *requests) {
    if (!wanted.has(request.site)) continue;
    ordered_json line = beginning_of(request);
    line["action"] = request.verb;
    line["text"] = request_text(request);
    line["reason"] = request.reason;
    line["state"] = name_of(request.state);
    line["answer"] = request.answer;
    lines.emplace_back(request.when, std::move(line));
  }
  return Done{};
}

Result<Done> add_shadows(Journal& journal, const Wanted& wanted, std::int64_t limit, Lines& lines) {
  const auto would = journal.latest_entries("would", limit, wanted.job);
  if (!would) return would.error();
  for (const JournalEntry& entry : *would) {
    if (!wanted.has(entry.site)) continue;
    const auto detail = nlohmann::json::parse(entry.detail, nullptr, false);
    ordered_json line = beginning_of(entry);
    for (const char* name : {"action", "text", "reason"}) line[name] = text_at(detail, name);
    line["state"] = "would";
    line["answer"] = text_at(detail, "why");
    lines.emplace_back(entry.when, std::move(line));
  }
  return Done{};
}

}  // namespace

ApiAnswer Desk::decisions(const ApiLook& look) const {
  const std::int64_t limit = whole_in(look, "limit", 100, kMostDecisions);
  Wanted wanted;
  if (const std::string id = text_in(look, "job"); !id.empty()) {
    const auto found = find(id);
    if (!found) return api_error(404, "there is no job '" + id + "'; possible: SITE/NUMBER");
    const SlurmSite& site = around_.backend.site(found->first);
    wanted = {.site = site.options().name, .job = number_of(site, found->second)};
  }
  Lines lines;
  if (auto done = add_requests(around_.journal, wanted, limit, lines); !done)
    return api_error(503, done.error().message);
  if (auto done = add_shadows(around_.journal, wanted, limit, lines); !done)
    return api_error(503, done.error().message);
  std::ranges::stable_sort(lines, [](const auto& a, const auto& b) { return a.first > b.first; });
  if (lines.size() > static_cast<std::size_t>(limit)) lines.resize(static_cast<std::size_t>(limit));
  ordered_json list = ordered_json::array();
  for (auto& [when, line] : lines) list.push_back(std::move(line));
  return as_answer({{"decisions", list}});
}

}  // namespace penstock

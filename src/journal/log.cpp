#include "journal/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "io/json/json_at.h"

namespace penstock {

void log_line(Time now, std::string_view level, std::string_view what, std::string_view text) {
  const nlohmann::ordered_json line{
      {"when", format_time(now)}, {"level", level}, {"what", what}, {"text", text}};
  log_json(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void log_json(const std::string& line) {
  const std::string written = line + "\n";
  std::fwrite(written.data(), 1, written.size(), stderr);
}

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kMostOpen = 10'000;
/// Entries that nobody misses in a log: what they say is told with the job's end, or is no event.
constexpr std::array<std::string_view, 1> kLeftOut{"run"};
/// Those about jobs that have no number yet, and about nodes.
constexpr std::array<std::string_view, 4> kOfNoJob{"pooled", "unpooled", "not taken", "node"};
constexpr std::array<std::string_view, 2> kWarnings{"start undone", "does not stop"};

template <std::size_t n>
bool is_in(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// What all lines have.
ordered_json log_line(Time when, std::string_view what, const std::string& site,
                      const std::optional<std::int64_t>& job, const std::string& user) {
  ordered_json line{{"when", format_time(when)},
                    {"level", is_in(kWarnings, what) ? "warning" : "info"},
                    {"what", what},
                    {"site", site}};
  if (job) line["job"] = *job;
  if (!user.empty()) line["user"] = user;
  return line;
}

std::string written(const ordered_json& line) {
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

Result<Done> JobLog::write(std::span<JournalEntry> entries, std::span<JournalRequest> requests,
                           std::span<const JournalAnswer> answers) {
  auto done = inner_.write(entries, requests, answers);
  if (!done) return done;  // it is tried again
  for (const JournalEntry& entry : entries) log_entry(entry);
  for (const JournalRequest& request : requests) log_request(request);
  for (const JournalAnswer& answer : answers) log_answer(answer);
  return done;
}

std::string JobLog::user_of(const std::string& site, const std::optional<std::int64_t>& job) const {
  const auto found = job ? users_.find({site, *job}) : users_.end();
  return found == users_.end() ? "" : found->second;
}

void JobLog::log_entry(const JournalEntry& entry) {
  if (is_in(kLeftOut, entry.what) || (!entry.job && !is_in(kOfNoJob, entry.what))) return;
  const json detail = json::parse(entry.detail, nullptr, false);
  const std::string named = text_at(detail, "user");
  if (entry.job && !named.empty()) users_[{entry.site, *entry.job}] = named;
  ordered_json line =
      log_line(entry.when, entry.what, entry.site, entry.job, user_of(entry.site, entry.job));
  line["text"] = text_at(detail, "text");
  if (const std::string reason = text_at(detail, "reason"); !reason.empty())
    line["reason"] = reason;
  if (entry.what == "ended") {
    for (const char* name : {"energy_j", "cost", "carbon_g", "predicted_cost"})
      if (detail.is_object() && detail.contains(name)) line[name] = detail[name];
    if (entry.job) users_.erase({entry.site, *entry.job});
  }
  write_line_(written(line));
}

void JobLog::log_request(const JournalRequest& request) {
  ordered_json line = log_line(request.when, request.verb, request.site, request.job,
                               user_of(request.site, request.job));
  const std::string text = request_text(request);
  line["text"] = text;
  line["state"] = name_of(request.state);
  line["reason"] = request.reason;
  if (request.state == RequestState::sent) open_[request.id] = {request.site, request.job, text};
  if (open_.size() > kMostOpen) open_.erase(open_.begin());  // some are never answered
  write_line_(written(line));
}

void JobLog::log_answer(const JournalAnswer& answer) {
  const auto found = open_.find(answer.request);
  if (found == open_.end()) return;  // of an earlier process, or logged before
  const Open open = std::move(found->second);
  open_.erase(found);
  ordered_json line = log_line(answer.when, name_of(answer.state), open.site, open.job,
                               user_of(open.site, open.job));
  line["text"] = open.text;
  if (!answer.text.empty()) line["reason"] = answer.text;
  write_line_(written(line));
}

std::string request_text(const JournalRequest& request) {
  const auto detail = nlohmann::json::parse(request.detail, nullptr, false);
  std::string text = request.verb;
  if (!detail.is_object()) return text;
  std::uint64_t nodes = 0;
  const auto named = detail.find("nodes");
  if (named != detail.end() && named->is_array())
    for (const auto& node : *named)
      if (node.is_string()) text += (nodes++ == 0 ? " on " : " ") + node.get<std::string>();
  const auto gpus = detail.find("gpus_per_node");
  if (nodes == 0 || gpus == detail.end() || !gpus->is_number_unsigned()) return text;
  const std::uint64_t all = nodes * gpus->get<std::uint64_t>();
  return text + fmt::format(" with {} {}", all, all == 1 ? "GPU" : "GPUs");
}

}  // namespace penstock

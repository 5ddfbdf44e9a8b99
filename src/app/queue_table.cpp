#include "app/queue_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "app/daemon_call.h"
#include "app/terminal.h"
#include "base/units.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestName = 24;
constexpr std::size_t kLongestNodes = 28;

int rank_of(const Json& job) {
  const std::string state = member_text(job, "state");
  if (state == "ended") return 2;
  return state == "queued" ? 1 : 0;
}

/// Numbers count as numbers where the rest is the same: job 9 comes before job 10.
std::tuple<std::string, std::size_t, std::string> by_submission(const Json& job) {
  const std::string id = member_text(job, "id");
  return {member_text(job, "submitted"), id.size(), id};
}

bool comes_before(const Json& a, const Json& b) {
  if (rank_of(a) != rank_of(b)) return rank_of(a) < rank_of(b);
  if (rank_of(a) == 2 && member_text(a, "ended") != member_text(b, "ended"))
    return member_text(a, "ended") > member_text(b, "ended");
  return by_submission(a) < by_submission(b);
}

/// "2026-03-01T00:05:00Z" is "03-01 00:05:00".
std::string time_in(const Json& job, const char* key) {
  std::string text = member_text(job, key);
  if (text.size() < 20 || text[10] != 'T') return text;
  return text.substr(5, 5) + " " + text.substr(11, 8);
}

/// Its beginning, if it is longer than `most` letters.
std::string cut(const std::string& text, std::size_t most) {
  std::size_t letters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0u) != 0x80u;
    if (begins && letters++ == most) return text.substr(0, at) + "…";
  }
  return text;
}

std::string gpus_of(const Json& job) {
  const std::string held = member_text(job, "gpus");
  const std::string asked = member_text(job, "gpus_asked");
  return held == asked ? held : held + "/" + asked;
}

std::string number_in(const Json& job, const char* key, double unit) {
  const auto found = job.find(key);
  if (found == job.end() || !found->is_number()) return "-";
  return fmt::format("{:.4g}", found->get<double>() / unit);
}

std::string state_of(const Json& job) {
  const std::string outcome = member_text(job, "outcome");
  return outcome == "-" ? member_text(job, "state") : outcome;
}

std::vector<std::string> row_of(const Json& job, bool bills) {
  const bool is_over = rank_of(job) == 2;
  std::vector<std::string> row{member_text(job, "id"),
                               state_of(job),
                               member_text(job, "user"),
                               cut(member_text(job, "name"), kLongestName),
                               member_text(job, "partition"),
                               gpus_of(job),
                               member_text(job, "clock_mhz"),
                               cut(member_text(job, "nodes"), kLongestNodes),
                               time_in(job, "submitted"),
                               time_in(job, "started"),
                               time_in(job, is_over ? "ended" : "expected_end")};
  if (bills) {
    row.push_back(number_in(job, "energy_j", kJoulesPerKwh));
    row.push_back(number_in(job, "cost", 1));
  }
  row.push_back(member_text(job, "why"));
  return row;
}

/// The unit of what jobs cost; empty if none of them says.
std::string currency_of(const std::vector<Json>& jobs) {
  for (const Json& job : jobs)
    if (const std::string unit = member_text(job, "currency"); unit != "-") return "_" + unit;
  return "";
}

}  // namespace

void sort_queue(std::vector<Json>& jobs) {
  std::ranges::stable_sort(jobs, comes_before);
}

std::string queue_table(const std::vector<Json>& jobs, bool bills) {
  std::vector<std::string> head{"JOB",
                                "STATE",
                                "USER",
                                "NAME",
                                "PARTITION",
                                "GPUS",
                                "CLOCK_MHZ",
                                "NODES",
                                "SUBMITTED_UTC",
                                "STARTED_UTC",
                                bills ? "END_UTC" : "EXPECTED_END_UTC"};
  if (bills) {
    head.emplace_back("ENERGY_KWH");
    head.push_back("COST" + currency_of(jobs));
  }
  head.emplace_back("WHY");
  std::vector<std::vector<std::string>> rows{std::move(head)};
  for (const Json& job : jobs) rows.push_back(row_of(job, bills));
  return align_rows(rows);
}

}  // namespace penstock

#include "serve/api/job_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "policy/reasons.h"

namespace penstock {
namespace {

constexpr Duration kFresh = std::chrono::minutes(1);  ///< said longer ago: shown with the time

}  // namespace

std::string SchedulerSnapshot::policy_reason(JobId job) const {
  const WaitReasons::Reason* reason = waits_ == nullptr ? nullptr : waits_->find(job);
  if (reason == nullptr) return "";
  if (now_ - reason->when <= kFresh) return reason->text;
  return fmt::format("{} (at {})", reason->text, clock_label(reason->when, now_));
}

std::string SchedulerSnapshot::why_waiting(const JobState& job, SiteId site) const {
  if (job.phase != Phase::queued) return "";
  if (std::string reason = policy_reason(job.job.id); !reason.empty()) return reason;
  return fmt::format("waits for its turn: asks for {}, {} free", gpus_label(job.job.gpus),
                     free_gpus(site, job.job.gpu_types));
}

std::uint32_t SchedulerSnapshot::free_gpus(SiteId site, std::uint64_t gpu_types) const {
  const auto [at, is_new] = free_.try_emplace({site, gpu_types}, 0);
  if (!is_new) return at->second;
  const Cluster& cluster = state_->cluster();
  const Site& place = cluster.sites[site.index];
  for (std::uint32_t i = 0; i < place.nodes; ++i) {
    const NodeId id{place.first_node.index + i};
    const bool suits = (gpu_types >> cluster.node(id).type.index & 1) != 0;
    if (suits && state_->node(id).phase != NodePhase::down) at->second += state_->node(id).free;
  }
  return at->second;
}

namespace {

using nlohmann::ordered_json;

/// When it will be done if it goes on as it does.
std::optional<Time> expected_end(const JobState& job, Time now) {
  if (job.phase != Phase::running || !(job.speed > Speed{})) return std::nullopt;
  return std::max(now, job.work_begins) + job.left_at(now) / job.speed;
}

std::string why_it_is_so(const TrackedJob& job) {
  if (job.handed_over) return "it is left to Slurm";
  if (job.not_before)
    return "its last start failed; it rests until " + format_time(*job.not_before);
  switch (job.op.kind) {
    case PendingOp::Kind::starting:
      return "Slurm was asked to start it";
    case PendingOp::Kind::saving:
      return "it was told to write a checkpoint";
    case PendingOp::Kind::requeuing:
      return "it was told to stop";
    case PendingOp::Kind::none:
      break;
  }
  if (!job.id && job.seen.phase == SlurmJob::Phase::pending)
    return !job.seen.held              ? "it waits for " + job.seen.reason
           : job.seen.is_held_for_us() ? "it waits for other jobs, or for its time"
                                       : "its owner holds it";
  return "";
}

struct Line {
  Time when{};
  ordered_json json{};
};

std::string text_parameter(const std::string& detail, const char* name) {
  const auto parsed = nlohmann::json::parse(detail, nullptr, false);
  if (!parsed.is_object()) return "";
  const auto found = parsed.find(name);
  return found != parsed.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

ordered_json time_json(const std::optional<Time>& when) {
  return when ? ordered_json(format_time(*when)) : ordered_json();
}

std::string_view job_state_name(const TrackedJob& job) {
  if (job.gone || job.seen.phase == SlurmJob::Phase::ended) return "ended";
  switch (job.op.kind) {
    case PendingOp::Kind::starting:
      return "starting";
    case PendingOp::Kind::saving:
    case PendingOp::Kind::requeuing:
      return "stopping";
    case PendingOp::Kind::none:
      break;
  }
  return job.seen.phase == SlurmJob::Phase::running ? "running" : "queued";
}

JobStatus status_of(const TrackedJob& job, const SlurmSite& site,
                    const SchedulerSnapshot& snapshot) {
  const JobState* believed = snapshot.find(job);
  JobStatus facts{.state = job_state_name(job),
                  .deadline = job.user_options.deadline,
                  .why = why_it_is_so(job)};
  if (!facts.deadline && job.user_options.deadline_after && job.seen.submitted)
    facts.deadline = *job.seen.submitted + *job.user_options.deadline_after;
  facts.gpus_asked = job.asked > 0 ? job.asked : job.seen.gpus;
  if (job.seen.phase == SlurmJob::Phase::running) facts.gpus = job.seen.gpus_held_count();
  if (job.runs && job.clock_mhz > 0) facts.clock_mhz = job.clock_mhz;
  if (believed != nullptr) facts.expected_end = expected_end(*believed, snapshot.now());
  if (facts.why.empty() && believed != nullptr && facts.state == "queued")
    facts.why = snapshot.why_waiting(*believed, site.options().site);
  if (facts.why.empty() && !job.problems.empty())
    facts.why = fmt::format("{}", fmt::join(job.problems, "; "));
  return facts;
}

ordered_json job_json(const TrackedJob& job, const SlurmSite& site,
                      const SchedulerSnapshot& snapshot) {
  const SlurmJob& seen = job.seen;
  const std::string& name = site.options().name;
  const JobStatus facts = status_of(job, site, snapshot);
  return {{"id", name + "/" + seen.ref},
          {"site", name},
          {"job", seen.number},
          {"ref", seen.ref},
          {"name", seen.name},
          {"user", seen.user},
          {"partition", seen.partition},
          {"state", facts.state},
          {"gpus", facts.gpus},
          {"gpus_asked", facts.gpus_asked},
          {"nodes", seen.nodes},
          {"clock_mhz", facts.clock_mhz ? ordered_json(job.clock_mhz) : ordered_json()},
          {"submitted", time_json(seen.submitted)},
          {"started", time_json(seen.started)},
          {"expected_end", time_json(facts.expected_end)},
          {"ended", time_json(seen.ended)},
          {"deadline", time_json(facts.deadline)},
          {"priority",
           job.user_options.priority ? ordered_json(*job.user_options.priority) : ordered_json()},
          {"kind", job.kind},
          {"why", facts.why}};
}

Result<ordered_json> life_json(Journal& journal, const std::string& site, std::int64_t job) {
  const auto entries = journal.entries(site, job);
  if (!entries) return entries.error();
  const auto requests = journal.requests(site, job);
  if (!requests) return requests.error();
  return life_json(*entries, *requests);
}

ordered_json life_json(const std::vector<JournalEntry>& entries,
                       const std::vector<JournalRequest>& requests) {
  std::vector<Line> lines;
  lines.reserve(entries.size() + requests.size());
  for (const JournalEntry& entry : entries)
    lines.push_back({entry.when,
                     {{"when", format_time(entry.when)},
                      {"what", entry.what},
                      {"text", text_parameter(entry.detail, "text")},
                      {"reason", text_parameter(entry.detail, "reason")}}});
  for (const JournalRequest& request : requests) {
    std::string text = fmt::format("{}: {}", request.verb, name_of(request.state));
    if (!request.answer.empty()) text += ", " + request.answer;
    lines.push_back({request.when,
                     {{"when", format_time(request.when)},
                      {"what", request.verb},
                      {"text", text},
                      {"reason", request.reason}}});
  }
  std::ranges::stable_sort(lines, {}, &Line::when);
  ordered_json life = ordered_json::array();
  for (Line& line : lines) life.push_back(std::move(line.json));
  return life;
}

}  // namespace penstock

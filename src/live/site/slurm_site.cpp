#include "live/site/slurm_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "live/bridge/json_at.h"

namespace penstock {
namespace {

using nlohmann::json;

constexpr Duration kFast = std::chrono::milliseconds(400);    // between looks at single jobs
constexpr Duration kHurry = std::chrono::milliseconds(1000);  // the same at all, if many change
constexpr std::size_t kSingles = 16;                          // rather than asking about all
constexpr Duration kNodes = std::chrono::seconds(10);

}  // namespace

/// An answer without its list would mean that all jobs are gone.
bool SlurmSite::tells(Asked what, const json& body) {
  const auto list = body.find(what == Asked::nodes ? "nodes" : "jobs");
  return body.contains("unchanged") || (list != body.end() && list->is_array());
}

SlurmSite::SlurmSite(SiteOptions options, const Surroundings& around)
    : options_(std::move(options)),
      around_(around),
      mirror_(around.cluster, options_.site, options_.nodes) {}

void SlurmSite::attend(Time now) {
  for (const std::string& ref : std::exchange(again_, {}))
    if (const auto found = jobs_.find(ref); found != jobs_.end()) compare(found->second, now);
  while (const auto message = around_.link.next()) hear(*message, now);
  continue_ops(now);
  measure_when_due(now);
  ask_when_due(now);
}

void SlurmSite::ask(Question question, std::string_view members) {
  const std::uint64_t id = around_.link.send(members);
  questions_.emplace(id, std::move(question));
}

void SlurmSite::ask_about(const std::string& ref) {
  single_.insert(ref);
}

/// Nodes first: when jobs are told it is known where they may go.
void SlurmSite::ask_when_due(Time now) {
  if (!nodes_asked_ && now >= next_nodes_) {
    nodes_asked_ = true;
    ask({.what = Asked::nodes}, "\"do\":\"nodes\"");
  }
  if (!jobs_asked_ && now >= next_jobs_) {
    jobs_asked_ = true;
    ++polls_;
    single_.clear();
    const std::string since = jobs_since_ > 0 ? fmt::format(",\"since\":{}", jobs_since_ - 1) : "";
    ask({.what = Asked::jobs}, "\"do\":\"jobs\",\"news\":true" + since);
  }
  for (const std::string& ref : single_)
    ask({.what = Asked::one_job, .ref = ref},
        fmt::format("\"do\":\"jobs\",\"job\":{}", json(ref).dump()));
  single_.clear();
  next_look_ = std::min(jobs_asked_ ? now + std::chrono::seconds(1) : next_jobs_,
                        nodes_asked_ ? now + std::chrono::seconds(1) : next_nodes_);
  if (!in_op_.empty()) next_look_ = std::min(next_look_, now + kFast);
  next_look_ = std::min(next_look_, measure_by_);
}

void SlurmSite::hear(const BridgeMessage& message, Time now) {
  if (message.kind == BridgeMessage::Kind::event) {
    const auto& body = *message.body;
    const auto task = body.find("array_task");
    const auto array = body.find("array_job");
    const bool is_task =
        task != body.end() && task->is_number() && array != body.end() && array->is_number();
    const std::string ref =
        is_task ? fmt::format("{}_{}", array->get<std::int64_t>(), task->get<std::int64_t>())
                : std::to_string(whole_at(body, "job"));
    return ask_about(ref);
  }
  const auto found = questions_.find(message.id);
  if (found == questions_.end()) return;
  const Question question = std::move(found->second);
  questions_.erase(found);
  if (message.kind == BridgeMessage::Kind::lost) return hear_lost(question, now);
  hear_answer(question, *message.body, now);
}

void SlurmSite::hear_lost(const Question& question, Time now) {
  ++errors_;
  answers_well_ = false;
  trouble_ = "the bridge does not answer";
  switch (question.what) {
    case Asked::jobs:
      jobs_asked_ = false;
      next_jobs_ = now + kHurry;
      break;
    case Asked::nodes:
      nodes_asked_ = false;
      next_nodes_ = now + kHurry;
      break;
    case Asked::one_job:
      break;  // the next poll tells
    case Asked::order:
      if (question.order.record.verb == "release") releasing_.erase(question.ref);
      if (question.order.then) question.order.then(json());
      if (TrackedJob* job = waiting_for(question.order)) job->op.request_open = false;
      answers_.push_back({question.order.record.id, RequestState::lost,
                          "the bridge ended before it answered", now});
      next_jobs_ = std::min(next_jobs_, now + kHurry);
      jobs_since_ = 0;
  }
}

void SlurmSite::hear_answer(const Question& question, const json& body, Time now) {
  if (question.what == Asked::order) return hear_order(question, body, now);
  if (is_fine(body) && tells(question.what, body)) {
    switch (question.what) {
      case Asked::jobs:
        return hear_jobs(body, now);
      case Asked::nodes:
        return hear_nodes(body, now);
      default:
        return hear_one_job(question.ref, body, now);
    }
  }
  if (question.what == Asked::one_job) {
    if (error_code(body) == "no_such_job") next_jobs_ = std::min(next_jobs_, now);
    return;
  }
  ++errors_;
  answers_well_ = false;
  trouble_ = error_text(body);
  (question.what == Asked::jobs ? jobs_asked_ : nodes_asked_) = false;
  (question.what == Asked::jobs ? next_jobs_ : next_nodes_) = now + kHurry;
}

void SlurmSite::hear_jobs(const json& body, Time now) {
  jobs_asked_ = false;
  saw_jobs_ = true;
  looked_ = saw_nodes_;
  answers_well_ = true;
  trouble_.clear();
  const bool many = in_op_.size() > kSingles;
  next_jobs_ = now + (many ? kHurry : options_.poll);
  if (body.contains("unchanged")) {
    compare_all(now);
    return see_all_foreign(now);
  }
  jobs_since_ = whole_at(body, "last_update");
  shown_.take(body);
  for (auto& [ref, job] : jobs_) job.gone = true;
  std::set<std::string, std::less<>> present;
  not_over_.clear();
  for (const auto& [number, shown] : shown_.all()) {
    if (shown.job.phase != SlurmJob::Phase::ended)
      not_over_.insert({number, shown.job.array_job > 0 ? shown.job.array_job : number});
    for (std::string& ref : refs_of(shown.job)) {
      look_at(ref, shown);
      present.insert(std::move(ref));
    }
  }
  std::erase_if(told_ends_, [&](const std::string& ref) { return !present.contains(ref); });
  forget_foreign();
  compare_all(now);
  see_all_foreign(now);
}

/// Also when nothing is new of them: a node that could not work, and now can, may have had some.
void SlurmSite::see_all_foreign(Time now) {
  for (const auto& [number, shown] : shown_.all())
    if (shown.job.phase == SlurmJob::Phase::running) see_foreign(shown.job, now);
}

/// Of most jobs a poll says only that they are still there.
void SlurmSite::look_at(const std::string& ref, const ShownJobs::Shown& shown) {
  const auto known = jobs_.find(ref);
  if (known != jobs_.end()) known->second.gone = false;
  if (!shown.fresh) return;
  SlurmJob job = shown.job;
  job.ref = ref;
  see(std::move(job));
}

/// Who asks about an array by its number hears of all its tasks.
void SlurmSite::hear_one_job(const std::string& ref, const json& body, Time now) {
  std::set<std::string> heard{ref};
  for (const json& record : list_at(body, "jobs")) {
    auto job = read_slurm_job(record);
    if (!job) continue;
    shown_.take_one(*job);
    for (std::string& each : refs_of(*job)) {
      if (each != ref && !jobs_.contains(each)) continue;  // the next poll tells
      job->ref = each;
      see(*job);
      heard.insert(std::move(each));
    }
  }
  for (const std::string& each : heard)
    if (const auto found = jobs_.find(each); found != jobs_.end()) {
      found->second.gone = false;
      compare(found->second, now);
    }
}

void SlurmSite::hear_nodes(const json& body, Time now) {
  nodes_asked_ = false;
  saw_nodes_ = true;
  looked_ = saw_jobs_;
  next_nodes_ = now + kNodes;
  for (const json& record : list_at(body, "nodes")) {
    const auto node = read_slurm_node(record);
    const auto id = node ? mirror_.find(node->name) : std::nullopt;
    if (id) nodes_[*id] = *node;
  }
  if (saw_jobs_) compare_nodes(now);
  if (!down_.empty() || !drained_.empty())  // soon some may be back
    next_nodes_ = now + std::min(kNodes, options_.poll);
}

void SlurmSite::hear_order(const Question& question, const json& body, Time now) {
  const SiteOrder& order = question.order;
  if (order.record.verb == "release") releasing_.erase(order.ref);
  if (order.then) order.then(body);
  if (is_fine(body)) {
    if (!shows_later(order.record.verb))
      answers_.push_back({order.record.id, RequestState::confirmed, "", now});
    return;
  }
  fail_order(order, error_code(body), error_text(body), now);
}

/// The job to whose pending operation this is the latest request.
TrackedJob* SlurmSite::waiting_for(const SiteOrder& order) {
  const auto found = jobs_.find(order.ref);
  const bool waits = found != jobs_.end() && found->second.op.request == order.record.id;
  return waits ? &found->second : nullptr;
}

void SlurmSite::fail_order(const SiteOrder& order, const std::string& code, const std::string& text,
                           Time now) {
  TrackedJob* job = waiting_for(order);
  if (job != nullptr) job->op.request_open = false;
  if (code == "try_again" && job != nullptr) {
    job->op.retry_at = now + std::chrono::milliseconds(200);
    answers_.push_back({order.record.id, RequestState::refused, "not yet: " + text, now});
    return;
  }
  ++errors_;
  const bool unsure = code == "unreachable";
  answers_.push_back(
      {order.record.id, unsure ? RequestState::lost : RequestState::refused, text, now});
  if (!order.ref.empty()) ask_about(order.ref);
  if (unsure) {
    answers_well_ = false;
    trouble_ = text;
    next_jobs_ = std::min(next_jobs_, now + kHurry);
    return;
  }
  // It is not as it was last seen: what it shows now decides.
  if (code == "not_pending" || code == "already_done" || code == "no_such_job") return;
  if (job != nullptr && order.record.verb == "start" && job->op.kind == PendingOp::Kind::starting &&
      job->seen.phase == SlurmJob::Phase::pending && !was_told_apart(*job))
    undo_start(*job, "Slurm said: " + text, now);
}

void SlurmSite::tell(Batch& batch) {
  tell_measured(batch);
  batch.events.insert(batch.events.end(), events_.begin(), events_.end());
  std::ranges::move(submitted_, std::back_inserter(batch.submitted));
  events_.clear();
  submitted_.clear();
  again_.merge(left_);
  left_.clear();
}

const TrackedJob* SlurmSite::find(JobId job) const {
  const auto found = by_id_.find(job.index);
  return found == by_id_.end() ? nullptr : &jobs_.at(found->second);
}

const TrackedJob* SlurmSite::find(const std::string& ref) const {
  const auto found = jobs_.find(ref);
  return found == jobs_.end() ? nullptr : &found->second;
}

std::optional<TrackedJob> SlurmSite::take_ended(JobId job) {
  const auto found = ended_.find(job.index);
  if (found == ended_.end()) return std::nullopt;
  TrackedJob ended = std::move(found->second);
  ended_.erase(found);
  return ended;
}

std::vector<AgentOrder> SlurmSite::plan_for(const std::string& node) const {
  std::vector<AgentOrder> plan;
  for (const auto& [id, ref] : by_id_) {
    const TrackedJob& job = jobs_.at(ref);
    if (!job.runs || !job.confirmed || job.clock_mhz == 0 || job.kind.empty()) continue;
    for (const SlurmJob::Held& held : job.seen.gpus_held)
      if (held.node == node)
        for (const std::uint32_t index : held.indices)
          plan.push_back({index, job.clock_mhz, job.seen.number});
  }
  std::ranges::sort(plan, {}, &AgentOrder::index);
  const auto twice = std::ranges::unique(plan, {}, &AgentOrder::index);
  plan.erase(twice.begin(), twice.end());
  return plan;
}

void SlurmSite::remember(const std::string& ref, const LiveRun& run) {
  remembered_[ref].push_back(run);
}

void SlurmSite::note(Time now, const TrackedJob* job, const std::string& what, const json& detail) {
  JournalEntry entry{.when = now,
                     .site = options_.name,
                     .what = what,
                     .detail = detail.dump(-1, ' ', false, json::error_handler_t::replace)};
  if (job != nullptr) entry.job = job->seen.number;
  notes_.push_back(std::move(entry));
}

}  // namespace penstock

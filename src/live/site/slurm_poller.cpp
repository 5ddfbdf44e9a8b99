#include "live/site/slurm_poller.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/json/json_at.h"
#include "live/bridge/bridge_answer.h"

namespace penstock {
namespace {

constexpr Duration kHurry =
    std::chrono::milliseconds(1000);  // until a poll that failed is repeated
constexpr Duration kNodesInterval = std::chrono::seconds(10);

/// The job that a hint is about, as Slurm calls it.
std::string ref_in_hint(const nlohmann::json& body) {
  const auto task = body.find("array_task");
  const auto array = body.find("array_job");
  const bool is_task =
      task != body.end() && task->is_number() && array != body.end() && array->is_number();
  return is_task ? fmt::format("{}_{}", array->get<std::int64_t>(), task->get<std::int64_t>())
                 : std::to_string(whole_at(body, "job"));
}

/// An answer without its list would mean that all jobs are gone.
bool has_list(const nlohmann::json& body, const char* name) {
  const auto list = body.find(name);
  return body.contains("unchanged") || (list != body.end() && list->is_array());
}

}  // namespace

void SlurmPoller::ask(Question question, const bridge::Command& command) {
  const std::uint64_t id = connection_.send(command);
  questions_.emplace(id, std::move(question));
}

void SlurmPoller::send(QueuedCommand command) {
  const bridge::Command sent = command.command;
  ask({.to = Reply::To::command, .command = std::move(command)}, sent);
}

void SlurmPoller::ask_when_due(Time now) {
  if (!nodes_asked_ && now >= next_nodes_) {
    nodes_asked_ = true;
    ask({.to = Reply::To::nodes}, bridge::ListNodes{});
  }
  if (!jobs_asked_ && now >= next_jobs_) {
    jobs_asked_ = true;
    single_.clear();
    ask({.to = Reply::To::jobs},
        bridge::ListJobs{.since = jobs_since_ > 0 ? jobs_since_ - 1 : 0, .news = true});
  }
  for (const std::string& ref : single_)
    ask({.to = Reply::To::one_job, .ref = ref}, bridge::ListJobs{.job = ref});
  single_.clear();
}

Time SlurmPoller::next_due(Time now) const {
  return std::min(jobs_asked_ ? now + std::chrono::seconds(1) : next_jobs_,
                  nodes_asked_ ? now + std::chrono::seconds(1) : next_nodes_);
}

std::optional<SlurmPoller::Reply> SlurmPoller::next(Time now, bool many_change) {
  while (const auto message = connection_.next()) {
    if (message->kind == BridgeMessage::Kind::event) {
      ask_about(ref_in_hint(*message->body));
      continue;
    }
    auto reply = reply_from(*message, now);
    if (!reply) continue;
    if (reply->to == Reply::To::jobs) on_jobs(*reply->body, now, many_change);
    if (reply->to == Reply::To::nodes) on_nodes(now);
    return reply;
  }
  return std::nullopt;
}

std::optional<SlurmPoller::Reply> SlurmPoller::reply_from(const BridgeMessage& message, Time now) {
  const auto found = questions_.find(message.id);
  if (found == questions_.end()) return std::nullopt;
  Question question = std::move(found->second);
  questions_.erase(found);
  Reply reply{.to = question.to, .ref = question.ref};
  if (message.kind == BridgeMessage::Kind::lost) {
    on_lost(question, now);
    if (question.to != Reply::To::command) return std::nullopt;
    reply.body = std::make_shared<const nlohmann::json>();
  } else {
    if (!takes(question, *message.body, now)) return std::nullopt;
    reply.body = message.body;
  }
  reply.command = std::move(question.command);
  return reply;
}

void SlurmPoller::on_lost(const Question& question, Time now) {
  ++errors_;
  answers_ = false;
  last_error_ = "the bridge does not answer";
  if (question.to == Reply::To::jobs) {
    jobs_asked_ = false;
    next_jobs_ = now + kHurry;
  }
  if (question.to == Reply::To::nodes) {
    nodes_asked_ = false;
    next_nodes_ = now + kHurry;
  }
  if (question.to == Reply::To::command) {
    poll_jobs_by(now + kHurry);
    forget_last_update();
  }
}

/// False if there is nothing in the answer that anybody else could use.
bool SlurmPoller::takes(const Question& question, const nlohmann::json& body, Time now) {
  if (question.to == Reply::To::command) return true;
  const bool is_of_nodes = question.to == Reply::To::nodes;
  if (is_fine(body) && has_list(body, is_of_nodes ? "nodes" : "jobs")) return true;
  if (question.to == Reply::To::one_job) {
    if (error_code(body) == "no_such_job") poll_jobs_by(now);
    return false;
  }
  ++errors_;
  answers_ = false;
  last_error_ = error_text(body);
  (is_of_nodes ? nodes_asked_ : jobs_asked_) = false;
  (is_of_nodes ? next_nodes_ : next_jobs_) = now + kHurry;
  return false;
}

void SlurmPoller::on_jobs(const nlohmann::json& body, Time now, bool many_change) {
  jobs_asked_ = false;
  saw_jobs_ = true;
  answers_ = true;
  last_error_.clear();
  next_jobs_ = now + (many_change ? kHurry : interval_);
  if (!body.contains("unchanged")) jobs_since_ = whole_at(body, "last_update");
}

void SlurmPoller::on_nodes(Time now) {
  nodes_asked_ = false;
  saw_nodes_ = true;
  next_nodes_ = now + kNodesInterval;
}

void SlurmPoller::poll_nodes_often(Time now) {
  next_nodes_ = now + std::min(kNodesInterval, interval_);
}

void SlurmPoller::set_unreachable(const std::string& why, Time now) {
  answers_ = false;
  last_error_ = why;
  poll_jobs_by(now + kHurry);
}

}  // namespace penstock

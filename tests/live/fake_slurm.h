#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/reported_jobs.h"
#include "live/bridge/bridge_link.h"
#include "live/fake_cluster.h"

namespace penstock {

/// A cluster behind its bridge: what docs/formats/bridge.md says, in virtual time.
class FakeSlurm final : public BridgeConnection {
 public:
  using Json = nlohmann::json;
  /// What becomes of one request.
  struct Behaviour {
    bool lost = false;         ///< its answer is
    bool done = true;          ///< it is carried out
    std::string refusal = "";  ///< a code; empty if it is not refused
  };

  explicit FakeSlurm(FakeCluster& cluster) : cluster_(cluster) {}

  Duration answer_delay{};
  std::function<Behaviour(const Json& request)> behaviour;
  std::vector<std::string> received;  ///< requests that change something, as they came

  std::uint64_t send(const bridge::Command& command) override {
    const std::string line = bridge::to_json(command);
    const Json request = Json::parse(line);
    const std::string verb = request.at("do");
    if (verb != "jobs" && verb != "nodes" && verb != "hello") received.push_back(line);
    const Behaviour its = behaviour ? behaviour(request) : Behaviour{};
    Json body = !its.refusal.empty() ? failure(its.refusal, "because " + its.refusal)
                : its.done           ? answer(verb, request)
                                     : Json();
    if (its.lost) restart();
    const auto kind = its.lost ? BridgeMessage::Kind::lost : BridgeMessage::Kind::answer;
    waiting_.push_back({cluster_.now() + answer_delay,
                        {kind, ++last_, its.lost ? nullptr : std::make_shared<Json>(body)}});
    return last_;
  }
  std::optional<BridgeMessage> next() override {
    if (waiting_.empty() || waiting_.front().first > cluster_.now()) return std::nullopt;
    BridgeMessage message = std::move(waiting_.front().second);
    waiting_.pop_front();
    return message;
  }
  std::optional<Time> next_answer() const {
    if (waiting_.empty()) return std::nullopt;
    return waiting_.front().first;
  }
  /// Another bridge takes over: nothing was told yet.
  void restart() { told_ = std::make_unique<bridge::ReportedJobs>(); }
  /// What a jobcomp hook would have sent.
  void hint(const FakeJob& job) {
    Json body{{"event", "ended"}, {"job", job.number}};
    if (job.array_job > 0) {
      body["array_job"] = job.array_job;
      body["array_task"] = job.array_task;
    }
    waiting_.push_front(
        {cluster_.now(), {BridgeMessage::Kind::event, 0, std::make_shared<Json>(body)}});
  }

  static Json shown(const FakeJob& job) {
    Json held = Json::array();
    for (const auto& [node, gpus] : job.holds)
      held.push_back({{"node", node}, {"type", "a"}, {"indices", gpus}});
    const auto second = [](const std::optional<Time>& t) {
      return t ? Json(t->time_since_epoch().count() / 1000) : Json();
    };
    return {{"job", job.number},
            {"ref", job.ref},
            {"array_job", job.array_job == 0 ? Json() : Json(job.array_job)},
            {"name", "job"},
            {"user", job.user},
            {"partition", job.partition},
            {"comment", job.comment},
            {"admin_comment", job.admin_comment},
            {"state", job.state},
            {"flags", job.completes ? Json{"completing"} : Json::array()},
            {"reason", job.reason},
            {"dependency", job.dependency},
            {"eligible", second(job.begins)},
            {"held", job.held},
            {"restarts", job.restarts},
            {"requeue", job.requeue},
            {"batch", true},
            {"submitted", second(job.submitted)},
            {"started", second(job.started)},
            {"ended", second(job.ended)},
            {"time_limit_min", 60},
            {"nodes", job.ran_on},
            {"gpus", job.gpus},
            {"gpus_per_node", job.gpus_per_node},
            {"work_dir", job.work_dir},
            {"gpu_type", job.gpu_type},
            {"clock_mhz", job.clock_mhz},
            {"gpus_held", held}};
  }

 private:
  static Json failure(const std::string& code, const std::string& text) {
    return {{"ok", false}, {"error", {{"code", code}, {"text", text}, {"slurm", 1}}}};
  }
  static Json fine() { return {{"ok", true}}; }

  Json answer(const std::string& verb, const Json& request) {
    if (verb == "jobs") return request.contains("job") ? one_job(request) : all_jobs(request);
    if (verb == "nodes") return all_nodes();
    if (verb == "hello") return {{"ok", true}, {"cluster", "fake"}, {"controller", "here:1"}};
    if (verb == "partitions") return {{"ok", true}, {"partitions", {{{"name", "main"}}}}};
    if (verb == "submit") return submit(request);
    if (verb == "power_up" || verb == "power_down") return fine();
    FakeJob* job = cluster_.find(request.at("job"));
    if (job == nullptr) return failure("no_such_job", "Invalid job id specified");
    if (verb == "update") return update(*job, request);
    if (verb == "requeue") return requeue(*job, request);
    if (verb == "signal") return signal(*job);
    if (verb != "cancel") return failure("bad_request", "no " + verb);
    if (job->is_over()) return failure("already_done", "it has ended");
    cluster_.end(*job, "cancelled");
    return fine();
  }
  std::int64_t seconds_now() const { return cluster_.now().time_since_epoch().count() / 1000; }

  Json all_jobs(const Json& request) {
    const std::int64_t changed = cluster_.changed().time_since_epoch().count() / 1000;
    if (request.contains("since") && changed <= request.at("since").get<std::int64_t>())
      return {{"ok", true}, {"unchanged", true}};
    Json all = Json::array();
    std::map<std::int64_t, std::string> together;  // tasks that wait, by array
    for (const auto& [ref, job] : cluster_.jobs()) {
      if (job.array_job == 0 || !job.waits() || job.restarts > 0 || !job.wanted.empty()) {
        all.push_back(shown(job));
        continue;
      }
      std::string& tasks = together[job.array_job];
      tasks += (tasks.empty() ? "" : ",") + std::to_string(job.array_task);
    }
    for (const auto& [array, tasks] : together) {
      Json record =
          shown(cluster_.job(std::to_string(array) + "_" + tasks.substr(0, tasks.find(','))));
      record["job"] = array;
      record["ref"] = std::to_string(array);
      record["array_tasks"] = tasks;
      all.push_back(record);
    }
    return only_news(request, {{"ok", true}, {"last_update", seconds_now()}, {"jobs", all}});
  }
  /// Leaves out what was told like this before, if that is asked for, and names who is gone.
  Json only_news(const Json& request, Json body) {
    const bool only = request.value("news", false) && !told_->is_empty();
    Json news = Json::array();
    told_->begin_poll();
    for (const Json& record : body.at("jobs"))
      if (told_->is_changed(record.at("job").get<std::uint32_t>(), record.dump()) || !only)
        news.push_back(record);
    const auto gone = told_->end_poll();
    body["jobs"] = news;
    body["news"] = only;
    if (only) body["gone"] = gone;
    return body;
  }
  Json one_job(const Json& request) {
    const FakeJob* job = cluster_.find(request.at("job"));
    if (job == nullptr) return failure("no_such_job", "Invalid job id specified");
    const Json record = shown(*job);
    told_->report_again(record.at("job").get<std::uint32_t>());
    return {{"ok", true}, {"last_update", seconds_now()}, {"jobs", {record}}};
  }
  Json all_nodes() {
    Json all = Json::array();
    for (const FakeNode& node : cluster_.nodes())
      all.push_back({{"name", node.name},
                     {"state", node.state},
                     {"flags", node.flags},
                     {"gpus", {{{"type", node.type}, {"total", node.gpus}}}},
                     {"partitions", {"main"}},
                     {"reason", "because"}});
    return {{"ok", true}, {"last_update", seconds_now()}, {"nodes", all}};
  }
  Json submit(const Json& request) {
    const FakeJob& job = cluster_.add_job({.partition = request.value("partition", "main"),
                                           .comment = request.value("comment", ""),
                                           .held = request.value("hold", false),
                                           .gpus = request.value("gpus", 1u)});
    return {{"ok", true}, {"job", job.number}, {"message", nullptr}};
  }
  Json update(FakeJob& job, const Json& request) {
    const bool moves = request.contains("nodes") || request.contains("gpus_per_node");
    if (job.is_over()) return failure("already_done", "Job/step already completing or completed");
    if (moves && job.completes) return failure("try_again", "the job is still completing");
    if (moves && !job.waits()) return failure("not_pending", "Job is no longer pending execution");
    if (request.contains("nodes")) job.wanted = request.at("nodes");
    if (request.contains("gpus_per_node")) {
      job.gpus_per_node = request.at("gpus_per_node");
      job.gpus = job.gpus_per_node * request.value("node_count", 1u);
    }
    if (request.contains("clock_mhz")) job.clock_mhz = request.at("clock_mhz");
    if (request.contains("admin_comment")) job.admin_comment = request.at("admin_comment");
    if (request.contains("hold") && job.waits()) {
      if (job.held && !request.at("hold").get<bool>())
        job.eligible = std::max(job.eligible, cluster_.now());
      job.held = request.at("hold");
    }
    if (request.value("start_now", false)) job.eligible = cluster_.now();
    cluster_.touch();
    return fine();
  }
  Json requeue(FakeJob& job, const Json& request) {
    if (job.is_over()) return failure("already_done", "it has ended");
    if (job.completes) return failure("try_again", "the job is still completing");
    if (job.waits()) return failure("not_running", "it waits");
    if (!job.requeue) return failure("refused", "Requested operation is presently disabled");
    cluster_.send_back(job, request.value("hold", false));
    return fine();
  }
  Json signal(FakeJob& job) {
    if (!job.runs()) return failure("not_running", "it does not run");
    ++job.signals;
    return fine();
  }

  FakeCluster& cluster_;
  std::unique_ptr<bridge::ReportedJobs> told_ = std::make_unique<bridge::ReportedJobs>();
  std::uint64_t last_ = 0;
  std::deque<std::pair<Time, BridgeMessage>> waiting_;
};

}  // namespace penstock

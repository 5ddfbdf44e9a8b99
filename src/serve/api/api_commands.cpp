#include "serve/api/api_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/json/json_at.h"
#include "live/bridge/bridge_answer.h"
#include "serve/api/pooled_job.h"
#include "serve/api/request_bodies.h"

namespace penstock {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// What the bridge said, as an answer of ours.
ApiResponse from_bridge(const json& body, const ordered_json& fine) {
  if (body.is_null()) return api_error(504, "the cluster did not answer; it may have been done");
  if (is_fine(body)) return json_response(fine);
  const std::string code = error_code(body);
  if (code == "unreachable")
    return api_error(504, "Slurm said: " + error_text(body) + "; it may have been done");
  return api_error(code == "no_such_job" ? 404 : 400, "Slurm said: " + error_text(body));
}

bridge::SubmitJob submit_command(const Submission& job) {
  bridge::SubmitJob command{.script = job.script,
                            .name = job.name,
                            .partition = job.partition,
                            .account = job.account,
                            .comment = job.comment,
                            .work_dir = job.work_dir,
                            .std_out = job.std_out,
                            .gpus = {.type = job.gpu_type},
                            .append = true};
  if (job.gpus) command.gpus.total = *job.gpus;
  if (job.node_count) command.node_count = *job.node_count;
  if (job.time_limit_min) command.time_limit = *job.time_limit_min;
  return command;
}

}  // namespace

ApiResponse ApiCommands::run(const ApiCommand& command) {
  if (command.verb == "plan") return needs_.plan(command.body);
  if (command.verb == "submit") return submit(command.body);
  if (command.verb == "cancel") return cancel(command);
  if (command.verb == "progress") return progress(command);
  if (command.verb == "agent") return agent(command);
  if (command.verb == "pause") return pause(command.body);
  if (command.verb == "resume") return resume();
  return api_error(404, "there is no such thing to do");
}

ApiResponse ApiCommands::pause(const std::string& body) {
  const auto parsed = parse_pause(body);
  if (!parsed) return api_error(400, parsed.error().message);
  const std::string& reason = *parsed;
  return calls_.call([this, reason](Time now, const SchedulerCalls::Respond& respond) {
    needs_.control.pause(reason, now);
    respond(json_response({{"paused", true}}));
  });
}

ApiResponse ApiCommands::resume() {
  return calls_.call([this](Time now, const SchedulerCalls::Respond& respond) {
    needs_.control.resume(now);
    respond(json_response({{"paused", false}}));
  });
}

ApiResponse ApiCommands::cancel(const ApiCommand& command) {
  return calls_.call_cluster([this, id = command.id](Time now,
                                                     const SchedulerCalls::Respond& respond) {
    const auto pooled = parse_pool_id(id);
    if (pooled && remove_from_pool(*pooled, "was taken back", now))
      return respond(json_response({{"id", id}, {"cancelled", true}}));
    const auto found = finder_.find(id);
    if (!found) return respond(api_error(404, found.error().message));
    SlurmSite& site = needs_.backend.site(found->site);
    const bool known =
        site.cancel(found->ref, {"somebody asked for it", now}, [respond, id](const json& body) {
          respond(from_bridge(body, {{"id", id}, {"cancelled", true}}));
        });
    if (!known) respond(api_error(404, "there is no job '" + id + "' that has not ended"));
  });
}

ApiResponse ApiCommands::progress(const ApiCommand& command) {
  const auto progress_report = parse_progress(command.body);
  if (!progress_report) return api_error(400, progress_report.error().message);
  return calls_.call([this, id = command.id, progress_report = *progress_report](
                         Time now, const SchedulerCalls::Respond& respond) {
    const auto found = finder_.find(id);
    const TrackedJob* job = found ? needs_.backend.site(found->site).find(found->ref) : nullptr;
    if (job == nullptr) return respond(api_error(404, "there is no job '" + id + "'"));
    const Time when = std::min(now, progress_report.when.value_or(now));
    needs_.backend.site(found->site)
        .on_progress(found->ref,
                     {.when = when, .done = progress_report.done, .saved = progress_report.saved});
    respond(json_response({{"id", id}, {"done", progress_report.done}}));
  });
}

std::vector<std::size_t> ApiCommands::sites_with(const std::string& node,
                                                 const std::string& wanted) const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < needs_.backend.sites(); ++i) {
    const SlurmSite& site = needs_.backend.site(i);
    if (site.mirror().find(node) && (wanted.empty() || wanted == site.options().name))
      all.push_back(i);
  }
  return all;
}

ApiResponse ApiCommands::agent(const ApiCommand& command) {
  const json body = json::parse(command.body, nullptr, false);
  return calls_.call([this, body, node = command.id](Time now,
                                                     const SchedulerCalls::Respond& respond) {
    auto report = Agents::read(body, now);
    if (!report) return respond(api_error(400, report.error().message));
    const auto homes = sites_with(node, text_at(body, "site"));
    if (homes.empty()) return respond(api_error(404, "there is no node '" + node + "' here"));
    if (homes.size() > 1)
      return respond(api_error(400, "several sites have a node '" + node +
                                        "'; possible: say which is meant, penstock agent --site"));
    ordered_json gpus = ordered_json::array();
    for (const AgentOrder& order : needs_.backend.site(homes.front()).plan_for(node))
      gpus.push_back({{"index", order.index}, {"clock_mhz", order.clock_mhz}, {"job", order.job}});
    needs_.backend.agents(homes.front()).take(node, *std::move(report));
    respond(json_response({{"valid_s", 30}, {"gpus", gpus}}));
  });
}

/// A note that says it is pooled may be written later still: this one comes after it.
bool ApiCommands::remove_from_pool(std::int64_t pooled, const char* why, Time now) {
  if (!needs_.backend.remove_from_pool(pooled)) return false;
  needs_.backend.note(
      {.when = now, .what = "unpooled", .detail = json{{"text", why}, {"pool", pooled}}.dump()});
  return true;
}

/// Any site may take it: it waits with us until one is chosen.
ApiResponse ApiCommands::add_to_pool(bridge::SubmitJob submission, Time now) {
  SlurmBackend& backend = needs_.backend;
  const std::int64_t next = backend.pool().next();
  submission.comment += pool_mark(next);
  auto made = pooled_job(next, submission, now);
  if (!made) return api_error(400, made.error().message);
  const std::int64_t number = made->number;
  if (auto fits = backend.add_to_pool(*std::move(made)); !fits)
    return api_error(400, "no site can take it: " + fits.error().message);
  backend.note({.when = now,
                .what = "pooled",
                .detail = json{{"text", fmt::format("job {} waits for a site", number)},
                               {"pool", number},
                               {"members", bridge::submit_members(submission)}}
                              .dump()});
  if (backend.flush(now)) return json_response({{"id", fmt::format("pool/{}", number)}});
  remove_from_pool(number, "was not taken: the journal could not be written", now);
  return api_error(503, "the journal cannot be written, so the job was not taken");
}

ApiResponse ApiCommands::submit(const std::string& text) {
  const auto job = parse_submission(text);
  if (!job) return api_error(400, job.error().message);
  const bridge::SubmitJob inner = submit_command(*job);
  const std::string& wanted = job->site;
  return calls_.call_cluster(
      [this, inner, wanted](Time now, const SchedulerCalls::Respond& respond) {
        std::optional<std::size_t> at;
        for (std::size_t i = 0; i < needs_.backend.sites(); ++i)
          if (needs_.backend.site(i).options().name == wanted) at = i;
        if (wanted.empty() && needs_.backend.sites() == 1) at = 0;
        if (wanted.empty() && !at) return respond(add_to_pool(inner, now));
        if (!at) return respond(api_error(400, "there is no site '" + wanted + "'"));
        SlurmSite& site = needs_.backend.site(*at);
        site.submit(inner, {"somebody submitted it over the API", now},
                    [respond, name = site.options().name](const json& reply) {
                      const std::int64_t number = whole_at(reply, "job");
                      respond(from_bridge(reply, {{"id", fmt::format("{}/{}", name, number)}}));
                    });
      });
}

}  // namespace penstock

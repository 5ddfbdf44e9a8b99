// What can be done over the API.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "live/bridge/json_at.h"
#include "serve/api/api.h"
#include "serve/api/api_service.h"
#include "serve/api/pooled_job.h"
#include "serve/api/request_bodies.h"

namespace penstock {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// What the bridge said, as an answer of ours.
ApiAnswer from_bridge(const json& body, const ordered_json& fine) {
  if (body.is_null()) return api_error(504, "the cluster did not answer; it may have been done");
  if (is_fine(body)) return as_answer(fine);
  const std::string code = error_code(body);
  if (code == "unreachable")
    return api_error(504, "Slurm said: " + error_text(body) + "; it may have been done");
  return api_error(code == "no_such_job" ? 404 : 400, "Slurm said: " + error_text(body));
}

/// Members of the bridge's request, without the brackets.
std::string inside(const json& object) {
  const std::string dumped = object.dump(-1, ' ', false, json::error_handler_t::replace);
  return dumped.substr(1, dumped.size() - 2);
}

std::string submit_members(const Submission& job) {
  json members{{"script", job.script}, {"append", true}};
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) members[name] = text;
  };
  add("work_dir", job.work_dir);
  add("name", job.name);
  add("partition", job.partition);
  add("account", job.account);
  add("std_out", job.std_out);
  add("gpu_type", job.gpu_type);
  add("comment", job.comment);
  if (job.gpus) members["gpus"] = *job.gpus;
  if (job.time_limit_min) members["time_limit_min"] = *job.time_limit_min;
  if (job.node_count) members["node_count"] = *job.node_count;
  return inside(members);
}

}  // namespace

ApiAnswer Desk::act(const ApiDeed& deed) {
  if (deed.verb == "plan") return around_.plan(deed.body);
  if (deed.verb == "submit") return submit(deed.body);
  if (deed.verb == "cancel") return cancel(deed);
  if (deed.verb == "progress") return progress(deed);
  if (deed.verb == "agent") return agent(deed);
  if (deed.verb == "pause") return pause(deed.body);
  if (deed.verb == "resume") return resume();
  return api_error(404, "there is no such thing to do");
}

ApiAnswer Desk::pause(const std::string& body) {
  const auto parsed = parse_pause(body);
  if (!parsed) return api_error(400, parsed.error().message);
  const std::string& reason = *parsed;
  return ask([this, reason](Time now, const Give& give) {
    around_.steering.pause(reason, now);
    give(as_answer({{"paused", true}}));
  });
}

ApiAnswer Desk::resume() {
  return ask([this](Time now, const Give& give) {
    around_.steering.resume(now);
    give(as_answer({{"paused", false}}));
  });
}

ApiAnswer Desk::cancel(const ApiDeed& deed) {
  return ask_cluster([this, id = deed.id](Time now, const Give& give) {
    const auto pooled = pooled_in(id);
    if (pooled && take_back(*pooled, "was taken back", now))
      return give(as_answer({{"id", id}, {"cancelled", true}}));
    const auto found = find(id);
    if (!found) return give(api_error(404, found.error().message));
    SlurmSite& site = around_.backend.site(found->site);
    const bool known =
        site.cancel(found->ref, "somebody asked for it", now, [give, id](const json& body) {
          give(from_bridge(body, {{"id", id}, {"cancelled", true}}));
        });
    if (!known) give(api_error(404, "there is no job '" + id + "' that has not ended"));
  });
}

ApiAnswer Desk::progress(const ApiDeed& deed) {
  const auto told = parse_progress(deed.body);
  if (!told) return api_error(400, told.error().message);
  return ask([this, id = deed.id, told = *told](Time now, const Give& give) {
    const auto found = find(id);
    const TrackedJob* job = found ? around_.backend.site(found->site).find(found->ref) : nullptr;
    if (job == nullptr) return give(api_error(404, "there is no job '" + id + "'"));
    const Time when = std::min(now, told.when.value_or(now));
    around_.backend.site(found->site)
        .progress(found->ref, {.when = when, .done = told.done, .saved = told.saved});
    give(as_answer({{"id", id}, {"done", told.done}}));
  });
}

/// Sites with a node of that name; those called `wanted`, if it is not empty.
std::vector<std::size_t> Desk::sites_with(const std::string& node,
                                          const std::string& wanted) const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < around_.backend.sites(); ++i) {
    const SlurmSite& site = around_.backend.site(i);
    if (site.mirror().find(node) && (wanted.empty() || wanted == site.options().name))
      all.push_back(i);
  }
  return all;
}

ApiAnswer Desk::agent(const ApiDeed& deed) {
  const json body = json::parse(deed.body, nullptr, false);
  return ask([this, body, node = deed.id](Time now, const Give& give) {
    auto report = Agents::read(body, now);
    if (!report) return give(api_error(400, report.error().message));
    const auto homes = sites_with(node, text_at(body, "site"));
    if (homes.empty()) return give(api_error(404, "there is no node '" + node + "' here"));
    if (homes.size() > 1)
      return give(api_error(400, "several sites have a node '" + node +
                                     "'; possible: say which is meant, penstock agent --site"));
    ordered_json gpus = ordered_json::array();
    for (const AgentOrder& order : around_.backend.site(homes.front()).plan_for(node))
      gpus.push_back({{"index", order.index}, {"clock_mhz", order.clock_mhz}, {"job", order.job}});
    around_.backend.agents(homes.front()).take(node, *std::move(report));
    give(as_answer({{"valid_s", 30}, {"gpus", gpus}}));
  });
}

/// A note that says it is pooled may be written later still: this one comes after it.
bool Desk::take_back(std::int64_t pooled, const char* why, Time now) {
  if (!around_.backend.take_back(pooled)) return false;
  around_.backend.note(
      {.when = now, .what = "unpooled", .detail = json{{"text", why}, {"pool", pooled}}.dump()});
  return true;
}

/// Any site may take it: it waits with us until one is chosen.
ApiAnswer Desk::pool_up(const std::string& members, Time now) {
  SlurmBackend& backend = around_.backend;
  PooledJob job{.number = backend.pool().next(), .members = members};
  json parsed = json::parse("{" + members + "}", nullptr, false);
  parsed["comment"] = text_at(parsed, "comment") + pool_mark(job.number);
  job.members = inside(parsed);
  auto made = pooled_job(job.number, job.members, now);
  if (!made) return api_error(400, made.error().message);
  const std::int64_t number = made->number;
  if (auto fits = backend.pool_up(*std::move(made)); !fits)
    return api_error(400, "no site can take it: " + fits.error().message);
  backend.note({.when = now,
                .what = "pooled",
                .detail = json{{"text", fmt::format("job {} waits for a site", number)},
                               {"pool", number},
                               {"members", inside(parsed)}}
                              .dump()});
  if (backend.flush(now)) return as_answer({{"id", fmt::format("pool/{}", number)}});
  take_back(number, "was not taken: the journal could not be written", now);
  return api_error(503, "the journal cannot be written, so the job was not taken");
}

ApiAnswer Desk::submit(const std::string& text) {
  const auto job = parse_submission(text);
  if (!job) return api_error(400, job.error().message);
  const std::string inner = submit_members(*job);
  const std::string& wanted = job->site;
  return ask_cluster([this, inner, wanted](Time now, const Give& give) {
    std::optional<std::size_t> at;
    for (std::size_t i = 0; i < around_.backend.sites(); ++i)
      if (around_.backend.site(i).options().name == wanted) at = i;
    if (wanted.empty() && around_.backend.sites() == 1) at = 0;
    if (wanted.empty() && !at) return give(pool_up(inner, now));
    if (!at) return give(api_error(400, "there is no site '" + wanted + "'"));
    SlurmSite& site = around_.backend.site(*at);
    site.submit(inner, "somebody submitted it over the API", now,
                [give, name = site.options().name](const json& reply) {
                  const std::int64_t number = whole_at(reply, "job");
                  give(from_bridge(reply, {{"id", fmt::format("{}/{}", name, number)}}));
                });
  });
}

}  // namespace penstock

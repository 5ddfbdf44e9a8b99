// What can be done over the API.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "serve/desk.h"
#include "serve/pooled.h"

namespace penstock {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using Give = std::function<void(ApiAnswer)>;

ApiAnswer as_answer(const ordered_json& body) {
  return {200, body.dump(-1, ' ', false, ordered_json::error_handler_t::replace)};
}

/// What the bridge said, as an answer of ours.
ApiAnswer from_bridge(const json& body, const ordered_json& fine) {
  if (body.is_null()) return api_error(503, "the cluster did not answer; it may have been done");
  if (body.value("ok", false)) return as_answer(fine);
  const auto error = body.find("error");
  const std::string text = error != body.end() && error->is_object()
                               ? error->value("text", std::string("it was refused"))
                               : "it was refused";
  const std::string code = error != body.end() && error->is_object()
                               ? error->value("code", std::string("refused"))
                               : "refused";
  return api_error(code == "no_such_job"   ? 404
                   : code == "unreachable" ? 503
                                           : 400,
                   "Slurm said: " + text);
}

/// Members of the bridge's request that are passed on as they are.
constexpr std::array<std::string_view, 9> kPassedOn{"work_dir",       "name",       "partition",
                                                    "account",        "std_out",    "gpus",
                                                    "time_limit_min", "node_count", "gpu_type"};

/// "profile=… gpus=1-8 …" of the members that say so.
std::string comment_of(const json& body) {
  std::string words;
  const auto add = [&](const char* name, const std::string& value) {
    words += fmt::format(" {}={}", name, value);
  };
  const auto text = [&](const char* name) -> std::string {
    const auto found = body.find(name);
    if (found == body.end() || found->is_null()) return "";
    return found->is_string() ? found->get<std::string>() : found->dump();
  };
  for (const char* name : {"profile", "deadline", "priority", "batch", "work", "grace"})
    if (const std::string value = text(name); !value.empty()) add(name, value);
  if (const std::string least = text("gpus_least"); !least.empty())
    add("gpus", least + "-" + text("gpus_most"));
  if (body.value("checkpoint", false)) add("checkpoint", "yes");
  return words.empty() ? "" : "penstock:" + words;
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
  const json parsed = body.empty() ? json::object() : json::parse(body, nullptr, false);
  if (!parsed.is_object()) return api_error(400, "the body must be a JSON object or empty");
  const auto given = parsed.find("reason");
  const std::string reason =
      given != parsed.end() && given->is_string() ? given->get<std::string>() : "";
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
  return ask([this, id = deed.id](Time now, const Give& give) {
    if (const auto pooled = pooled_in(id)) {
      if (!around_.backend.take_back(*pooled))
        return give(api_error(404, "there is no job '" + id + "' that waits for a site"));
      around_.backend.note({.when = now,
                            .what = "unpooled",
                            .detail = json{{"text", "was taken back"}, {"pool", *pooled}}.dump()});
      return give(as_answer({{"id", id}, {"cancelled", true}}));
    }
    const auto found = find(id);
    if (!found) return give(api_error(404, "there is no job '" + id + "'; possible: SITE/NUMBER"));
    SlurmSite& site = around_.backend.site(found->first);
    const bool known =
        site.cancel(found->second, "somebody asked for it", now, [give, id](const json& body) {
          give(from_bridge(body, {{"id", id}, {"cancelled", true}}));
        });
    if (!known) give(api_error(404, "there is no job '" + id + "' that has not ended"));
  });
}

ApiAnswer Desk::progress(const ApiDeed& deed) {
  const json body = json::parse(deed.body, nullptr, false);
  const auto number = [&](const char* name) -> std::optional<double> {
    if (!body.is_object()) return std::nullopt;
    const auto found = body.find(name);
    if (found == body.end() || !found->is_number()) return std::nullopt;
    return found->get<double>();
  };
  const auto done = number("done");
  if (!done || !(*done >= 0))
    return api_error(400, "done: must be a number of samples, such as {\"done\": 1200}");
  const auto saved = number("saved");
  return ask([this, id = deed.id, done, saved](Time now, const Give& give) {
    const auto found = find(id);
    const TrackedJob* job =
        found ? around_.backend.site(found->first).find(found->second) : nullptr;
    if (job == nullptr) return give(api_error(404, "there is no job '" + id + "'"));
    around_.backend.site(found->first)
        .progress(found->second, {.when = now, .done = *done, .saved = saved});
    give(as_answer({{"id", id}, {"done", *done}}));
  });
}

ApiAnswer Desk::agent(const ApiDeed& deed) {
  const json body = json::parse(deed.body, nullptr, false);
  return ask([this, body, node = deed.id](Time now, const Give& give) {
    auto report = Agents::read(body, now);
    if (!report) return give(api_error(400, report.error().message));
    ordered_json gpus = ordered_json::array();
    bool known = false;
    for (std::size_t i = 0; i < around_.backend.sites(); ++i) {
      SlurmSite& site = around_.backend.site(i);
      if (!site.mirror().find(node)) continue;
      known = true;
      for (const AgentOrder& order : site.plan_for(node))
        gpus.push_back(
            {{"index", order.index}, {"clock_mhz", order.clock_mhz}, {"job", order.job}});
    }
    if (!known) return give(api_error(404, "there is no node '" + node + "' here"));
    around_.backend.agents().take(node, *std::move(report));
    give(as_answer({{"valid_s", 30}, {"gpus", gpus}}));
  });
}

/// Any site may take it: it waits with us until one is chosen.
ApiAnswer Desk::pool_up(const std::string& members, Time now) {
  SlurmBackend& backend = around_.backend;
  PooledJob job{.number = backend.pool().next(), .members = members};
  json parsed = json::parse("{" + members + "}", nullptr, false);
  parsed["comment"] = parsed.value("comment", std::string()) + pool_mark(job.number);
  const std::string dumped = parsed.dump(-1, ' ', false, json::error_handler_t::replace);
  job.members = dumped.substr(1, dumped.size() - 2);
  auto made = pooled_job(job.number, job.members, now);
  if (!made) return api_error(400, made.error().message);
  const std::int64_t number = made->number;
  if (auto fits = backend.pool_up(*std::move(made)); !fits)
    return api_error(400, "no site can take it: " + fits.error().message);
  backend.note({.when = now,
                .what = "pooled",
                .detail = json{{"text", fmt::format("job {} waits for a site", number)},
                               {"pool", number},
                               {"members", dumped.substr(1, dumped.size() - 2)}}
                              .dump()});
  if (backend.flush(now)) return as_answer({{"id", fmt::format("pool/{}", number)}});
  (void)backend.take_back(number);
  return api_error(503, "the journal cannot be written, so the job was not taken");
}

ApiAnswer Desk::submit(const std::string& text) {
  const json body = json::parse(text, nullptr, false);
  if (!body.is_object()) return api_error(400, "the body must be a JSON object with a script");
  if (!body.contains("script") || !body["script"].is_string())
    return api_error(400, "script: must be the text of a script that begins with #!");
  json members = json::object();
  members["script"] = body["script"];
  for (const std::string_view name : kPassedOn)
    if (const auto found = body.find(std::string(name)); found != body.end() && !found->is_null())
      members[std::string(name)] = *found;
  std::string comment = comment_of(body);
  if (const auto own = body.find("comment"); own != body.end() && own->is_string())
    comment = own->get<std::string>();
  if (!comment.empty()) members["comment"] = comment;
  members["append"] = true;
  const std::string dumped = members.dump(-1, ' ', false, json::error_handler_t::replace);
  const std::string inner = dumped.substr(1, dumped.size() - 2);
  std::string wanted;
  if (const auto site = body.find("site"); site != body.end() && site->is_string())
    wanted = site->get<std::string>();
  return ask([this, inner, wanted](Time now, const Give& give) {
    std::optional<std::size_t> at;
    for (std::size_t i = 0; i < around_.backend.sites(); ++i)
      if (around_.backend.site(i).options().name == wanted) at = i;
    if (wanted.empty() && around_.backend.sites() == 1) at = 0;
    if (wanted.empty() && !at) return give(pool_up(inner, now));
    if (!at) return give(api_error(400, "there is no site '" + wanted + "'"));
    SlurmSite& site = around_.backend.site(*at);
    site.submit(inner, "somebody submitted it over the API", now,
                [give, name = site.options().name](const json& reply) {
                  const auto number = reply.is_object() ? reply.value("job", std::int64_t{0}) : 0;
                  give(from_bridge(reply, {{"id", fmt::format("{}/{}", name, number)}}));
                });
  });
}

}  // namespace penstock

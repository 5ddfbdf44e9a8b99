#include "io/plan/request.h"

#include <fmt/format.h>

#include "io/plan/draft.h"
#include "io/text/number.h"

namespace penstock {
namespace {

constexpr auto kKeys = std::to_array<std::string_view>(
    {"jobs", "nodes", "GPUcosts", "currentScheduling", "currentTime", "method", "seed", "verbose",
     "restart", "timeLimit", "iterations", "threads", "GPUfractions"});

/// Of a request that names none: a million jobs would take hours.
constexpr Duration kUsualTimeLimit = std::chrono::seconds(60);
constexpr double kLatestSecond = 1e11;  // more than three thousand years

std::string_view form_name(InstantForm form) {
  switch (form) {
    case InstantForm::seconds:
      return "seconds, as currentTime is";
    case InstantForm::iso:
    case InstantForm::weekday:
      break;
  }
  return "a date, as currentTime is";
}

std::optional<Instant> instant_of(ObjectReader& reader, const JsonValue& value) {
  if (value.kind() == JsonKind::text) {
    const auto instant = parse_instant(value.text());
    if (!instant)
      reader.problem(value.key(), fmt::format("{} is not a date such as 2020-07-21T17:56:59Z "
                                              "or 'Tue 21 Jul 2020, 17.56.59'",
                                              in_quotes(value.text())));
    return instant;
  }
  if (value.kind() != JsonKind::number) {
    reader.problem(value.key(), "must be seconds or a date");
    return std::nullopt;
  }
  if (const auto wrong = not_in_range(value, {.most = kLatestSecond}, false)) {
    reader.problem(value.key(), *wrong);
    return std::nullopt;
  }
  return Instant{.seconds = value.number()};
}

void read_verbose(ObjectReader& root, PlanDraft& draft) {
  const auto value = root.value("verbose");
  const bool known = value->kind() == JsonKind::boolean || value->kind() == JsonKind::number;
  if (!known) root.problem("verbose", "must be true or false, or a level from 0 on");
  draft.request.verbose = known && value->number() > 0;
}

void read_method(ObjectReader& root, JointSettings& settings) {
  const auto name = root.text("method");
  if (!name) return;
  const auto method = parse_plan_method(*name);
  if (!method) return root.problem("method", method.error().message);
  settings.method = *method;
}

}  // namespace

std::optional<double> read_instant(ObjectReader& reader, std::string_view key, InstantForm form) {
  const auto value = reader.value(key);
  if (!value) return std::nullopt;
  const auto instant = instant_of(reader, *value);
  if (!instant) return std::nullopt;
  const bool same = (instant->form == InstantForm::seconds) == (form == InstantForm::seconds);
  if (same) return instant->seconds;
  reader.problem(key, fmt::format("must be {}", form_name(form)));
  return std::nullopt;
}

void read_clock(ObjectReader& root, PlanDraft& draft) {
  const auto value = root.value("currentTime");
  if (!value) return;
  const auto instant = instant_of(root, *value);
  if (!instant) return;
  draft.request.form = instant->form;
  draft.request.problem.now = instant->seconds;
}

void read_settings(ObjectReader& root, PlanDraft& draft) {
  JointSettings& settings = draft.request.settings;
  settings.time_limit = kUsualTimeLimit;
  if (root.has("method")) read_method(root, settings);
  if (root.has("verbose")) read_verbose(root, draft);
  if (root.has("seed"))
    settings.seed = root.whole("seed", {.most = 9007199254740992}).value_or(settings.seed);
  if (root.has("iterations"))
    settings.iterations = static_cast<std::uint32_t>(
        root.whole("iterations", {.least = 1, .most = 1e9}).value_or(settings.iterations));
  if (root.has("threads"))
    settings.threads = static_cast<unsigned>(
        root.whole("threads", {.least = 1, .most = 1024}).value_or(settings.threads));
  if (root.has("restart")) draft.restart = root.number("restart", {.most = 1e9}).value_or(0);
  if (!root.has("timeLimit")) return;
  if (const auto limit = root.number("timeLimit", {.most = 1e9, .above = true}))
    settings.time_limit = ceil_duration(*limit);
}

Result<PlanRequest> parse_plan_request(std::string_view text, const std::string& file) {
  const auto tree = JsonTree::parse(text, file);
  if (!tree) return tree.error();
  JsonProblems problems(file);
  if (tree->root().kind() != JsonKind::object) {
    problems.add("", "must be an object with: " + listed(kKeys));
    return problems.as_error();
  }
  for (const std::string& path : tree->repeated()) problems.add(path, "is there more than once");
  ObjectReader root(tree->root(), "", problems, kKeys);
  PlanDraft draft;
  read_clock(root, draft);
  read_settings(root, draft);
  read_costs(root, draft);
  read_fractions(root, draft);
  read_nodes(root, draft);
  read_jobs(root, draft);
  read_running(root, draft);
  settle_nodes(root, draft);
  if (!problems.empty()) return problems.as_error();
  settle_epochs(draft);
  return std::move(draft.request);
}

}  // namespace penstock
